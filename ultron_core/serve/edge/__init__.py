"""What stands between the network and the application: connections, keys and bodies are bounded here."""
