"""The HTTP side of pgkb: parse a request, call SQL, return what came back."""
