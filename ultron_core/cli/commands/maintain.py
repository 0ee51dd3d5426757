"""Commands that change or export what is stored."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.output import console, key_values, print_json, table
from ultron_core.cli.progress import progress_bar
from ultron_core.settings import Settings
from ultron_core.steps.stages.table import STAGES

__all__ = ["COMMANDS"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def rebalance(settings: Settings, as_json: bool) -> None:
    """Sort memories into HOT, WARM and COLD by use.

    COLD ones without a hit for ULTRON_COLD_TTL_DAYS and claims that no session said again for ULTRON_CLAIMED_DAYS
    are archived. `ultron dev` does this by itself.
    """
    with open_ultron(settings) as ultron:
        report = ultron.run_tier_rebalance()
    if as_json:
        print_json(report)
    else:
        console().print(key_values("", asdict(report)))


@click.command()
@click.option(
    "--stage",
    required=True,
    type=click.Choice([stage.option for stage in STAGES]),
    help="What to do again.",
)
@click.option(
    "--made-by",
    default=None,
    help="Only what this version made, e.g. offline (all without a model), offline:11, or model:NAME.",
)
@click.pass_obj
def reprocess(settings: Settings, stage: str, made_by: str | None) -> None:
    """Mark what a stage made, to be made again.

    After a new model or version; `ultron process` then does the work. Memories that are extracted again keep their
    id and hits.
    """
    from ultron_core.steps.stages.reprocess import reprocess as reprocess_stage

    with open_ultron(settings) as ultron:
        count = reprocess_stage(ultron.runtime, stage, made_by)
    console().print(
        f"{count} rows marked for reprocessing. Run `ultron process`, or leave it to `ultron dev`."
    )


@click.command()
@click.pass_obj
def retry(settings: Settings) -> None:
    """Free rows that used up their attempts. `ultron process` then tries them again."""
    from ultron_core.steps.stages.reprocess import retry as retry_exhausted

    with open_ultron(settings) as ultron:
        count = retry_exhausted(ultron.runtime)
    console().print(f"{count} rows will be tried again. Run `ultron process`, or leave it to `ultron dev`.")


@click.command()
@click.argument("decision_id")
@click.pass_obj
def unmerge(settings: Settings, decision_id: str) -> None:
    """Undo a merge: DECISION_ID is printed by `ultron show`."""
    with open_ultron(settings) as ultron:
        record = ultron.unmerge(decision_id)
    console().print(f"Restored as a separate memory: {record.id}")


@click.command("confirm")
@click.argument("memory_id")
@click.pass_obj
def confirm(settings: Settings, memory_id: str) -> None:
    """Say that a memory holds as it stands: agents are told it like what a person said, also where it was held.

    MEMORY_ID may be its first characters. Other words need another verdict.
    """
    from ultron_core.steps.names import find_memory

    with open_ultron(settings) as ultron:
        full_id = find_memory(ultron.runtime, memory_id)
        ultron.confirm_memory(full_id)
    console().print("Confirmed.")


@click.command()
@click.option("--replay", "replaying", is_flag=True, help="Redact stored rows again.")
@click.option(
    "--again",
    is_flag=True,
    help="With --replay: include rows that this version of the rules has already seen.",
)
@click.option(
    "--preview",
    "previewed",
    type=click.Path(path_type=Path),
    help="Show each replacement in a file or folder; nothing is stored.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def redact(settings: Settings, replaying: bool, again: bool, previewed: Path | None, as_json: bool) -> None:
    """Apply the redaction rules to stored rows, or preview them.

    A replay that was stopped resumes where it left off.
    """
    if replaying == (previewed is not None):
        raise click.UsageError("Give either --replay or --preview PATH.")
    if previewed is not None:
        _show_preview(settings, previewed, as_json)
    else:
        _replay(settings, again, as_json)


def _show_preview(settings: Settings, path: Path, as_json: bool) -> None:
    from ultron_core.cli.preview import preview
    from ultron_core.redaction import PresidioRedactor

    found = list(preview(path, PresidioRedactor(settings.redaction.word_list)))
    if as_json:
        print_json([asdict(one) for one in found])
        return
    rows = [(f"{Path(one.file).name}:{one.line}", one.entity, one.before, one.after) for one in found]
    console().print(table("", ["line", "entity", "before", "after"], rows))
    console().print(f"{len(found)} replacements. Nothing was stored.")


def _replay(settings: Settings, again: bool, as_json: bool) -> None:
    from ultron_core.steps.upkeep.redact import replay

    with open_ultron(settings) as ultron, progress_bar("redacting", quiet=as_json) as advance:
        result = replay(ultron.runtime, again=again, progress=advance)
    if as_json:
        print_json(result)
        return
    out = console()
    rows = [(place, count, result.changed[place]) for place, count in result.read.items()]
    out.print(table(f"Rules of version {result.version}", ["table", "#read", "#changed"], rows))
    if result.changed["memories"]:
        out.print(
            "Changed memories are embedded and indexed again; `ultron process` does what is still pending."
        )
    if result.exports:
        out.print("Datasets exported with older rules; export them again with `ultron export-sft`:")
        for path in result.exports:
            out.print(f"  {path}", soft_wrap=True)


COMMANDS = [redact, rebalance, reprocess, retry, unmerge, confirm]
