"""Sample documents as plain text and as the kind of web page they would be on a real site."""

from html import escape

from ingest.samples.source import Block, Grid, Heading, Listing, Paragraph, Sample


def as_txt(sample: Sample) -> bytes:
    """Plain text: headings on lines of their own, tables with bars between cells."""
    return ("\n\n".join(_plain(block) for block in sample.blocks) + "\n").encode()


def _plain(block: Block) -> str:
    match block:
        case Heading(text=text) | Paragraph(text=text):
            return text
        case Listing(numbered=numbered, items=items):
            marks = (f"{n}." if numbered else "-" for n in range(1, len(items) + 1))
            return "\n".join(f"{mark} {item}" for mark, item in zip(marks, items, strict=True))
        case Grid(header=header, rows=rows):
            return "\n".join(" | ".join(row) for row in (header, *rows))


def as_html(sample: Sample, *, site: str) -> bytes:
    """A page of `site` with the things around the text that real ones have."""
    main = "\n".join(_element(block) for block in sample.blocks)
    day = f"{sample.effective_date.day} {sample.effective_date:%B %Y}"
    page = _PAGE.format(
        title=escape(sample.title),
        site=escape(site),
        main=main,
        day=day,
        iso=sample.effective_date.isoformat(),
    )
    return page.encode()


def _element(block: Block) -> str:
    match block:
        case Heading(level=level, text=text):
            return f"<h{level}>{escape(text, quote=False)}</h{level}>"
        case Paragraph(text=text):
            return f"<p>{escape(text, quote=False)}</p>"
        case Listing(numbered=numbered, items=items):
            mark = "ol" if numbered else "ul"
            rows = "\n".join(f"<li>{escape(item, quote=False)}</li>" for item in items)
            return f"<{mark}>\n{rows}\n</{mark}>"
        case Grid(header=header, rows=rows):
            head = "".join(f'<th scope="col">{escape(cell, quote=False)}</th>' for cell in header)
            body = "\n".join(
                "<tr>" + "".join(f"<td>{escape(cell, quote=False)}</td>" for cell in row) + "</tr>"
                for row in rows
            )
            return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


_PAGE = """<!DOCTYPE html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} | {site}</title>
<meta name="DC.date.modified" content="{iso}">
<style>.site-header {{ background: #1d3557; color: #fff }} .visually-hidden {{ position: absolute; left: -999em }}</style>
<script>window.pageData = {{"section": "send", "menu": ["Bins", "Council Tax", "Parking"]}};</script>
</head>
<body>
<a class="visually-hidden" href="#content">Skip to main content</a>
<div id="cookie-banner" class="cookie-banner" role="dialog" aria-label="Cookies on this site">
<p>We use some essential cookies to make this website work. We would like to set additional cookies to understand how you use it.</p>
<button type="button">Accept additional cookies</button>
<button type="button">Reject additional cookies</button>
<a href="/cookies">View cookie preferences</a>
</div>
<header class="site-header" role="banner">
<a href="/" class="logo">{site}</a>
<form action="/search" role="search"><label for="q">Search this site</label><input id="q" name="q" type="search"><button type="submit">Search</button></form>
<nav class="main-nav" aria-label="Main menu">
<ul>
<li><a href="/">Home</a></li>
<li><a href="/news">News</a></li>
<li><a href="/a-to-z">A to Z of services</a></li>
<li><a href="/my-account">My account</a></li>
<li><a href="/contact-us">Contact us</a></li>
</ul>
</nav>
</header>
<div class="alert-banner" role="region" aria-label="Service alert"><p>Our telephone lines close at 4pm this Friday for staff training.</p></div>
<nav class="breadcrumb" aria-label="Breadcrumb"><ol><li><a href="/">Home</a></li><li><a href="/children">Children and families</a></li><li><a href="/children/send">SEND</a></li></ol></nav>
<main id="content">
<article>
{main}
</article>
</main>
<aside class="related" aria-label="Related pages">
<h2>In this section</h2>
<ul>
<li><a href="/children/send/events">Events for families</a></li>
<li><a href="/children/send/newsletter">Sign up for our newsletter</a></li>
</ul>
</aside>
<div class="feedback"><p>Is this page useful?</p><button type="button">Yes</button><button type="button">No</button></div>
<footer class="site-footer" role="contentinfo">
<p>Last updated: <time datetime="{iso}">{day}</time></p>
<ul>
<li><a href="/accessibility">Accessibility statement</a></li>
<li><a href="/privacy">Privacy notice</a></li>
<li><a href="/cookies">Cookies</a></li>
</ul>
<p>Copyright {site}. All rights reserved.</p>
</footer>
</body>
</html>
"""  # noqa: E501
