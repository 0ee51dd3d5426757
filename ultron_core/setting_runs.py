"""The settings of how Dagster runs Ultron, and of who is told when something fails."""

from __future__ import annotations

from pathlib import Path

from ultron_core.setting_stages import Stage, setting

__all__ = ["RunSettings"]


class RunSettings(Stage):
    """Dagster's runs."""

    checks_interval_hours: float = setting(
        1.0, "ULTRON_CHECKS_INTERVAL_HOURS", ge=0.1, about="Hours between checks of the stored rows."
    )
    sensor_seconds: int = setting(
        15,
        "ULTRON_SENSOR_SECONDS",
        ge=1,
        about="Seconds between two looks of the sensors; where logs trickle in, more of them make fewer, fuller runs.",
    )
    notify_url: str | None = setting(
        None,
        "ULTRON_NOTIFY_URL",
        secret=True,
        pattern="^https?://",
        about="Where a failed run is told, as a POST of JSON (its `text` is what Slack shows); unset: the log alone.",
    )
    executor: str = setting(
        "in_process",
        "ULTRON_EXECUTOR",
        pattern="^(in_process|multiprocess|celery|kubernetes)$",
        about="Where the step of a run is carried out: in_process, multiprocess, celery or kubernetes.",
    )
    celery_broker: str = setting(
        "redis://localhost:6379/0",
        "ULTRON_CELERY_BROKER_URL",
        secret=True,
        about="Broker of Celery's workers; also keeps their results.",
    )
    dagster_yaml: Path | None = setting(
        None,
        "ULTRON_DAGSTER_YAML",
        about="The `dagster.yaml` of `ultron dev` (run launcher, compute logs); unset means the project's.",
    )
    owners: str = setting(
        "team:ultron",
        "ULTRON_OWNERS",
        about="Owners of the assets in the UI, separated by commas: `team:<name>` or e-mail addresses.",
    )
    code_url: str | None = setting(
        None,
        "ULTRON_CODE_URL",
        pattern="^https?://",
        about="Where this repository is browsed; asset pages link to code and docs there, else to local files.",
    )

    @property
    def owner_list(self) -> tuple[str, ...]:
        return tuple(owner.strip() for owner in self.owners.split(",") if owner.strip())
