"""What a run loads before it can work, loaded: imported by the process that runs are forked from.

A stage reads its networks, dictionaries and fits when it first needs them, 3.5 s of CPU in all. A run that is forked
from a process that has them shares them, memory included.
"""

import gc
import json
import logging

from ultron_core.embeddings.local import local_embedder
from ultron_core.labels import label_segment
from ultron_core.redaction import default_redactor
from ultron_core.search.terms import lexical_terms
from ultron_core.segments import segment_messages
from ultron_core.sessions import parse_session

__all__ = ["load_models"]

#: every stage asks something of its models for it: a name, a second request, a cause, both languages
_SESSION = (
    ("user", "Please ask John Smith why app.py fails."),
    (
        "assistant",
        "Root cause: `app.py` fails because the port 8080 was taken by `nginx`. 我把端口改成了 8081。",
    ),
    ("user", "谢谢。现在请王小明给登录页面写一个测试。"),
    ("assistant", "The test is in tests/test_login.py."),
)


def load_models() -> None:
    """Take a small session through the stages: that loads what they load. Nothing is stored."""
    lines = (json.dumps({"role": role, "content": text}) for role, text in _SESSION)
    messages = parse_session("\n".join(lines).encode()).messages
    segment_messages(messages)
    label_segment(messages)  # finds what is to be remembered of it, too
    texts = [text for _, text in _SESSION]
    default_redactor().redact_texts(texts)
    local_embedder().embed(texts)
    for text in texts:
        lexical_terms(text)
    gc.collect()
    gc.freeze()  # a collection in a forked run would touch, and so copy, all that it shares


try:
    load_models()
except Exception:
    # the process that all runs are forked from must live: a run that needs the model says what is wrong
    logging.getLogger(__name__).exception("The models were not loaded; each run tries again by itself.")
