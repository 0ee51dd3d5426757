"""Messages -> task segments: windows and a model, or a learned offline segmenter; fingerprint; reconcile.

segments = segment_messages(messages)                  # offline
segments = segment_messages(messages, llm)             # with a model
plan = reconcile(stored, segments)                     # which rows stay, go, come
"""

from ultron_core.segments.fingerprint import fingerprint_messages
from ultron_core.segments.offline.cut import SEGMENTER_VERSION
from ultron_core.segments.reconcile import Inserted, Reconciliation, StoredSegment, reconcile
from ultron_core.segments.segmenter import WINDOW, segment_messages, segment_sessions, segment_thread

__all__ = [
    "SEGMENTER_VERSION",
    "WINDOW",
    "Inserted",
    "Reconciliation",
    "StoredSegment",
    "fingerprint_messages",
    "reconcile",
    "segment_messages",
    "segment_sessions",
    "segment_thread",
]
