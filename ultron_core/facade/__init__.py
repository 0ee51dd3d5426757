"""What `Ultron` is made of beside `client.py`: its services, edits and reminders, and what stands behind it."""
