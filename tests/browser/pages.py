"""Pages of one browser that are used by one test after another.

A new one costs a second of processor time, as much as many a test on it; one that was used a tenth.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Browser, CDPSession, Frame, Page

# How long a test waits for what it expects. It fails late on a broken page, and never on a busy machine.
PATIENCE_SECONDS = 60
BLANK = "about:blank"
NO_SERVICE_WORKER = "delete Navigator.prototype.serviceWorker"
"""It would load the files of the site anew in each test; `test_offline` is about it."""


class Pages:
    """Pages of a browser, by the language of their context and whether it has scripts."""

    def __init__(self, browser: Browser, delay: int) -> None:
        self._browser = browser
        self._delay = delay
        self._free: dict[tuple[str, bool], list[_PooledPage]] = {}
        self._used: dict[Page, _PooledPage] = {}

    def take(self, language: str, script: bool, new: bool) -> Page:
        """Return a page on which nothing was done yet, or nothing that is left."""
        free = self._free.setdefault((language, script), [])
        pooled = free.pop() if free and not new else self._made(language, script)
        self._used[pooled.page] = pooled
        return pooled.page

    def give_back(self, page: Page, again: bool) -> None:
        """Leave a page for the next test, or close it where it is not to be used again."""
        pooled = self._used.pop(page)
        if again and len(page.context.pages) == 1:
            pooled.clean()
            self._free[pooled.language, pooled.script].append(pooled)
        else:
            page.context.close()

    def close(self) -> None:
        """Close the pages that are left."""
        for free in self._free.values():
            for pooled in free:
                pooled.page.context.close()

    def _made(self, language: str, script: bool) -> _PooledPage:
        context = self._browser.new_context(locale=language, java_script_enabled=script)
        context.set_default_timeout(PATIENCE_SECONDS * 1000)
        context.add_init_script(NO_SERVICE_WORKER)
        pooled = _PooledPage(context.new_page(), language, script)
        if self._delay:
            pooled.slow_down(self._delay)
        return pooled


class _PooledPage:
    """A page, what its context is like, and the sites that it saw."""

    def __init__(self, page: Page, language: str, script: bool) -> None:
        self.page, self.language, self.script = page, language, script
        self._session: CDPSession = page.context.new_cdp_session(page)
        self._origins: set[str] = set()
        page.on("framenavigated", self._note)

    def clean(self) -> None:
        """Take away all that a test did: what sites keep, and what was answered, granted and routed."""
        page, session = self.page, self._session
        page.unroute_all(behavior="ignoreErrors")
        page.goto(BLANK)
        page.context.clear_cookies()
        page.context.clear_permissions()
        for origin in self._origins:
            session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        self._origins.clear()
        session.send("Network.clearBrowserCache")
        session.send("Page.resetNavigationHistory")
        page.emulate_media(media="null", reduced_motion="null")
        page.mouse.move(0, 0)

    def slow_down(self, delay: int) -> None:
        """Let every answer come `delay` milliseconds later, and scripts take four times as long."""
        speed = {"latency": delay, "downloadThroughput": -1, "uploadThroughput": -1}
        self._session.send("Network.enable")
        self._session.send("Network.emulateNetworkConditions", {"offline": False, **speed})
        self._session.send("Emulation.setCPUThrottlingRate", {"rate": 4})

    def _note(self, frame: Frame) -> None:
        parts = urlsplit(frame.url)
        if parts.scheme in ("http", "https"):
            self._origins.add(f"{parts.scheme}://{parts.netloc}")
