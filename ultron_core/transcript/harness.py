"""What harnesses print around tool results, as data by harness; nothing else in the stages names a harness.

These lines are written by programs, always the same way, so they are exact where general words would guess.
A new harness adds its lines here and its file layout in sessions/formats.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

__all__ = [
    "ASKED_BELOW",
    "COMPACTION_PROMPTS",
    "EDIT_REFUSED",
    "HARNESS_COMMAND_ARGUMENTS",
    "HARNESS_COMMAND_NAMES",
    "HARNESS_FAILURES",
    "HARNESS_GUIDES",
    "HARNESS_NOISE",
    "HARNESS_NOTICES",
    "HARNESS_OUTPUT",
    "HARNESS_REMINDERS",
    "HARNESS_SHELL_END",
    "HARNESS_SUCCESS",
    "HARNESS_TAGS",
    "INTERRUPTED",
    "LIMIT_REACHED",
    "MODEL_BREAKS",
    "NOTHING_RUN",
    "PLAN_CALLS",
    "PUT_IN",
    "joined",
]


def joined(table: Mapping[str, str], flags: int = re.MULTILINE) -> re.Pattern[str]:
    """One pattern that matches where the line of any harness does."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in table.values()), flags)


#: the result failed, in the harness's own words
HARNESS_FAILURES: Mapping[str, str] = MappingProxyType(
    {
        # "The LLM did not conform to the edit format." / "# Fix any errors below, if possible."
        "aider": r"^The LLM did not conform to the edit format|^# Fix any errors below|^>>>>> Some Tests Failed",
        # "Your proposed edit has introduced new syntax error(s)." / "Your edit was not applied"
        "swe_agent": r"^Your (?:proposed )?edit\b.{0,80}\b(?:error|not)\b",
        # "<tool_use_error>File has not been read yet.</tool_use_error>"
        "claude_code": r"<tool_use_error>",
        # "Command exited with code 1" / "Command aborted"
        "pi": r"^Command (?:exited with code [1-9]\d*|aborted)$",
        # "I don't understand your input. \nIf you want to execute code, please use <execute> ..."
        "mint": r"\AI don't understand your input\.",
    }
)
#: a whole row in the place of a result that says that nothing was run: no result
NOTHING_RUN: Mapping[str, str] = MappingProxyType(
    {
        # "There is no code from the last 1 message for me to execute. Group chat manager should let ..."
        "autogen": r"\A\s*There is no code from the last \d+ messages? for me to execute\b",
        # "Aider v0.35.1-dev\nModels: gpt-4 ...", at its end "Only 4 reflections allowed, stopping."
        "aider": r"\A\s*Aider v\d\S*\s+Models?:|\A\s*Only \d+ reflections allowed, stopping\.?\s*\Z",
        # not made, as another call beside it failed: "<tool_use_error>Sibling tool call errored</tool_use_error>"
        "claude_code": r"\A\s*(?:<tool_use_error>)?Sibling tool call errored\b",
    }
)
#: the result worked, in the harness's own words
HARNESS_SUCCESS: Mapping[str, str] = MappingProxyType(
    {
        # "Applied edit to astropy/wcs/wcs.py"
        "aider": r"^Applied edit\b",
        # "exitcode: 0 (execution succeeded)"
        "autogen": r"\bexitcode: 0\b",
    }
)
#: no person writes these lines: a user row that has one is tool output
HARNESS_OUTPUT: Mapping[str, str] = MappingProxyType(
    {
        # "exitcode: 1 (execution failed)\nCode output: ..."
        "autogen": r"exitcode:",
        # "(Open file: /repo/a.py)\n(Current directory: /repo)\nbash-$"
        "swe_agent": r"\(Current directory:",
    }
)
#: an edit was refused because its old text is not in the file
EDIT_REFUSED: Mapping[str, str] = MappingProxyType(
    {
        # "SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in astropy/wcs/wcs.py"
        "aider": r"failed to (?:exactly )?match",
        # "error: patch failed: setup.py:3" / "error: patch does not apply" / "Hunk #2 FAILED at 41."
        "git, patch": r"^error: patch (?:failed|does not apply)|^Hunk #\d+ FAILED",
    }
)
#: lines that frame the output and say nothing about it
HARNESS_SHELL_END: Mapping[str, str] = MappingProxyType(
    {
        # what the shell of an editor prints after each command: "zsh:1: command not found: dump_zsh_state"
        "cursor": r"^\w{2,4}:(?:\d+:)? command not found: dump_\w+_state\s*$",
    }
)
HARNESS_NOISE: Mapping[str, str] = MappingProxyType(
    {
        # "[sympy__sympy__1.1] [sympy__sympy-13177] Command: conda run ..." / "Subprocess args: ..."
        "aider": r"^[^\S\n]*(?:Subprocess args|\[[^\]]+\] \[[^\]]+\] (?:Subprocess|Command))"
        # "Test Script: conda run -n sympy bin/test -C --verbose sympy/matrices/tests/test_x.py;"
        r"|^(?:Allow edits to|Applied edit)\b|^[^\S\n]*Test Script:",
        # "** (CompileError) lib/a.ex: cannot compile module A (errors have been logged)"
        "mix": r"\(errors have been logged\)$",
        # "Chunk ID: 8fa2" / "Wall time: 0.2 seconds" / "Original token count: 16"
        "codex": r"^(?:Chunk ID|Wall time|Original token count|Total output lines):",
        # pip: "error: subprocess-exited-with-error ... See above for error"
        "pip": r"See above for error",
    }
)
#: name and arguments in that echo
HARNESS_COMMAND_NAMES: Mapping[str, str] = MappingProxyType(
    {
        # "<command-name>/pr-review</command-name>"
        "claude_code": r"<command-name>/?([^<]+)</command-name>",
    }
)
HARNESS_COMMAND_ARGUMENTS: Mapping[str, str] = MappingProxyType(
    {
        # "<command-args>150</command-args>"
        "claude_code": r"<command-args>([^<]+)</command-args>",
    }
)
#: a whole user row that the harness wrote in the person's place, without a mark of its own
HARNESS_NOTICES: Mapping[str, str] = MappingProxyType(
    {
        # "Read the output file to retrieve the result: /tmp/tasks/b0be39e.output"
        # "Full transcript available at: /tmp/tasks/aa67793.output"
        "claude_code": r"\A\s*(?:Read the output file to retrieve the result|Full transcript available at): \S+\s*\Z",
        # "@agent Enable: \"Enable Claude Opus 4.5 (Preview) for all clients\"", "@agent 重试"
        # "[Terminal 7a918d53 notification: command completed with exit code 0. Use send_to_terminal to send another
        # command or kill_terminal to stop it.]\nTerminal output: ..."
        "copilot": r"\A\s*@agent (?:(?:Enable|Continue|Retry|Try Again)\b|启用|继续|重试).*\Z"
        r"|\A\s*\[Terminal \S+ notification: [\s\S]*\Z",
        # the button below a plan: "Implement the plan as specified, it is attached for your reference. Do NOT edit
        # the plan file itself. ... Don't stop until you have completed all the to-dos."
        "cursor": r"\A\s*Implement the plan as specified, it is attached for your reference\.[\s\S]{0,400}"
        r"completed all the to-dos\.\s*\Z",
        # what opens its talks: "This is the Gemini CLI. We are setting up the context for our chat. Today's date is",
        # what it says for the person ("System: Please continue."), and what a command of theirs printed: "I ran the
        # following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\n...\n```"
        "gemini_cli": r"\A\s*This is the Gemini CLI\. We are setting up the context for our chat\.[\s\S]*\Z"
        r"|\A\s*System: Please continue\.\s*\Z"
        r"|\A\s*I ran the following shell command:\s*```sh\n(?:(?!```)[\s\S])*```\s+"
        r"This produced the following result:\s*```\n[\s\S]*```\s*\Z",
    }
)
#: the guide of a slash command by its layout: what the command had gathered, then what to do with it
HARNESS_GUIDES: Mapping[str, str] = MappingProxyType(
    {
        # "## Context\n\n- Current git status: ...\n\n## Your task\n\nExamine the changes."
        "claude_code": r"\A#{1,3} Context$[\s\S]*?^#{1,3} Your task$",
    }
)
#: what the harness adds to the content of a file that a tool shows: no word of the file
HARNESS_REMINDERS: Mapping[str, str] = MappingProxyType(
    {
        # "<system-reminder>\nWhenever you read a file, you should consider whether it looks malicious. ..."
        "claude_code": r"<system-reminder>[\s\S]*?(?:</system-reminder>|\Z)",
    }
)
#: what an editor writes above the request of a person
ASKED_BELOW: Mapping[str, str] = MappingProxyType(
    {
        # "# Context from my IDE setup:\n\n## Open tabs:\n- a.py: a.py\n\n## My request for Codex:\nfix it"
        "codex": r"\A\s*# Context from my IDE setup:.*?^## My request for Codex:[^\S\n]*\n",
    }
)
#: what it writes into the request or below it
PUT_IN: Mapping[str, str] = MappingProxyType(
    {
        # "[Image #1] the page is empty"
        "claude_code": r"\[Image #\d+\]|<bash-input>[^<]*</bash-input>",
        # "what will it cost\n\n<current_datetime>2025-12-02T05:21:29.475Z</current_datetime>"
        "copilot_cli": r"<current_datetime>[^<]*</current_datetime>",
        # "read it\nCurrent File Path:\n```md\na.md\n```\n\nUser Selected Files:\n- a.md"
        "gemini_code_assist": r"^Current File Path:\n```.*\Z",
        # "@C:\\Users\\ann\\.qwen\\tmp\\clipboard\\clipboard-1774962902279.png"
        "qwen": r"@\S*clipboard-\S+\.png",
    }
)
#: how the prompt begins with which a harness has a thread summed up that grew too long
COMPACTION_PROMPTS: Mapping[str, str] = MappingProxyType(
    {
        # "Your task is to create a detailed summary of the conversation so far, paying close attention to ..."
        "claude_code": r"\A\s*Your task is to create a detailed summary of the conversation so far\b",
    }
)
#: markup around the message of a failed call
HARNESS_TAGS: Mapping[str, str] = MappingProxyType({"claude_code": r"</?(?:tool_use_error|error)>"})
#: the harness ended the run, in words of its own
LIMIT_REACHED: Mapping[str, str] = MappingProxyType(
    {
        # "Only 4 reflections allowed, stopping."
        "aider": r"\bonly \d+ \w+ allowed, stopping\b",
        # "You've hit your limit · resets 6pm", "Session limit reached ∙ resets 11pm", "You're out of extra usage · ..."
        "claude_code": r"\A(?:You've hit your (?:\w+ )?limit|You're out of extra usage|(?:\w+ ){1,3}limit reached)\b",
        # "exit_status: exit_cost (submission kept)"
        "swe_agent": r"\bexit_(?:cost|context|format|error)\b",
    }
)
#: a person stopped the agent at work
INTERRUPTED: Mapping[str, str] = MappingProxyType(
    {
        # "[Request interrupted by user]"
        "claude_code": r"\A\s*\[Request interrupted by user",
        # "<turn_aborted>\nThe user interrupted the previous turn on purpose. ..."
        "codex": r"\A\s*<turn_aborted>",
    }
)
#: the model behind the agent broke off: a whole answer that the harness wrote in its place
MODEL_BREAKS: Mapping[str, str] = MappingProxyType(
    {
        # "API Error: 500 {\"type\":\"error\",\"error\":{\"type\":\"api_error\", ...}}"
        "claude_code": r"\AAPI Error(?:: | \(|\b.{0,40}:)",
        # "Sorry, your request failed. Please try again."
        "copilot": r"\ASorry, (?:your request failed|the response hit the length limit|no response was returned)",
    }
)
#: tools with which an agent keeps its own list of what is to be done, of Claude Code and Droid, Codex, Cursor and Qwen,
#: Gemini, Copilot, Roo, Kimi
PLAN_CALLS = frozenset(
    (
        *(
            "TodoWrite",
            "TodoRead",
            "TaskCreate",
            "TaskUpdate",
            "TaskList",
            "TaskGet",
            "update_plan",
            "todo_write",
        ),
        *("write_todos", "manage_todo_list", "update_todo_list", "SetTodoList"),
    )
)
