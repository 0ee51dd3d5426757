"""Compose file, manifests, values and instance files: valid by their schemas, and true of this project."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from dagster._config import process_config
from dagster._core.instance.config import dagster_instance_config

from ultron_core.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
MANIFESTS = [
    pytest.param(manifest, id=f"{path.stem}-{manifest['kind']}-{manifest['metadata']['name']}")
    for path in sorted((DEPLOY / "kubernetes" / "manifests").glob("*.yaml"))
    for manifest in yaml.safe_load_all(path.read_text("utf-8"))
]


def test_the_compose_file_passes_the_schema():
    compose = DEPLOY / "compose" / "compose.yaml"
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", compose]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_a_manifest_passes_the_schema(manifest):
    kubernetes_validate.validate(manifest, "1.33", strict=True)


def test_the_manifests_are_what_a_cluster_needs():
    kinds = [p.values[0]["kind"] for p in MANIFESTS]
    assert kinds.count("Deployment") == 3 and kinds.count("Service") == 2


def instance_files():
    held = next(p.values[0] for p in MANIFESTS if "dagster.yaml" in p.values[0].get("data", {}))
    yield pytest.param(held["data"]["dagster.yaml"], id="kubernetes")
    yield pytest.param((DEPLOY / "celery" / "dagster.yaml").read_text("utf-8"), id="celery")
    yield pytest.param((ROOT / "dagster.yaml").read_text("utf-8"), id="one machine")


@pytest.mark.parametrize("text", list(instance_files()))
def test_an_instance_file_is_one_that_dagster_takes(text, tmp_path, monkeypatch):
    monkeypatch.setenv("ULTRON_COMPUTE_LOGS_BUCKET", "logs")
    monkeypatch.setenv("ULTRON_NAMESPACE", "ultron")
    (tmp_path / "dagster.yaml").write_text(text)
    config, _ = dagster_instance_config(str(tmp_path))
    for part in ("run_launcher", "compute_logs"):
        if part in config:
            told = config[part]
            made = getattr(importlib.import_module(told["module"]), told["class"])
            result = process_config(made.config_type(), told["config"])
            assert result.success, result.errors


def test_every_variable_of_the_files_is_one_that_is_read():
    known = {name for _, names, *_ in Settings().describe() for name in names}
    # of `docs/deployment.md`, of deploy/ itself, and of the compose file's own password
    known |= {"ULTRON_DAGSTER_SQLALCHEMY_URL", "ULTRON_AUTOSTART", "ULTRON_COMPUTE_LOGS_BUCKET"}
    known |= {"ULTRON_NAMESPACE", "ULTRON_DB_PASSWORD"}
    used = {
        name
        for path in DEPLOY.rglob("*")
        if path.is_file()
        for name in re.findall(r"\bULTRON_[A-Z_]*[A-Z]", path.read_text("utf-8"))
    }
    assert used - known == set()


def test_the_helm_values_name_what_the_manifests_name():
    """The chart's own schema is not kept here; what both ways share must not drift apart."""
    values = yaml.safe_load((DEPLOY / "kubernetes" / "values.yaml").read_text("utf-8"))
    (deployment,) = values["dagster-user-deployments"]["deployments"]
    told = {one["name"]: one["value"] for one in deployment["env"]}
    data = next(
        p.values[0]["data"] for p in MANIFESTS if p.values[0]["metadata"]["name"] == "ultron-environment"
    )
    assert told.items() <= data.items()
    assert deployment["codeServerArgs"][1] == "ultron_pipelines.definitions"
    assert values["runLauncher"]["type"] == "K8sRunLauncher"
