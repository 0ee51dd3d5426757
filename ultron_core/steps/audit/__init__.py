"""What must hold of the stored rows (`rows`), what samples of them say (`samples`), and counts over time (`totals`)."""
