"""Language models: the protocol, token counts, and the client of OpenAI-compatible endpoints."""

from ultron_core.llm.ledger import AnswerCache, CallLedger, LLMCall
from ultron_core.llm.protocol import LLM, Answer
from ultron_core.llm.tokens import count_tokens

__all__ = ["LLM", "Answer", "AnswerCache", "CallLedger", "LLMCall", "count_tokens"]
