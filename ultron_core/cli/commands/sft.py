"""Commands around datasets: write one, check it, compare two, ask why a segment is in or out."""

from __future__ import annotations

import sys
from pathlib import Path
from uuid import UUID

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.options import project_option
from ultron_core.cli.output import FAILED, PARTLY, console, key_values, print_json
from ultron_core.cli.progress import progress_bar
from ultron_core.settings import Settings

__all__ = ["COMMANDS"]

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command("export-sft")
@click.option("--name", help="Folder name of the dataset (default: ultron, or ultron-KIND).")
@click.option(
    "--kind",
    type=click.Choice(["sft", "preference", "outcome"]),
    default="sft",
    show_default=True,
    help="Runs that worked, pairs of a better and a worse run of one task, or runs with a verdict.",
)
@click.option("--task-type", help="Only this task type.")
@project_option("Only what was done in this project.")
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    help="Lowest overall_score, instead of ULTRON_TRAJECTORY_SFT_SCORE_THRESHOLD.",
)
@click.option("--limit", type=click.IntRange(0), help="Maximum rows, instead of ULTRON_SFT_LIMIT.")
@click.option(
    "--evidence",
    type=click.Choice(["verified", "likely", "any"]),
    help="How much must be known of a run's end (default: the setting, likely).",
)
@click.option(
    "--out",
    "out_dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write to, instead of ULTRON_EXPORTS_DIR.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def export_sft(
    settings: Settings,
    name: str | None,
    kind: str,
    task_type: str | None,
    project: str | None,
    min_score: float | None,
    limit: int | None,
    evidence: str | None,
    out_dir: Path | None,
    as_json: bool,
) -> None:
    """Write a dataset that trainers take without edits.

    Of the tasks that pass the quality gate. Exit code 2 when none does; nothing is written then.
    """
    from ultron_core.steps.given import check_task_type
    from ultron_core.steps.sft.export import ExportRequest, export_dataset

    check_task_type(task_type)
    request = ExportRequest(
        name=name,
        kind=kind,
        task_type=task_type,
        min_quality_score=min_score,
        limit=limit,
        out_dir=out_dir,
        evidence=evidence,
        project=project,
        workers=settings.sft.processes,
        refuse_empty=True,
    )
    with open_ultron(settings, reading=True) as ultron, progress_bar("exporting", quiet=as_json) as advance:
        export = export_dataset(ultron.runtime, request, lambda done: advance("", done))
    if as_json:
        print_json(export)
        return
    out = console()
    out.print(f"{export.rows} rows ({export.train_rows} train, {export.validation_rows} validation)")
    for reason, count in export.rejects.items():
        out.print(f"  left out: {count} {reason}")
    if export.unchanged:
        out.print("Nothing changed since this export:")
    out.print(str(export.path), soft_wrap=True)


