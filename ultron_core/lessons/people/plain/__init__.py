"""What a person says plainly, sentence by sentence: a fitted model of what a note-taker would keep of it."""
