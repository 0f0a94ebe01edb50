"""The filled database of the app's tests serves the command line's too."""

from tests.app.conftest import library_url

__all__ = ["library_url"]
