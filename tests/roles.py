"""Act as another role within a test's connection."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus


@contextmanager
def role(db: psycopg.Connection, name: str) -> Iterator[psycopg.Connection]:
    """Everything inside is done with this role's rights; afterwards with the old ones.

    A statement that failed inside ends the transaction, so what it held is rolled back.
    """
    db.execute(sql.SQL("set role {}").format(sql.Identifier(name)))
    try:
        yield db
    finally:
        if db.info.transaction_status == TransactionStatus.INERROR:
            db.rollback()
        db.execute("reset role")
