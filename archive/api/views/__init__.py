"""The API's views, by subject: each checks the request, calls one function and answers."""
