"""What an agent is reminded of: one block of text, marked as data, never longer than asked for. Pure."""

from ultron_core.recall.block import Recall, RecallItem, make_block

__all__ = ["Recall", "RecallItem", "make_block"]
