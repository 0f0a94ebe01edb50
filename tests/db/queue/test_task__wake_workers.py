"""queue.task__wake_workers: listeners hear of work that anybody may take, and of no other."""

import psycopg


def test_work_anybody_may_take_wakes_listeners_and_leased_work_does_not(
    db: psycopg.Connection, db_url: str
) -> None:
    with psycopg.connect(db_url, autocommit=True) as listener:
        listener.execute("listen pgkb_task")
        db.execute("select queue.enqueue('publish_version', 1, 'kim')")
        db.execute("select queue.enqueue('crawl', 2)")
        db.commit()
        heard = [notice.payload for notice in listener.notifies(timeout=5, stop_after=1)]
        heard += [notice.payload for notice in listener.notifies(timeout=0.2)]
    assert heard == ["crawl"]
