"""Repository of trainings."""
