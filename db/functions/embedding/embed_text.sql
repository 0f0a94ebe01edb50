-- embedding.embed_text
-- The vector of a text from a set's (the active one's when not named) OpenAI-compatible endpoint, for a person at psql.
--
-- requires plpython3u
--
-- The address is the set's endpoint_url, never a session setting: a caller must not be able to
-- send the key elsewhere. The key is PGKB_EMBED_API_KEY or OPENAI_API_KEY of the server's own
-- environment, which only the operating system's administrator can set or read.
--
-- called by  search.word_question
-- raises     VE008 no endpoint or no usable answer, VE002 wrong width, VE005 unknown set

create or replace function embedding.embed_text(question text, set_name text default null)
returns public.vector
language plpython3u
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $python$
import http.client
import json
import math
import os
import urllib.error
import urllib.request

chosen = plpy.execute(
    plpy.prepare("select * from embedding.named_set($1)", ["text"]), [set_name]
)[0]


def refuse(message, hint):
    plpy.error(message, sqlstate="VE008", hint=hint)


if not question or not question.strip():
    refuse("there is no text to embed", "Give a text with at least one word.")
if not chosen["endpoint_url"]:
    refuse(
        "embedding set %s has no endpoint" % chosen["name"],
        "Give it one: select embedding.set_endpoint(name, url);",
    )

headers = {"Content-Type": "application/json"}
key = os.environ.get("PGKB_EMBED_API_KEY") or os.environ.get("OPENAI_API_KEY")
if key and chosen["provider"] == "azure":
    headers["api-key"] = key
elif key:
    headers["Authorization"] = "Bearer " + key
body = {"model": chosen["model"], "input": [question], "encoding_format": "float"}
if chosen["provider"] != "local":
    body["dimensions"] = chosen["width"]
address = chosen["endpoint_url"].rstrip("/") + "/embeddings"
if not address.startswith(("http://", "https://")):
    refuse("endpoint %s is not a web address" % address, "Use http:// or https://.")

try:
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=15) as answer:
        vector = [float(x) for x in json.loads(answer.read(8000000))["data"][0]["embedding"]]
except urllib.error.HTTPError as error:
    refuse(
        "endpoint %s answered %d" % (chosen["endpoint_url"], error.code),
        "Check the model name and the key in the server's environment.",
    )
except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError) as error:
    refuse(
        "endpoint %s gave no vector: %s" % (chosen["endpoint_url"], type(error).__name__),
        "Is it running? pgkb up starts the local one.",
    )
if not vector or not all(map(math.isfinite, vector)):
    refuse(
        "endpoint %s gave no vector: not numbers" % chosen["endpoint_url"],
        "Check the model of embedding set %s." % chosen["name"],
    )
if len(vector) != chosen["width"]:
    plpy.error(
        "the vector has %d dimensions, %s of set %s has %d"
        % (len(vector), chosen["model"], chosen["name"], chosen["width"]),
        sqlstate="VE002",
        hint="Serve the model of the active set: select * from embedding.active_set();",
    )
return "[" + ",".join(map(repr, vector)) + "]"
$python$;

comment on function embedding.embed_text is
'The vector of a text from a set''s (the active one''s when not named) OpenAI-compatible endpoint, for a person at psql.';

-- made by the superuser, after grants.sql; what that page says of the other functions, said here
revoke all on function embedding.embed_text(text, text) from public;
alter function embedding.embed_text(text, text) owner to pgkb_owner;
grant execute on function embedding.embed_text(text, text) to pgkb_admin;
