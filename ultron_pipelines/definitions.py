"""What Dagster loads (see workspace.yaml). `ULTRON_AUTOSTART=1`, set by `ultron dev`, switches sensors on."""

from __future__ import annotations

import os

from ultron_core.settings import Settings
from ultron_pipelines.build import build_defs

defs = build_defs(Settings.load(), running=os.environ.get("ULTRON_AUTOSTART") == "1")
