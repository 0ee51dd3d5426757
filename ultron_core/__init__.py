"""Ultron: agent session logs in; shared, searchable, redacted memory and SFT datasets out."""

from typing import TYPE_CHECKING, Any

from ultron_core.version import __version__

__all__ = ["Settings", "Ultron", "__version__"]

if TYPE_CHECKING:
    from ultron_core.client import Ultron
    from ultron_core.settings import Settings


def __getattr__(name: str) -> Any:
    """Load the client on first use: `import ultron_core.models` stays fast."""
    if name == "Ultron":
        from ultron_core.client import Ultron

        return Ultron
    if name == "Settings":
        from ultron_core.settings import Settings

        return Settings
    raise AttributeError(f"module 'ultron_core' has no attribute {name!r}")
