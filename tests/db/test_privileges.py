"""Who may do what: a matrix of roles and objects, and each role at its work.

`test_privileges.expected` is the matrix as it should be. After a change of grants that is meant:
`PGKB_WRITE_EXPECTED=1 python -m pytest tests/db/test_privileges.py`, and review its diff.
"""

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import conninfo, sql
from psycopg.types.json import Jsonb
from pytest_postgresql.executors import NoopExecutor

from db.syntax import our_schemas
from db.tree import ROOT, read_tree
from tests.corpus import add, axis, literal, load_reference, near, search
from tests.rows import value_of
from tests.sandbox import shared_database

EXPECTED = Path(__file__).with_suffix(".expected")
GROUPS = ("pgkb_reader", "pgkb_app", "pgkb_ingest", "pgkb_admin")
COLUMNS = ("public", "reader", "app", "ingest", "admin")
SCHEMAS = [*our_schemas(read_tree(ROOT))]
CORPUS = ("corpus.chunk", "corpus.document", "corpus.version", "embedding.vector")
OPTIONAL = "embedding.embed_text(text, text)"
# what not even an admin reads: how secrets are known again, children, what people asked
_SHUT = {
    "search.hash_key",
    "account.password",
    "account.refresh_token",
    "account.child",
    "limits.bucket",
    "chat.conversation",
    "chat.turn",
}

# everything of ours, as (kind, name, oid); what an extension brought is not
_OBJECTS = """
    select 'schema', nspname::text, oid from pg_namespace where nspname = any(%(schemas)s)
    union all
    select 'table', n.nspname || '.' || c.relname, c.oid
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm')
        and (n.nspname = any(%(schemas)s) or n.nspname = 'public')
    union all
    select 'function', n.nspname || '.' || p.proname || '(' || oidvectortypes(p.proargtypes) || ')',
        p.oid
    from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
    where (n.nspname = any(%(schemas)s) or n.nspname = 'public')
        and not exists (select from pg_depend as e
            where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
    order by 1 desc, 2
"""
_LETTERS = {"SELECT": "r", "INSERT": "a", "UPDATE": "w", "DELETE": "d"}


def _table_rights(db: psycopg.Connection[Any], role: str, oid: int) -> str:
    """Letters of what a role may do; upper case where it is some columns only."""
    letters = ""
    for privilege, letter in _LETTERS.items():
        whole, part = db.execute(
            "select has_table_privilege(%(role)s, %(oid)s::oid, %(privilege)s), case "
            "when %(privilege)s <> 'DELETE' then "
            "has_any_column_privilege(%(role)s, %(oid)s::oid, %(privilege)s) else false end",
            {"role": role, "oid": oid, "privilege": privilege},
        ).fetchone() or (False, False)
        letters += letter if whole else letter.upper() if part else "-"
    more = "TRUNCATE, REFERENCES, TRIGGER"
    if value_of(db, "select has_table_privilege(%s, %s::oid, %s)", [role, oid, more]):
        letters += "!"
    return letters


def matrix(db: psycopg.Connection[Any]) -> list[str]:
    """One line for each object: what everybody and what each role may do."""
    lines = [
        "# r select, a insert, w update, d delete (upper case: some columns), U usage, X execute",
        _line(COLUMNS, ""),
    ]
    for kind, name, oid in db.execute(_OBJECTS, {"schemas": SCHEMAS}).fetchall():
        rights = []
        for role in ("public", *GROUPS):
            if kind == "table":
                rights.append(_table_rights(db, role, oid))
            else:
                check = "has_schema_privilege" if kind == "schema" else "has_function_privilege"
                privilege, letter = ("usage", "U") if kind == "schema" else ("execute", "X")
                may = value_of(db, f"select {check}(%s, %s::oid, %s)", [role, oid, privilege])
                rights.append(letter if may else "-")
        lines.append(_line(rights, f"{kind} {name}"))
    return lines


def _line(rights: Iterable[str], label: str) -> str:
    return ("".join(f"{right:<8}" for right in rights) + label).rstrip()


