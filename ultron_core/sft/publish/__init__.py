"""A dataset on its way out: what a person must see before, and the upload; `review` comes first, then `upload`."""
