"""What Dagster's pages are told of definitions: their GraphQL, answered in this process."""

import sys

from dagster._core.remote_origin import InProcessCodeLocationOrigin
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import InProcessWorkspaceLoadTarget
from dagster_graphql.test.utils import execute_dagster_graphql

#: what the code location below loads: this module's attribute
shown = None

STALE = """
query($assets: [AssetKeyInput!], $keys: [String!]) {
  assetNodes(assetKeys: $assets) { assetKey { path } staleStatusByPartition(partitions: $keys) }
}"""


def asked(definitions, instance, query, **variables):
    """The data of the answer."""
    global shown
    shown = definitions
    target = LoadableTargetOrigin(executable_path=sys.executable, module_name=__name__, attribute="shown")
    location = InProcessWorkspaceLoadTarget([InProcessCodeLocationOrigin(target, location_name="ultron")])
    with WorkspaceProcessContext(instance, location) as process:
        answer = execute_dagster_graphql(process.create_request_context(), query, variables)
    assert not answer.errors, answer.errors
    return answer.data


def stale_partitions(definitions, instance, assets, keys):
    """The stale ones of these partitions, by asset."""
    found, wanted = {}, [{"path": [asset]} for asset in assets]
    for node in asked(definitions, instance, STALE, assets=wanted, keys=list(keys))["assetNodes"]:
        told = dict(zip(keys, node["staleStatusByPartition"], strict=True))
        assert set(told.values()) <= {"FRESH", "STALE"}, (node, told)
        if stale := {key for key, status in told.items() if status == "STALE"}:
            found[node["assetKey"]["path"][-1]] = stale
    return found
