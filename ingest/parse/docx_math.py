"""Equations written on one line."""

from xml.etree.ElementTree import Element

from ingest.parse.docx_package import Package


def linear(package: Package, element: Element) -> str:
    """An Office equation as plain characters: `(a+b)/(c)`, `x^2`, `√(y)`."""
    name = package.name(element)
    if name == "m:t":
        return element.text or ""
    parts = {
        package.name(child): linear(package, child)
        for child in element
        if package.name(child)
        in ("m:num", "m:den", "m:e", "m:sup", "m:sub", "m:deg", "m:lim", "m:fName")
    }
    match name:
        case "m:f":
            return f"{_grouped(parts.get('m:num'))}/{_grouped(parts.get('m:den'))}"
        case "m:sSup":
            return f"{parts.get('m:e', '')}^{_grouped(parts.get('m:sup'))}"
        case "m:sSub":
            return f"{parts.get('m:e', '')}_{_grouped(parts.get('m:sub'))}"
        case "m:sSubSup":
            low, high = _grouped(parts.get("m:sub")), _grouped(parts.get("m:sup"))
            return f"{parts.get('m:e', '')}_{low}^{high}"
        case "m:rad":
            return f"{parts.get('m:deg', '')}√({parts.get('m:e', '')})"
        case "m:d":
            inner = [linear(package, child) for child in element if package.name(child) == "m:e"]
            return f"({', '.join(inner)})"
        case "m:nary":
            above, below = parts.get("m:sup"), parts.get("m:sub")
            bounds = f"({below}..{above})" if below or above else ""
            return f"{_operator(package, element)}{bounds} {parts.get('m:e', '')}"
        case _:
            return "".join(linear(package, child) for child in element)


def _operator(package: Package, element: Element) -> str:
    """The sign of a sum, product or integral; Word leaves out the integral's."""
    for child in element.iter():
        if package.name(child) == "m:chr":
            return package.attribute(child, "m:val") or "∫"
    return "∫"


def _grouped(text: str | None) -> str:
    text = text or ""
    return text if len(text) <= 1 or text.isalnum() else f"({text})"
