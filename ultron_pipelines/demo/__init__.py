"""`python -m ultron_pipelines.demo`: what `make demo` runs."""
