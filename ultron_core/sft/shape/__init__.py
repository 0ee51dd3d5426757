"""Messages of a segment become a row that every trainer renders; `normalize` is the way in, every repair is counted."""
