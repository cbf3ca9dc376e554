"""Fields of the bodies of requests: a module for the subject of each module of views."""
