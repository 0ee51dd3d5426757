"""The Dagster side of Ultron: thin assets, sensors and schedules that call `ultron_core`.

partitions.py   one dynamic partition a session file
resources.py    the open `Ultron` that ops and sensors use
assets/         session_files -> segments -> quality_labels -> extracted_memories -> tiers, clusters, sft
checks.py       what must hold of the stored rows
automation.py   when partitions are worked on
jobs.py         ingest, pending work, rebalance, export
sensors.py      the drop folder, and work that waits
schedules.py    rebalance, export, daily checks
build.py        all of it as one Definitions, with overrides for tests
definitions.py  what Dagster loads
"""

import warnings

# backfill policies and automation sensors are marked beta in the Dagster that is locked; said once in the docs,
# not on every start
warnings.filterwarnings("ignore", message=".*currently in beta.*")
warnings.filterwarnings("ignore", message=".*currently in preview.*")
