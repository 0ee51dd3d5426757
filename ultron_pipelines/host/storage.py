"""Where Dagster keeps its runs and events: the database that `ultron dev` names, or a folder that is
thrown away where nobody does.

Else `dg list defs` and `dg check defs` on a fresh clone would ask for a database that they do not need.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Mapping
from typing import Any

from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClassData
from dagster_postgres import DagsterPostgresStorage

__all__ = ["UltronStorage"]

#: postgresql+psycopg2://...: a bare postgresql:// would pick psycopg 3, which Dagster cannot use
VARIABLE = "ULTRON_DAGSTER_SQLALCHEMY_URL"


class UltronStorage(DagsterPostgresStorage):
    """PostgreSQL by the environment."""

    @classmethod
    def config_type(cls) -> Mapping[str, Any]:
        return {}

    @classmethod
    def from_config_value(  # type: ignore[override]
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> DagsterStorage:
        """The storage itself; the class only chooses it."""
        url = os.environ.get(VARIABLE)
        if url is None:
            folder = tempfile.mkdtemp(prefix="ultron-dagster-")
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            return DagsterSqliteStorage.from_local(folder, inst_data)
        return DagsterPostgresStorage(postgres_url=url, should_autocreate_tables=True, inst_data=inst_data)
