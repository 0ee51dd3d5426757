"""Memories -> knowledge clusters: assignment, topics, readiness. Pure decisions."""

from ultron_core.clusters.assign import assign_online
from ultron_core.clusters.readiness import ready_to_crystallize, ready_to_recrystallize
from ultron_core.clusters.topics import name_topics

__all__ = ["assign_online", "name_topics", "ready_to_crystallize", "ready_to_recrystallize"]
