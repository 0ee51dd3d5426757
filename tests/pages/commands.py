"""The commands that a page shows, and a shell that runs them in a home like a reader's."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: what a block of commands begins with; other blocks show output or a tree
_COMMAND = re.compile(r"^(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?(?:ultron|make|export)\b")
#: how a command that was ended by Ctrl-C tells it
ENDED = {0, 130}
#: what a person says in a log of the example project: the public ones hold no rule of theirs
_RULE = "Always run `mix test` before you push, or the build of the main branch breaks."
#: a log of two days ago is quiet
_AGE_SECONDS = 2 * 86_400


def blocks(page, language=""):
    """The fenced blocks of one language, without their fences."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [block for name, block in fenced if name == language]


def commands(page):
    """Each command in the page's order, without the remark behind it."""
    lines = [line for block in blocks(page) if _COMMAND.match(block) for line in block.splitlines()]
    return [" ".join(shlex.split(line, comments=True, posix=False)) for line in lines if line.strip()]


@dataclass
class Reader:
    """Somebody with logs of Claude Code and Codex who types into a shell; `export` lasts, as there."""

    folder: Path
    filled_in: dict = field(default_factory=dict)
    exports: list = field(default_factory=list)

    @property
    def home(self):
        return self.folder / "home"

    @property
    def place(self):
        """A clone, as far as the commands see it. Its name makes it the folder of the example project."""
        return self.folder / "spotter"

    @property
    def env(self):
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        return {**kept, "HOME": str(self.home)}

    def settle(self):
        examples = ROOT / "examples" / "sessions"
        for source, target in (
            ("claude-code", ".claude/projects/-home-dev-spotter"),
            ("codex", ".codex/sessions"),
            ("airline-support", "logs"),
        ):
            shutil.copytree(examples / source, self.home / target)
        self._lay_down(_RULE)
        then = time.time() - _AGE_SECONDS
        for log in (path for path in self.home.rglob("*") if path.is_file()):
            os.utime(log, (then, then))
        self.place.mkdir()
        for name in (".venv", ".tools", "Makefile", "pyproject.toml", "uv.lock"):
            (self.place / name).symlink_to(ROOT / name)

    def _lay_down(self, rule):
        """A log of Claude Code in which a person says a rule."""
        said = (("user", rule), ("assistant", [{"type": "text", "text": "Understood, I will."}]))
        rows = [
            {
                "type": role,
                "uuid": f"u{number}",
                "parentUuid": f"u{number - 1}" if number else None,
                "sessionId": "7d0f3c52-6d2e-4f57-9a8e-2f1f0f6a9b11",
                "cwd": "/home/dev/spotter",
                "version": "2.0.14",
                "timestamp": f"2026-03-02T09:00:0{number}Z",
                "message": {"role": role, "content": content},
            }
            for number, (role, content) in enumerate(said)
        ]
        log = self.home / ".claude/projects/-home-dev-spotter/rule.jsonl"
        log.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def type(self, command):
        """Run one line; gives the exit code and what was printed."""
        line = self.fill(command)
        if line.startswith("export "):
            self.exports.append(line)
        done = self.shell(line)
        return done.returncode, done.stdout + done.stderr

    def shell(self, line):
        return subprocess.run(
            ["bash", "-c", "\n".join([*self.exports, line])],
            cwd=self.place, env=self.env, capture_output=True, text=True, timeout=300,
        )  # fmt: skip

    def fill(self, command):
        for placeholder, value in self.filled_in.items():
            if placeholder in command:
                command = command.replace(placeholder, value() if callable(value) else value)
        return command

    def first_memory(self):
        """What `ID` stands for on a page: the first characters of a memory that the logs give."""
        found = self.shell(".venv/bin/ultron search 'what to do before a push' --json").stdout
        return json.loads(found)[0]["record"]["id"][:8]

    def type_and_leave(self, command, until, seconds=120):
        """Run a line that goes on until Ctrl-C, which is pressed once `until()` holds; gives the exit code."""
        log = self.folder / "printed"
        with log.open("w") as printed:
            process = subprocess.Popen(
                ["bash", "-c", "\n".join([*self.exports, f"exec {self.fill(command)}"])],
                cwd=self.place, env=self.env, stdout=printed, stderr=printed, start_new_session=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )  # fmt: skip
        try:
            end = time.monotonic() + seconds
            while not until(log.read_text("utf-8")):
                assert process.poll() is None and time.monotonic() < end, log.read_text("utf-8")
                time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            return process.wait(60)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
