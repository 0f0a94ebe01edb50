"""Pages that show their text only to a browser, read in the system's Chromium.

Chromium reaches nothing by itself: it has no name server and a proxy that is not there. Each
request it wants to make comes here, is vetted like every other address, made by the fetcher's own
pinned connections, and answered from what came. So redirects, scripts, frames and names that
change their mind lead no further than a plain fetch does. What is no GET, every download, service
worker and web socket is refused; pictures, films and fonts are not asked for.

A browser is started for one page, with an empty profile, and a watchdog kills it when it takes too
long or too much memory, whatever the page does. Playwright and Chromium are optional: without them
`Browser` says so in one line.
"""

from ingest.crawl.browser.limits import BrowserLimits
from ingest.crawl.browser.program import Browser, BrowserMissingError, may_help
from ingest.crawl.browser.visit import Rendered

__all__ = ["Browser", "BrowserLimits", "BrowserMissingError", "Rendered", "may_help"]
