"""A server of one small machine: a context that it keeps to, and the rules of its converter of schemas."""

import json

from tests.support.model import hostile
from tests.support.model.recorded import Recorded
from tests.support.model.schema_rules import SERVERS
from tests.support.model.server import minimal_answer
from ultron_core.llm.tokens import count_tokens

#: what a chat template puts around a message, in tokens
TEMPLATE = 4


def recorded_or_sensible():
    """The recorded answer where the whole record is shown, else one by rule."""
    from tests.core.steps.stages.test_model_path import answer

    recorded = Recorded()

    def say(request):
        value = recorded.value(request)
        return answer(request) if value is None else json.dumps(value, ensure_ascii=False)

    return say


def size_of(request):
    return sum(count_tokens(message["content"]) + TEMPLATE for message in request["messages"])


class SmallServer:
    """For `ModelServer.always`: refuses what does not fit, with the words of llama-server, and cuts answers off.

    `refused` are the reasons it gave, `longest` the longest request, `calls` what was answered, `read` and `written`
    the tokens of that without what a template adds.
    """

    def __init__(self, context, answer=minimal_answer, rules="llama.cpp"):
        self.context, self._answer, self._rules = context, answer, SERVERS[rules]
        self.refused, self.calls, self.longest = [], 0, 0
        self.read, self.written = 0, 0

    def __call__(self, handler, request):
        schema = request["response_format"]["json_schema"]["schema"]
        if reason := self._rules(schema):
            return self._refuse(handler, reason)
        asked = size_of(request)
        self.longest = max(self.longest, asked)
        if asked >= self.context:
            return self._refuse(
                handler,
                f"request ({asked} tokens) exceeds the available context size ({self.context} tokens)",
            )
        self.calls += 1
        text = self._answer(request)
        room = min(self.context - asked, request.get("max_tokens", self.context))
        said = count_tokens(text)
        usage = {"prompt_tokens": asked, "completion_tokens": min(said, room)}
        self.read += asked - TEMPLATE * len(request["messages"])
        self.written += min(said, room)
        if said > room:
            return handler._send(
                200, hostile.said(text[: len(text) // 2], finish_reason="length", usage=usage)
            )
        return handler._send(200, hostile.said(text, usage=usage))

    def _refuse(self, handler, reason):
        self.refused.append(reason)
        error = {"code": 400, "message": reason, "type": "invalid_request_error"}
        return handler._send_bytes(400, json.dumps({"error": error}).encode())
