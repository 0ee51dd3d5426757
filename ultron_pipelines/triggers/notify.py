"""Who is told of a failed run: the log, and a web address if one is set. What is told has been redacted."""

from __future__ import annotations

import json
import logging
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass

from ultron_core.errors import UltronError

__all__ = ["NOTIFY_SECONDS", "Notice", "NotifyError", "tell_log", "tell_webhook"]

logger = logging.getLogger("ultron.runs")

#: an answer that takes longer would hold up the sensors behind it, which have 60 s
NOTIFY_SECONDS = 10.0
_TRIES = 3


class NotifyError(UltronError):
    """The address that is told of failures could not be reached."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One failed run. `text` says it in a sentence; Slack and its like show that field."""

    text: str
    job: str
    run_id: str
    reason: str
    failed_at: str


def tell_log(notice: Notice) -> None:
    logger.error("%s", notice.text)


def tell_webhook(url: str, notice: Notice, wait: Callable[[float], None] = time.sleep) -> None:
    """POST the notice as JSON, up to three times. Raises NotifyError without the address, which may hold a key."""
    body = json.dumps(asdict(notice)).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method="POST")
    for number in range(_TRIES):
        try:
            with urllib.request.urlopen(request, timeout=NOTIFY_SECONDS):
                return
        except urllib.error.HTTPError as error:
            why, again = f"HTTP {error.code}", error.code >= 500 or error.code == 429
            error.close()
        except OSError as error:
            why, again = str(getattr(error, "reason", error)), True
        if not again or number + 1 == _TRIES:
            raise NotifyError(f"ULTRON_NOTIFY_URL did not take the notice of run {notice.run_id}: {why}.")
        wait(2.0**number)
