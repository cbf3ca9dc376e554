"""Everything of an archive as a folder of files, and an archive made of such a folder (docs/backup.md).

What is in it (`tables`) and how it lies there (`folder`, `rows`) is the same whatever the engine; `exporting`
and `importing` go between the two.
"""
