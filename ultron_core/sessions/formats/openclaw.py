"""Native logs of OpenClaw: it runs pi inside, and its rows are those of `pi`; a few name OpenClaw.

Rows of a log alone cannot be told from pi's, so `pi` reads them in any file; the file is of this format as soon
as one row names OpenClaw.
"""

from __future__ import annotations

from ultron_core.sessions.formats.pi import claims, plant, read

__all__ = ["claims", "plant", "read"]
