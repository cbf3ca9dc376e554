"""Backups of everything in an archive as a folder of files (docs/backup.md).

`tables` lists what is in a backup; `folder` and `rows` define its format, which is the same on every engine;
`exporting` writes it, `importing` reads it.
"""
