"""The WSGI application that granian serves."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from archive.http.content_types import ContentTypeCheck
from archive.project.garbage_collection import gc_paused

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.project.settings")
with gc_paused():
    application = ContentTypeCheck(get_wsgi_application())
    # Otherwise the first request would load all views, and the first query the grammar.
    import_module(settings.ROOT_URLCONF)
    import_module("archive.queries.search.grammar")

# Loaded modules stay alive; scanning them for garbage would take 50 ms of a request now and then.
gc.collect()
gc.freeze()
