"""The API's views, by what they are about: each checks, calls one function and answers."""
