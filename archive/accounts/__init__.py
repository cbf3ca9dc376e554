"""Roles (`roles`), API tokens (`tokens`), links that create accounts (`invitations`), the audit log.

The pages are in `archive.web.accounts`; `archive.http.limits.signing_in` limits wrong passwords.
"""
