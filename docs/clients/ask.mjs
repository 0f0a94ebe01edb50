// Ask from JavaScript: sign in, search, read what the first result says. No packages.
//
//     PGKB_URL=http://127.0.0.1:8000 PGKB_EMAIL=... PGKB_PASSWORD=... node ask.mjs "QUESTION" E10000016

const url = process.env.PGKB_URL ?? "http://127.0.0.1:8000";

async function call(path, { body, token } = {}) {
  const answer = await fetch(url + path, {
    method: body ? "POST" : "GET",
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body && { "Content-Type": "application/json" }),
    },
    body: body && JSON.stringify(body),
  });
  const said = await answer.json();
  if (!answer.ok) {
    console.error(`${said.code}: ${said.title}. ${said.hint ?? ""}`);
    process.exit(1);
  }
  return said;
}

const [question, la] = process.argv.slice(2);
const { access_token: token } = await call("/api/auth/login", {
  body: { email: process.env.PGKB_EMAIL, password: process.env.PGKB_PASSWORD },
});
const { results } = await call("/api/search", { body: { question, la, top_k: 3 }, token });
for (const hit of results) console.log(`${hit.scope}: ${hit.title}`);
if (results.length) {
  const where = new URLSearchParams({ la });
  const cited = await call(`/api/citations/${results[0].chunk_id}?${where}`, { token });
  console.log(`“${cited.content}”`);
}