def test_every_role_has_the_rights_of_the_matrix_and_no_others(
    keeper: psycopg.Connection[Any],
) -> None:
    found = matrix(keeper)
    if os.environ.get("PGKB_WRITE_EXPECTED"):
        EXPECTED.write_text("\n".join(found) + "\n")
    expected = EXPECTED.read_text().splitlines()
    if value_of(keeper, "select to_regprocedure(%s) is null", [OPTIONAL]):
        expected = [line for line in expected if OPTIONAL not in line]
    assert found == expected


def test_nothing_of_ours_belongs_to_a_superuser(keeper: psycopg.Connection[Any]) -> None:
    owners = keeper.execute(
        "select distinct pg_get_userbyid(o.owner) from ("
        "select nspowner as owner from pg_namespace where nspname = any(%(schemas)s) union all "
        "select relowner from pg_class where relnamespace::regnamespace::text = any(%(schemas)s) "
        "union all select proowner from pg_proc "
        "where pronamespace::regnamespace::text = any(%(schemas)s)) as o",
        {"schemas": SCHEMAS},
    ).fetchall()
    assert owners == [("pgkb_owner",)]


def test_no_role_may_create_anything_or_log_in(keeper: psycopg.Connection[Any]) -> None:
    for role in GROUPS:
        for schema in (*SCHEMAS, "public"):
            assert not value_of(
                keeper, "select has_schema_privilege(%s, %s, 'create')", [role, schema]
            ), (role, schema)
        attributes = keeper.execute(
            "select rolcanlogin or rolsuper or rolcreaterole or rolcreatedb or rolreplication "
            "or rolbypassrls from pg_roles where rolname = %s",
            [role],
        ).fetchone()
        assert attributes == (False,), role


def test_no_role_may_use_a_sequence(keeper: psycopg.Connection[Any]) -> None:
    rows = keeper.execute(
        "select c.oid::regclass::text, r.role from pg_class as c, unnest(%s::text[]) as r (role) "
        "where c.relkind = 'S' and c.relnamespace::regnamespace::text = any(%s) "
        "and has_sequence_privilege(r.role, c.oid, 'usage, select, update')",
        [["public", *GROUPS], SCHEMAS],
    ).fetchall()
    assert rows == []


def test_few_functions_act_with_the_owners_rights_and_all_with_a_pinned_path(
    keeper: psycopg.Connection[Any],
) -> None:
    rows = keeper.execute(
        "select p.oid::regproc::text, p.proconfig::text from pg_proc as p "
        "where p.prosecdef and p.pronamespace::regnamespace::text = any(%s)",
        [[*SCHEMAS, "public"]],
    ).fetchall()
    assert {name for name, _ in rows} == {
        "search_kb",
        "search_text",
        "resolve_citation",
        "resolve_la",
        "read_document",
        "explain_search",
        "explain_text",
        "why_not",
        "why_not_text",
        "search.find",
        # the key of the fingerprints, and what leaves the audit, are for nobody else
        "search.hash_question",
        "search.purge_records",
        # vectors and indexed texts move, and no curator may write those
        "corpus.supersede",
        "corpus.undo_supersession",
        # by title and day alone, what a corrected version held back comes back
        "corpus.release_corrected",
        "corpus.release_outranked",
        # the app hands addresses in and asks for them, but works neither queue nor documents
        "intake.create_batch",
        "intake.batch_status",
        # the app decides for people by function: it reads no account, password or limit
        "limits.take",
        "account.add_person",
        "account.register",
        "account.start_sign_in",
        "account.finish_sign_in",
        "account.refresh",
        "account.session_role",
        "account.sign_out",
        "account.sign_out_everywhere",
        "account.start_password_check",
        "account.change_password",
        "account.set_password",
        "account.set_role",
        "account.set_disabled",
        "account.list_people",
        "account.find_person",
        "account.profile",
        "account.set_school",
        "account.list_children",
        "account.add_child",
        "account.change_child",
        "account.remove_child",
        "privacy.export_person",
        "privacy.erase_person",
        "privacy.purge",
        # conversations are told by whose they are, so nobody reads or writes their tables
        "chat.context_of",
        "chat.start_turn",
        "chat.finish_turn",
        "chat.list_conversations",
        "chat.read_conversation",
        "chat.delete_conversation",
        "chat.purge",
        "intake.receive_upload",
        # a curator asks for a run, a worker carries out what was asked for
        "validation.start_run",
        "validation.judge_batch",
        # monitoring sees how the queue and the deploy stand, and nothing else of either
        "dba.vital_signs",
        "dba.readiness",
        # nor do its administrators, who say which sites are visited
        "crawl.set_site",
        "crawl.start",
        "crawl.pause_job",
        "crawl.resume_job",
        "crawl.cancel_job",
        # only the owner of a table gives it partitions and takes them away
        "embedding.add_set",
        "embedding.drop_set",
    }
    assert all("search_path=pg_catalog, pg_temp" in config for _, config in rows)


