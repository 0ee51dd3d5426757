"""A kind of lesson that the tests add: the agent says what it will not do again."""

from ultron_core.models import Evidence, MemoryDraft


def find_promises(messages):
    return [
        MemoryDraft(
            message.content,
            confidence=0.7,
            evidence=(Evidence(message.start_line, message.end_line, message.content),),
        )
        for message in messages
        if "I will never again" in message.content
    ]
