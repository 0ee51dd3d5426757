"""The OpenAI-compatible endpoint on the wire: requests, limits of what is read, and what its errors mean."""
