"""The pages of accounts: django-allauth's views under our templates, with our limits, and what it does not
have.

`adapter`, `forms`, `stages` and `second_factor` are named in the settings and change what its views do;
`pages`, `tokens`, `invitations` and `leaving` are views of our own. Addresses are in `urls`.
"""
