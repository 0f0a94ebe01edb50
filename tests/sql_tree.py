"""A small tree of SQL files in a folder of its own, as the deploy engine reads them."""

from pathlib import Path

_MIGRATION = """\
-- {name}
-- why   a test needs it
-- lock  none that matters (new objects)
-- undo  by hand
{mark}{body}
"""
_FUNCTION = """\
-- {schema}.{name}
-- {summary}
{mark}
create or replace function {schema}.{name}({arguments})
returns {returns}
language {language}
{options}
as $func$
{body}
$func$;

comment on function {schema}.{name} is '{summary}';
"""
_TRIGGER = """\
-- {schema}.{table}: a new row is looked at.
create or replace function {schema}.{table}__{effect}()
returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $func$
begin
    return null;
end;
$func$;
comment on function {schema}.{table}__{effect} is 'A new row is looked at.';

create or replace trigger {table}__{effect}
after insert on {schema}.{table}
for each row execute function {schema}.{table}__{effect}();
"""
PIN = "set search_path = pg_catalog, pg_temp"


class SqlTree:
    """Files under `root`; the first migration makes schema shelf with a table of vectors."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "db"
        (self.root / "migrations").mkdir(parents=True)
        self.migration(
            "0001_shelf",
            "create schema shelf;\n"
            "create table shelf.book (\n"
            "    book_id bigint generated always as identity primary key,\n"
            "    title text not null,\n"
            "    meaning vector(3)\n"
            ");",
        )

    def write(self, path: str, text: str) -> Path:
        """Write any file of the tree."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def migration(self, name: str, body: str, *, mark: str = "") -> Path:
        """Write a migration; `mark` is one more header line."""
        header = f"-- {mark}\n" if mark else ""
        text = _MIGRATION.format(name=name, body=body, mark=header)
        return self.write(f"migrations/{name}.sql", text)

    def function(
        self,
        name: str,
        body: str,
        *,
        arguments: str = "",
        returns: str = "bigint",
        language: str = "sql",
        options: str = PIN,
        summary: str = "Does what its test says.",
        mark: str = "",
    ) -> Path:
        """Write a function file; `name` may carry a schema, else it is shelf."""
        schema, _, bare = name.rpartition(".")
        schema = schema or "shelf"
        text = _FUNCTION.format(
            schema=schema,
            name=bare,
            body=body,
            arguments=arguments,
            returns=returns,
            language=language,
            options=options,
            summary=summary,
            mark=f"--\n-- {mark}" if mark else "--",
        )
        return self.write(f"functions/{schema}/{bare}.sql", text)

    def trigger(self, table: str = "book", effect: str = "look") -> Path:
        """Write a trigger file on a table of schema shelf."""
        text = _TRIGGER.format(schema="shelf", table=table, effect=effect)
        return self.write(f"triggers/shelf/{table}__{effect}.sql", text)

    def grants(self, text: str) -> Path:
        """Write grants.sql."""
        return self.write("grants.sql", text)
