"""Who may do what: roles (`roles`), keys for programs (`tokens`), links for new accounts (`invitations`).

The pages are in `archive.web.accounts`; passwords are counted in `archive.http.limits.signing_in`.
"""
