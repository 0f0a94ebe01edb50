"""Ask from Python: sign in, search, read what the first result says. Standard library only.

PGKB_URL=http://127.0.0.1:8000 PGKB_EMAIL=... PGKB_PASSWORD=... python ask.py "QUESTION" E10000016
"""

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ.get("PGKB_URL", "http://127.0.0.1:8000")


def call(path: str, body: object = None, token: str | None = None) -> dict:
    """POST a body, or GET without one; a refusal ends the program with the server's words."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(URL + path, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        problem = json.load(refused)
        sys.exit(f"{problem['code']}: {problem['title']}. {problem.get('hint', '')}")


question, la = sys.argv[1:3]
account = {"email": os.environ["PGKB_EMAIL"], "password": os.environ["PGKB_PASSWORD"]}
token = call("/api/auth/login", account)["access_token"]
found = call("/api/search", {"question": question, "la": la, "top_k": 3}, token)
for hit in found["results"]:
    print(f"{hit['scope']}: {hit['title']}")
if found["results"]:
    where = urllib.parse.urlencode({"la": la})
    cited = call(f"/api/citations/{found['results'][0]['chunk_id']}?{where}", token=token)
    print(f"“{cited['content']}”")
