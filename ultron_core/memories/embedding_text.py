"""What is embedded for a memory."""

from __future__ import annotations

from ultron_core.models import MemoryType

__all__ = ["MAX_CHARS", "embedding_text"]

#: an average over tokens says less the longer the text; measured texts were windows of about 600 characters
MAX_CHARS = 1500
#: characters of each part, in order of what a search is most often about
_SHARES = (("content", 800), ("resolution", 400), ("context", 300))


def embedding_text(memory_type: MemoryType, content: str, context: str, resolution: str) -> str:
    """Content, resolution and context in at most MAX_CHARS characters; the same input gives the same text.

    Room that a short field leaves goes to the fields after it, and what is then left to the content. The
    type is not written into the text: memories are compared within one type, where a common prefix would
    only lift every cosine above the calibrated scale.
    """
    texts = {"content": content, "resolution": resolution, "context": context}
    texts = {name: " ".join(text.split()) for name, text in texts.items()}
    room: dict[str, int] = {}
    spare = 0
    for name, share in _SHARES:
        room[name] = min(len(texts[name]), share + spare)
        spare = share + spare - room[name]
    room["content"] = min(len(texts["content"]), room["content"] + max(spare - 2, 0))
    return "\n".join(texts[name][: room[name]] for name, _ in _SHARES if texts[name])[:MAX_CHARS]
