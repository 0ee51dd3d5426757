"""A review on the screen."""

from __future__ import annotations

from collections import Counter

from ultron_core.cli.output import console
from ultron_core.setting_sft import SftSettings
from ultron_core.sft.publish.review import Review

__all__ = ["show_review"]

#: replacements of a project that are shown unless all are asked for
_SHOWN = 20
#: characters of a message of a sample
_SAMPLE = 400


def show_review(review: Review, settings: SftSettings, *, everything: bool) -> None:
    """Projects with their counts, replacements, findings, and samples; what is left out by settings first."""
    out = console()
    for kind, left_out in (("projects", settings.leave_out_projects), ("agents", settings.leave_out_agents)):
        out.print(f"Left out {kind}: {left_out or 'none'}")
    out.print(f"Outside scanner: {review.scanner or 'none is installed (detect-secrets)'}")
    for name, counts in review.projects.items():
        out.print(f"\n{name}: {counts['rows']} rows")
        out.print(f"  replaced: {_told(counts['replaced'])}", soft_wrap=True)
        out.print(f"  scanners: {_told(counts['scanner'])}", soft_wrap=True)
    shown: Counter[str] = Counter()
    for place in review.replacements:
        shown[place.project] += 1
        if everything or shown[place.project] <= _SHOWN:
            out.print(f"  {place.row} {place.kind}: {place.around}", soft_wrap=True)
    for place in review.findings:
        out.print(f"FOUND {place.row} {place.kind}: {place.around}", soft_wrap=True)
    for row in review.samples:
        out.print(f"\n{row['id']} {row['topic']}", soft_wrap=True)
        for name in ("prompt", "chosen", "rejected", "completion", "messages"):
            for message in row.get(name, ()):
                text = f"{message['content']} {message.get('tool_calls', '')}"[:_SAMPLE]
                out.print(f"  {name} {message['role']}: {text}", soft_wrap=True)


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "nothing"
