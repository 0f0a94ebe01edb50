"""Fetching pages from sites nobody vouches for, without being led inside or filled up."""

from ingest.fetch.client import Fetched, Fetcher
from ingest.fetch.errors import FetchError
from ingest.fetch.settings import FetchSettings, fetch_settings_from

__all__ = ["FetchError", "FetchSettings", "Fetched", "Fetcher", "fetch_settings_from"]