# each role at its work


def _fill(db: psycopg.Connection[Any]) -> None:
    load_reference(db)
    db.execute("update embedding.set set endpoint_url = null")
    add(db, "National text on exclusion.", source="national", vector=near(3, 0.9))
    add(db, "Kent text on exclusion.", source="kent", la_code="E10000016", vector=near(3, 0.8))
    db.commit()


@pytest.fixture(scope="module")
def kept_url(server_url: str, template: NoopExecutor) -> Iterator[str]:
    with shared_database(server_url, template, _fill) as url:
        yield url


@pytest.fixture
def keeper(kept_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A superuser's connection."""
    with psycopg.connect(kept_url) as db:
        yield db
        db.rollback()


@pytest.fixture(scope="module")
def logins(kept_url: str) -> Iterator[dict[str, str]]:
    """A URL to log in with, for each group and for a nobody who is in none."""
    urls = {}
    with psycopg.connect(kept_url, autocommit=True) as db:
        for group in (*GROUPS, None):
            login = f"test_{secrets.token_hex(4)}"
            db.execute(
                sql.SQL("create role {} login password 'test'").format(sql.Identifier(login))
            )
            if group is not None:
                db.execute(
                    sql.SQL("grant {} to {}").format(sql.Identifier(group), sql.Identifier(login))
                )
            urls[str(group)] = conninfo.make_conninfo(kept_url, user=login, password="test")
        yield urls
        for url in urls.values():
            login = str(conninfo.conninfo_to_dict(url)["user"])
            db.execute(sql.SQL("drop owned by {}").format(sql.Identifier(login)))
            db.execute(sql.SQL("drop role {}").format(sql.Identifier(login)))


@pytest.fixture
def session(
    logins: dict[str, str], request: pytest.FixtureRequest
) -> Iterator[psycopg.Connection[Any]]:
    """A fresh session of a member of the group that the test is about."""
    with psycopg.connect(logins[str(request.param)]) as db:
        yield db
        db.rollback()


def as_member_of(*groups: str | None) -> pytest.MarkDecorator:
    """Run the test in a fresh session of a member of each of these groups; None is nobody's."""
    return pytest.mark.parametrize("session", groups, indirect=True)


def tables(db: psycopg.Connection[Any]) -> list[str]:
    """Tables and views, without those of the deploy engine."""
    return [
        name
        for kind, name, _ in db.execute(_OBJECTS, {"schemas": SCHEMAS}).fetchall()
        if kind == "table" and not name.startswith("deploy.")
    ]


def denied(db: psycopg.Connection[Any], statement: str, parameters: Any = None) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege), db.transaction():
        db.execute(statement.encode(), parameters)


@as_member_of("pgkb_reader", "pgkb_app", "pgkb_admin")
def test_who_may_search_searches_at_once_in_a_fresh_session(
    session: psycopg.Connection[Any],
) -> None:
    # fault R-05: nothing of pgvector is loaded in this session yet
    session.execute("set kb.exact_limit = 0")
    rows = search_as(session)
    assert rows == ["kent", "national"]
    words = session.execute("select source from search_text('exclusion', la => '886')").fetchall()
    assert {row[0] for row in words} == {"kent", "national"}


