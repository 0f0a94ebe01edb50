#!/bin/sh
# Ask with curl: sign in, search, read what the first result says. `jq` takes the JSON apart.
#
#     PGKB_URL=http://127.0.0.1:8000 PGKB_EMAIL=... PGKB_PASSWORD=... sh ask.sh "QUESTION" E10000016
set -eu
url=${PGKB_URL:-http://127.0.0.1:8000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
answer=$folder/answer.json
config=$folder/curl.conf

# secrets and questions go through files and pipes: others on the machine can see arguments
printf 'silent\nshow-error\nfail-with-body\n' > "$config"

call() {
    curl --config "$config" --output "$answer" "$@" 2> "$folder/trouble" || {
        jq -r '"\(.code): \(.title). \(.hint // "")"' "$answer" >&2 || cat "$folder/trouble" >&2
        exit 1
    }
}

jq -n '{email: env.PGKB_EMAIL, password: env.PGKB_PASSWORD}' > "$folder/body.json"
call --json "@$folder/body.json" "$url/api/auth/login"
jq -r '"header = \"Authorization: Bearer \(.access_token)\""' "$answer" >> "$config"

jq -n --arg question "$1" --arg la "$2" '{$question, $la, top_k: 3}' > "$folder/body.json"
call --json "@$folder/body.json" "$url/api/search"
jq -r '.results[] | "\(.scope): \(.title)"' "$answer"

first=$(jq -r '.results[0].chunk_id // empty' "$answer")
if [ -n "$first" ]; then
    call --get --data-urlencode "la=$2" "$url/api/citations/$first"
    jq -r '"“\(.content)”"' "$answer"
fi
