"""The WSGI application that granian serves."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from archive.http.content_types import UsableContentTypes
from archive.project.garbage_collection import uncollected

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.project.settings")
with uncollected():
    application = UsableContentTypes(get_wsgi_application())
    # Django would load the addresses, and all views with them, while the first visitor waits.
    import_module(settings.ROOT_URLCONF)
    # And so would the first query.
    import_module("archive.queries.search.grammar")

# What is loaded by now stays until the end: looking through all of it for garbage would now and then take
# some 50 ms out of a request.
gc.collect()
gc.freeze()
