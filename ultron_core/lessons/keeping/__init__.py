"""Whether a draft of the rules is worth keeping: one fitted judgement over all kinds."""
