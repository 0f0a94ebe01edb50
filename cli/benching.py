"""`pgkb bench`: the bench room's own command line, under the name people look for."""

import typer


def register(app: typer.Typer) -> None:
    """Add the command; its options and its --help are those of `python -m bench`."""

    @app.command(
        "bench",
        help="Measure speed and recall as ratios; see `pgkb bench --help`.",
        add_help_option=False,
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )
    def bench(context: typer.Context) -> None:
        from bench.__main__ import main

        raise typer.Exit(main(context.args))
