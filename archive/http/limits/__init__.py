"""The limits on what one visitor may ask for, counted for all processes in whichever store is at hand.

`counting` adds to a counter of a window, in one of the stores `redis`, `postgresql` and `sqlite`; `rules`
says what is counted and what each route costs; `throttling` does it for requests, `signing_in` for passwords.
"""
