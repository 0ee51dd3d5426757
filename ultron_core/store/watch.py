"""Whether a database answers, asked again and again over one connection that is kept for that.

    watch = DatabaseWatch(url)
    if not watch.answers(): ...

`ultron serve` and `ultron dev` look this way and start the embedded server again where it has ended.
"""

from __future__ import annotations

from contextlib import suppress

import psycopg

from ultron_core.store.database import CONNECT_SECONDS

__all__ = ["DatabaseWatch"]

#: of a network that swallows what is sent: noticed within so many seconds
_SILENT_SECONDS = 5


class DatabaseWatch:
    """Asks one database; for one thread."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._conn: psycopg.Connection | None = None

    def answers(self) -> bool:
        """Ask once; over a new connection where the last one is lost, as after a restart."""
        return self._asked() or self._asked()

    def _asked(self) -> bool:
        try:
            if self._conn is None:
                self._conn = psycopg.connect(
                    self._url,
                    autocommit=True,
                    connect_timeout=CONNECT_SECONDS,
                    keepalives_idle=_SILENT_SECONDS,
                    keepalives_interval=1,
                    keepalives_count=2,
                    tcp_user_timeout=_SILENT_SECONDS * 1000,
                )
            self._conn.execute("SELECT 1")
        except psycopg.Error:
            self.close()
            return False
        return True

    def close(self) -> None:
        """Let go of the connection; the next question opens another one."""
        conn, self._conn = self._conn, None
        if conn is not None:
            with suppress(psycopg.Error):
                conn.close()
