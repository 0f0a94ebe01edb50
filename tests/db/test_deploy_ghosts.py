"""A function or trigger of ours without a file is refused, with the drop to write."""

from db.deploy import check
from tests.deploying import ask, refusal, run, up
from tests.sql_tree import SqlTree


def test_a_function_without_a_file_is_a_ghost_and_the_deploy_rolls_back(
    blank_url: str, tree: SqlTree
) -> None:
    up(blank_url, tree)
    run(blank_url, "create function shelf.lost(n int) returns int language sql as 'select n'")
    tree.function("count_books", "select 7::bigint")
    message = refusal(blank_url, tree)
    assert message == (
        "ghost: function shelf.lost(n integer) has no file; "
        "put in a migration: drop function shelf.lost(n integer);"
    )
    assert ask(blank_url, "select shelf.count_books()") == 0
    assert message in check(blank_url, root=tree.root)


def test_an_old_overload_is_a_ghost_and_its_drop_heals(blank_url: str, tree: SqlTree) -> None:
    tree.function("pick", "select n::bigint", arguments="n integer")
    up(blank_url, tree)
    tree.function("pick", "select n::bigint", arguments="n integer, tags text[] default null")
    message = refusal(blank_url, tree)
    drop = message.rpartition("put in a migration: ")[2]
    assert drop == "drop function shelf.pick(n integer);"
    tree.migration("0002_drop_old_pick", drop)
    up(blank_url, tree)
    assert ask(blank_url, "select shelf.pick(3)") == 3


def test_a_deleted_trigger_file_leaves_a_ghost_named_with_its_trigger(
    blank_url: str, tree: SqlTree
) -> None:
    up(blank_url, tree)
    (tree.root / "triggers/shelf/book__look.sql").unlink()
    message = refusal(blank_url, tree)
    drop = message.rpartition("put in a migration: ")[2]
    assert drop == ("drop trigger book__look on shelf.book; drop function shelf.book__look();")
    tree.migration("0002_drop_look", drop)
    assert up(blank_url, tree).changed


def test_a_second_trigger_made_by_hand_is_a_ghost(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    run(
        blank_url,
        "create trigger again after update on shelf.book "
        "for each row execute function shelf.book__look()",
    )
    assert 'drop trigger "again" on "shelf"."book"' in refusal(blank_url, tree)


def test_a_trigger_made_with_its_partition_is_no_ghost(blank_url: str, tree: SqlTree) -> None:
    """No trigger of the table itself fires when a partition is truncated."""
    tree.migration(
        "0002_part",
        "create table shelf.part (set_id integer) partition by list (set_id);\n"
        "create table shelf.part_1 partition of shelf.part for values in (1);",
    )
    up(blank_url, tree)
    run(
        blank_url,
        "create trigger part__look after truncate on shelf.part_1 "
        "for each statement execute function shelf.book__look()",
    )
    tree.function("count_more", "select count(*) from shelf.book")
    assert up(blank_url, tree).changed


def test_in_public_only_overloads_of_our_names_are_ghosts(blank_url: str, tree: SqlTree) -> None:
    tree.function("public.find_book", "select book_id", arguments="book_id bigint")
    run(
        blank_url,
        "create extension pg_trgm schema public",
        "create function public.their_own() returns int language sql as 'select 1'",
    )
    up(blank_url, tree)
    run(
        blank_url,
        "create function public.find_book(x text) returns int language sql as 'select 1'",
    )
    assert "drop function public.find_book(x text)" in refusal(blank_url, tree)


def test_a_function_a_table_definition_needs_is_no_ghost(blank_url: str, tree: SqlTree) -> None:
    tree.migration(
        "0002_slug",
        "create function shelf.slug(title text) returns text language sql immutable\n"
        "set search_path = pg_catalog, pg_temp as 'select lower(title)';\n"
        "alter table shelf.book add column slug text generated always as "
        "(shelf.slug(title)) stored;",
        mark="definition needs shelf.slug in a generated column",
    )
    up(blank_url, tree)
    assert check(blank_url, root=tree.root) == []
