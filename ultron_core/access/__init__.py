"""Who may do what from outside: keys and scopes, rate limits, and the files of the clients. Pure.

keys      what a key looks like, its scopes, and whether it still holds
limits    how many requests a key may make
clients/  where coding agents keep their hooks and servers, and how Ultron is entered there
"""
