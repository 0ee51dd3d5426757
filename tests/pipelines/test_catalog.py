"""What the catalogue says of the assets is true: columns exist, pages and modules too, windows fit the schedules."""

import sys
from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest

from ultron_core.errors import SettingsError
from ultron_core.settings import RunSettings, Settings
from ultron_pipelines.build import build_defs
from ultron_pipelines.catalog import column_schemas

ROOT = Path(__file__).resolve().parents[2]


def specs(settings):
    found = build_defs(settings).resolve_all_asset_specs()
    return {spec.key.to_user_string(): spec for spec in found}


def test_the_columns_are_those_of_the_tables(database):
    with database.connection() as conn:
        rows = conn.execute(
            "SELECT table_name, column_name, udt_name FROM information_schema.columns "
            "WHERE table_schema = 'ultron'"
        ).fetchall()
    stored = {("ultron." + r["table_name"], r["column_name"], r["udt_name"]) for r in rows}
    told = {(table, c.name, c.type) for table, schema in column_schemas().values() for c in schema.columns}
    assert told - stored == set()
    assert all(c.description for _, schema in column_schemas().values() for c in schema.columns)


def test_every_asset_of_a_table_tells_its_columns():
    shown = {n for n, spec in specs(Settings()).items() if "dagster/column_schema" in spec.metadata}
    assert shown == set(specs(Settings())) - {"pipeline_summary"}


def test_docs_and_code_are_there():
    for name, spec in specs(Settings()).items():
        assert (ROOT / spec.metadata["docs"]).is_file(), name
        for reference in spec.metadata["dagster/code_references"].code_references:
            assert Path(reference.file_path).is_file(), name


def test_with_an_address_they_are_links():
    settings = Settings(runs=RunSettings(code_url="https://git.example/ultron/blob/main/"))
    spec = specs(settings)["sft_dataset"]
    assert spec.metadata["docs"] == dg.MetadataValue.url("https://git.example/ultron/blob/main/docs/sft.md")
    urls = {reference.url for reference in spec.metadata["dagster/code_references"].code_references}
    assert "https://git.example/ultron/blob/main/ultron_core/steps/sft/export.py" in urls


def test_owners_are_those_of_the_setting():
    settings = Settings(runs=RunSettings(owners="team:data, ann@example.org"))
    assert {tuple(spec.owners) for spec in specs(settings).values()} == {("team:data", "ann@example.org")}


@pytest.mark.parametrize("hours", [0.1, 1, 24])
def test_a_summary_is_late_after_two_intervals_and_overdue_after_four(hours):
    policy = specs(Settings(runs=RunSettings(checks_interval_hours=hours)))[
        "pipeline_summary"
    ].freshness_policy
    assert policy == dg.FreshnessPolicy.time_window(
        fail_window=timedelta(hours=4 * hours), warn_window=timedelta(hours=2 * hours)
    )


def test_every_asset_has_a_freshness_policy():
    assert all(spec.freshness_policy is not None for spec in specs(Settings()).values())


def test_the_executor_is_the_one_of_the_setting():
    for name, made in (("in_process", dg.in_process_executor), ("multiprocess", dg.multiprocess_executor)):
        assert build_defs(Settings(runs=RunSettings(executor=name))).executor is made


def test_an_executor_whose_package_is_missing_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dagster_celery", None)
    with pytest.raises(SettingsError, match=r"pip install 'ultron-memory\[celery\]'"):
        build_defs(Settings(runs=RunSettings(executor="celery")))
