"""The pages of accounts: django-allauth's views with our templates and limits, and views that it lacks.

The settings name the classes of `adapter`, `forms`, `stages`, `second_factor` and `passkeys`, which allauth's
views use; `pages`, `hooks`, `tokens`, `invitations` and `leaving` hold views of our own.
"""