@click.command("outcomes")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--source", default="", help="Who says so, where the lines do not (default: the file's name).")
@click.option(
    "--success-from", type=float, default=1.0, show_default=True, help="Lowest reward of a success."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def outcomes(settings: Settings, file: Path, source: str, success_from: float, as_json: bool) -> None:
    """Import how sessions ended.

    FILE has .jsonl or .csv lines with session, outcome (0, 1 or a reward), source, task. They override what the
    rules make of a log: a failure never ships, a success ships as verified. Exit code 3 when some lines name no
    session, or several.
    """
    from ultron_core.steps.sft.outcomes import import_outcomes

    with open_ultron(settings) as ultron:
        done = import_outcomes(ultron.runtime, file, source=source, success_from=success_from)
    if as_json:
        print_json(done)
    else:
        out = console()
        out.print(f"{done.written} outcomes, {done.successes} of them successes")
        for name in done.unknown:
            out.print(f"  no session: {name}")
        for name in done.ambiguous:
            out.print(f"  more than one session: {name}")
    if done.unknown or done.ambiguous:
        sys.exit(PARTLY)


@click.group("sft")
def sft() -> None:
    """Check, compare, review and publish datasets."""


@sft.command("verify")
@click.argument("folder", type=_FOLDER)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def verify(settings: Settings, folder: Path, as_json: bool) -> None:
    """Check a dataset folder by all rules. Needs no database; exit code 1 when it breaks one."""
    from ultron_core.sft import verify_dataset

    problems = verify_dataset(folder, tokenizer=settings.sft.tokenizer)
    if as_json:
        print_json({"problems": problems})
    else:
        out = console()
        for problem in problems:
            out.print(problem, soft_wrap=True)
        out.print(f"{len(problems)} violation(s)" if problems else "All rules hold.")
    if problems:
        sys.exit(FAILED)


@sft.command("diff")
@click.argument("old", type=_FOLDER)
@click.argument("new", type=_FOLDER)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def diff(old: Path, new: Path, as_json: bool) -> None:
    """Tell what changed between two datasets, row by row, and why. Needs no database."""
    from ultron_core.sft import diff_datasets

    found = diff_datasets(old, new)
    if as_json:
        print_json([{"id": c.id, "kind": c.kind, "cause": c.cause} for c in found.changes])
        return
    out = console()
    for (kind, cause), count in sorted(found.counts.items()):
        out.print(f"{count} {kind}: {cause}")
    for change in found.changes:
        out.print(f"  {change.id} {change.kind}: {change.cause}", soft_wrap=True)
    if not found.changes:
        out.print("No row differs.")


@sft.command("explain")
@click.argument("segment", type=click.UUID)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def explain(settings: Settings, segment: UUID, as_json: bool) -> None:
    """Tell why a task is, or is not, in the dataset.

    Its scores, what is known of its end, what was put right. SEGMENT is the task's id: it stands in
    rejects.parquet of a dataset, and in the address of the task's page in `ultron serve`.
    """
    from ultron_core.steps.sft.explain import explain_segment

    with open_ultron(settings, reading=True) as ultron:
        told = explain_segment(ultron.runtime, segment)
    if as_json:
        print_json(told)
    else:
        console().print(key_values("", dict(told)))


@sft.command("review")
@click.argument("folder", type=_FOLDER)
@click.option("--samples", type=click.IntRange(0), default=3, show_default=True, help="Rows of each project.")
@click.option("--all", "everything", is_flag=True, help="Print every replacement, not 20 of each project.")
@click.option("--confirm", "confirm_it", is_flag=True, help="I have looked: this content may be published.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def review(
    settings: Settings, folder: Path, samples: int, everything: bool, confirm_it: bool, as_json: bool
) -> None:
    """Show what was replaced, what scanners find, and samples.

    Project by project. --confirm says that you have looked: `ultron sft publish` asks for it.
    """
    from ultron_core.cli.commands.sft_review import show_review
    from ultron_core.sft.files.read import load_manifest
    from ultron_core.sft.publish.review import confirm, review_dataset
    from ultron_core.steps.sft.projects import projects_of

    content = load_manifest(folder)["content_hash"]
    with open_ultron(settings) as ultron:
        known = projects_of(ultron.runtime, content)
        now = ultron.runtime.clock()
    found = review_dataset(folder, known, samples=samples)
    if as_json:
        print_json(found)
    else:
        show_review(found, settings.sft, everything=everything)
    if confirm_it:
        confirm(settings.reviews_dir, found, now)
        if not as_json:
            console().print(f"Confirmed for content {found.content_hash[:8]}.")


@sft.command("publish")
@click.argument("folder", type=_FOLDER)
@click.option(
    "--to", "target", required=True, help="A folder, or a URL that fsspec knows: s3://, hf://datasets/..."
)
@click.option("--dry-run", is_flag=True, help="Say what would be copied; copy nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def publish(settings: Settings, folder: Path, target: str, dry_run: bool, as_json: bool) -> None:
    """Copy a reviewed dataset to a folder, bucket or hub.

    Only what `ultron sft review --confirm` was run on, with this very content.
    """
    from ultron_core.sft.publish.upload import publish_dataset

    done = publish_dataset(
        folder, target, settings.reviews_dir, dry_run=dry_run, tokenizer=settings.sft.tokenizer
    )
    if as_json:
        print_json(done)
        return
    out = console()
    for name, size in done.files.items():
        out.print(f"  {size:>12,} {name}")
    told = "Was there already" if done.unchanged else "Would be published" if dry_run else "Published"
    out.print(f"{told}: {done.place}", soft_wrap=True)


COMMANDS = [export_sft, outcomes, sft]
