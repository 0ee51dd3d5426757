"""Memories -> knowledge clusters: assignment, merge and split, topics, readiness. Pure decisions."""

from ultron_core.clusters.assign import assign_online, unit_rows
from ultron_core.clusters.readiness import ready_to_crystallize, ready_to_recrystallize
from ultron_core.clusters.reshape import LEAST_SPLIT, Merge, Split, find_merges, find_split, settle
from ultron_core.clusters.topics import ask_topic, name_topics

__all__ = [
    "LEAST_SPLIT",
    "Merge",
    "Split",
    "ask_topic",
    "assign_online",
    "find_merges",
    "find_split",
    "name_topics",
    "ready_to_crystallize",
    "ready_to_recrystallize",
    "settle",
    "unit_rows",
]
