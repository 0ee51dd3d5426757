"""Failures that stay open: kept when others meet them too, with what their output says to do."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.errors.episodes import find_episodes
from ultron_core.lessons.errors.failed_calls import unsolved_drafts
from ultron_core.transcript.actions import read_actions

DEPLOY = (
    bash("fly deploy"),
    "error: the app is not linked, permission denied\nRun `fly link --app NAME` first.",
)
LOGIN = (bash("fly login"), "Cannot open a browser here. Please provide --token flag")


def unsolved(*turns):
    messages = talk(("user", "deploy the shop"), *turns)
    return unsolved_drafts(messages, find_episodes(messages, read_actions(messages)), "shop")


def test_the_remedy_that_the_output_names():
    (draft,) = unsolved(DEPLOY)
    assert draft.resolution == "Its output says what to do: Run `fly link --app NAME` first."
    assert [item.quote for item in draft.evidence][-1] == "Run `fly link --app NAME` first."


def test_another_command_of_the_same_program_does_not_stand_for_the_first():
    assert ["fly deploy" in d.content for d in unsolved(DEPLOY, LOGIN)] == [True, False]


def test_what_worked_later_is_not_open():
    assert unsolved(LOGIN, (bash("fly login --token abc"), "successfully logged in")) == []


def test_a_failure_without_a_remedy_or_a_reason_is_told_only_when_it_came_again():
    refused = (bash("fly status"), "error: permission denied for this organisation")
    assert unsolved(refused) == []
    reason = ("assistant", "It failed because the organisation does not permit tokens of this kind.")
    assert len(unsolved(refused, reason)) == 1
    vague = (bash("fly status"), "error: permission denied, please run `fly --help` for more details")
    assert unsolved(vague) == []
    (draft,) = unsolved(refused, refused, refused)
    assert "3" in draft.content and draft.resolution
