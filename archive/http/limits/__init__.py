"""Rate limits for each visitor, counted across all processes.

`counting` adds to counters of time windows in one of the stores `redis`, `postgresql` and `sqlite`; `rules`
has the quotas and the costs of routes; `throttling` charges requests, `signing_in` limits wrong passwords.
"""
