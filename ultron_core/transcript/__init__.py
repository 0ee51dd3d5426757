"""What a log says, known once for all stages: language, actions, commands, failures, speech, risks."""
