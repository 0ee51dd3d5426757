"""What runs Dagster on this machine: `ultron dev`, its processes, and where runs and events are kept."""
