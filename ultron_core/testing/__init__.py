"""Stand-ins for tests of code that uses Ultron: a model, an embedder, session files. No network, no download."""

from ultron_core.testing.embedder import FakeEmbedder
from ultron_core.testing.llm import FakeCall, FakeLLM
from ultron_core.testing.sessions import session_lines

__all__ = ["FakeCall", "FakeEmbedder", "FakeLLM", "session_lines"]
