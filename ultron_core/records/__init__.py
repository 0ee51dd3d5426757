"""How a log is shown to a model: each message under a header that no log can forge, long ones by head and tail."""