def search_as(db: psycopg.Connection[Any]) -> list[str]:
    rows = db.execute(
        "select source from search_kb(%s, 'exclus', la => 'E10000016')", [literal(axis(3))]
    ).fetchall()
    return sorted(row[0] for row in rows)


@as_member_of("pgkb_reader", None)
def test_a_reader_and_a_nobody_are_refused_every_table(
    session: psycopg.Connection[Any], keeper: psycopg.Connection[Any]
) -> None:
    names = tables(keeper)
    assert len(names) > 20
    for name in names:
        denied(session, f"select from {name}")
        if value_of(keeper, "select relkind <> 'v' from pg_class where oid = %s::regclass", [name]):
            denied(session, f"delete from {name}")
            denied(session, f"insert into {name} default values")


@as_member_of("pgkb_reader", None)
def test_a_reader_and_a_nobody_are_refused_every_function_but_the_searches(
    session: psycopg.Connection[Any], keeper: psycopg.Connection[Any]
) -> None:
    for kind, name, oid in keeper.execute(_OBJECTS, {"schemas": SCHEMAS}).fetchall():
        if kind != "function" or name.startswith("public."):
            continue
        nulls = value_of(
            keeper,
            "select string_agg('null::' || format_type(t, null), ', ') "
            "from unnest((select proargtypes::oid[] from pg_proc where oid = %s)) as t",
            [oid],
        )
        denied(session, f"select {name.partition('(')[0]}({nulls or ''})")


@as_member_of("pgkb_ingest", None)
def test_who_may_not_search_is_refused(session: psycopg.Connection[Any]) -> None:
    denied(session, "select * from search_kb(null, 'a'::tsquery)")
    denied(session, "select * from search_text('a')")
    denied(session, "select * from explain_search(null, 'a'::tsquery)")
    denied(session, "select * from explain_text('a')")
    denied(session, "select * from why_not(1, null, 'a'::tsquery)")
    denied(session, "select * from why_not_text(1, 'a')")
    denied(session, "select * from resolve_la()")


@as_member_of("pgkb_reader")
def test_a_reader_cannot_change_what_the_searches_do(session: psycopg.Connection[Any]) -> None:
    denied(session, "create function public.freshness() returns int language sql as 'select 1'")
    denied(session, "create table public.chunk (chunk_id bigint)")
    denied(session, "create or replace view public.knowledge_base as select 1")
    # what it may make, its own temporary things, is not looked at
    session.execute("create temp table chunk_fact (chunk_id bigint, status text)")
    session.execute("create temp table setting (name text)")
    session.execute("set search_path = pg_temp, public")
    assert search_as(session) == ["kent", "national"]


@as_member_of("pgkb_app")
def test_the_app_asks_keeps_vectors_and_records(session: psycopg.Connection[Any]) -> None:
    one = session.execute(
        "select terms.build_tsquery('kicked out', terms.expand_query('kicked out')), "
        "terms.topics_for('kicked out'), (embedding.active_set()).width, "
        "(search.scope_of('E10000016')).la_name"
    ).fetchone()
    assert one is not None
    assert (one[1], one[2], one[3]) == (["exclusion"], 384, "Kent")
    session.execute("select embedding.remember_query('ann', 'q', %s)", [literal(axis(3))])
    assert value_of(session, "select embedding.cached_query('ann', 'q') is not null")
    record = value_of(
        session,
        "select search.record_search(array(select r from search_kb(%s, null) as r), 'E08000025')",
        [literal(axis(3))],
    )
    assert record > 0
    assert value_of(
        session, "select ((search.find(%s, null)).counts).candidates", [literal(axis(3))]
    )
    assert value_of(session, "select count(*) from config.settings") > 20
    session.rollback()
    for name in (*CORPUS, "public.knowledge_base", "queue.task"):
        denied(session, f"select from {name}")
    denied(session, "delete from search.record")
    denied(session, "select detail from audit.event")
    denied(session, "update audit.event set actor = 'me'")
    denied(session, "update config.setting set installed_value = '1'")
    denied(session, "delete from embedding.query_cache")
    denied(session, "select corpus.set_status('{1}', 'approved')")
    denied(session, "select search.retrieve(search.resolve_request(null, 'a'))")


