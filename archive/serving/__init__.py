"""`manage.py serve`: the web server, the workers and the scheduler as supervised child processes."""
