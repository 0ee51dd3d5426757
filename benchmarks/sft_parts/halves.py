"""What ships when the ends of a random half of the runs are imported: no failure, every success that can be a row."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sft_parts.segments import Cut, as_candidate

from ultron_core.models import QualityLabel
from ultron_core.sft import Built, Candidate, Reject

#: reasons that say that a run is no row of its own: duplicates, length; the shape rules are all others
_NOT_SHAPE = frozenset({"exact_duplicate", "near_duplicate", "too_long"})


def halves(
    runs: Sequence[tuple[Cut, QualityLabel]], build: Callable[[Sequence[Candidate | Reject]], Built]
) -> Mapping[str, Any]:
    """Counts over the runs; `half` of them, drawn by a hash of the file, have an imported outcome."""
    known = {f"{cut.number:06d}": bool(cut.gold["success"]) for cut, _ in runs if _drawn(cut)}
    ends = {f"{cut.number:06d}": bool(cut.gold["success"]) for cut, _ in runs}
    done = build([as_candidate(cut, label, known=known.get(f"{cut.number:06d}")) for cut, label in runs])
    shipped = {row.id: row.evidence for row in (run for built in done.rows for run in built.sides)}
    lost = Counter(reject.reason for reject in done.rejects if known.get(reject.segment_id))
    verified = [ends[run] for run, evidence in shipped.items() if evidence == "verified" and run not in known]
    right = [run for run, success in known.items() if success]
    return {
        "n": len(runs),
        "half": len(known),
        "failures_shipped": sum(run in shipped for run, success in known.items() if not success),
        "successes": len(right),
        "successes_verified": sum(shipped.get(run) == "verified" for run in right),
        "lost_as_duplicate_or_too_long": sum(lost[reason] for reason in _NOT_SHAPE),
        "lost_to_shape": {reason: count for reason, count in lost.items() if reason not in _NOT_SHAPE},
        "verified_by_rules": len(verified),
        "verified_by_rules_right": sum(verified),
    }


def _drawn(cut: Cut) -> bool:
    return hashlib.sha256(f"{cut.source}/{cut.file}".encode()).digest()[0] < 128