@as_member_of("pgkb_ingest")
def test_ingest_takes_a_document_from_text_to_published(
    session: psycopg.Connection[Any], keeper: psycopg.Connection[Any]
) -> None:
    first = add(session, "A text of ingest, first.", source="ingest", la_code="E08000025")
    second = add(session, "A text of ingest, second.", source="ingest", la_code="E08000025")
    assert first.document_id == second.document_id
    session.execute("select search.fold_statistics(), corpus.discard_abandoned()")
    session.execute("select * from queue.claim_tasks(worker => 'w', batch_size => 1)")
    session.execute("select terms.load_topics('send', %s)", [Jsonb([])])
    session.rollback()
    assert [r["source"] for r in search(keeper, words="ingest", la="E08000025")] == ["ingest"]
    denied(session, "select corpus.set_status(%s, 'approved')", [second.chunk_ids])
    denied(session, "select corpus.set_tags(%s, '{}')", [second.chunk_ids])
    denied(session, "select config.install_setting('kb.top_k', '5')")
    denied(session, "select embedding.activate('local-minilm')")
    denied(session, "update embedding.set set active = false")
    denied(session, "select from search.record")
    denied(session, "select detail from audit.event")
    denied(session, "delete from audit.event")
    denied(session, "select from public.knowledge_base")


@as_member_of("pgkb_admin")
def test_an_admin_reads_what_is_not_shut_decides_and_tunes(
    session: psycopg.Connection[Any], keeper: psycopg.Connection[Any]
) -> None:
    for name in set(tables(keeper)) - _SHUT:
        session.execute(f"select from {name} limit 1".encode())
    for name in _SHUT:
        denied(session, f"select from {name} limit 1")
    denied(session, "select search.hash_question('a guess')")
    chunks = value_of(
        session, "select array_agg(chunk_id) from corpus.chunk_fact where status = 'pending'"
    )
    session.execute("select corpus.set_tags(%s, '{transport}')", [chunks])
    session.execute("select corpus.set_status(%s, 'rejected')", [chunks])
    assert search_as(session) == []
    session.execute("select config.install_setting('kb.top_k', '5')")
    session.execute("select embedding.activate('local-minilm')")
    assert value_of(
        session,
        "select bool_and(login = session_user) from audit.event where kind = 'status_changed'",
    )
    session.rollback()
    for name in (*CORPUS, "audit.event", "search.record", "config.setting"):
        denied(session, f"delete from {name}")
    denied(session, "update corpus.chunk set content = 'x'")
    denied(session, "update audit.event set actor = 'me'")
    denied(session, "insert into audit.event (kind, login) values ('status_changed', 'someone')")
    denied(session, "update corpus.chunk_fact set reviewed_by = 'someone'")
    denied(session, "update corpus.chunk_fact set quality_score = 100")
    denied(session, "update corpus.document set stands_alone = true")
    denied(session, "update config.setting set maximum = 5")
    denied(session, "insert into corpus.scope (kind) values ('national')")


def test_a_member_of_two_groups_has_both(kept_url: str, logins: dict[str, str]) -> None:
    with ExitStack() as stack:
        admin = stack.enter_context(psycopg.connect(kept_url, autocommit=True))
        login = str(conninfo.conninfo_to_dict(logins["None"])["user"])
        for group in ("pgkb_ingest", "pgkb_reader"):
            admin.execute(
                sql.SQL("grant {} to {}").format(sql.Identifier(group), sql.Identifier(login))
            )
            stack.callback(
                admin.execute,
                sql.SQL("revoke {} from {}").format(sql.Identifier(group), sql.Identifier(login)),
            )
        db = stack.enter_context(psycopg.connect(logins["None"]))
        db.execute("select from corpus.chunk")
        assert search_as(db) == ["kent", "national"]
