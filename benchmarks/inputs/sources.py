"""Sets of one repository or with shared tasks, which leave a fit together; and the sets that may be fitted on."""

from __future__ import annotations

#: set -> source. A set that is not named here is a source of its own
GROUPS = {
    "tau_airline_openai": "tau",
    "tau_airline_anthropic": "tau",
    "mint_code": "mint",
    "mint_alfworld": "mint",
    "intercode_sql": "intercode",
    "intercode_bash": "intercode",
    "glaive_toolcall_en": "glaive",
    "glaive_toolcall_zh": "glaive",
    # two agents on HotpotQA: they share questions
    "reflexion_hotpot_react": "hotpot",
    "fireact_hotpot": "hotpot",
}
#: sets with `success` that the success model of work is fitted on, with repository and licence
OUTCOME_SOURCES = {
    "tau_airline_openai": "sierra-research/tau-bench, MIT",
    "aider_swebench_lite": "paul-gauthier/aider-swe-bench, Apache-2.0",
    "reflexion_hotpot_react": "noahshinn/reflexion, MIT",
    "fireact_hotpot": "anchen1011/FireAct, MIT",
    "mint_code": "xingyaoww/mint-bench, Apache-2.0",
    "mint_alfworld": "xingyaoww/mint-bench, Apache-2.0",
    "intercode_sql": "princeton-nlp/intercode, MIT",
    "intercode_bash": "princeton-nlp/intercode, MIT",
}
#: sets of rated answers that the model of single answers is fitted on
ANSWER_SOURCES = {
    "dpo_pairs_en": "hiyouga/LLaMA-Factory demo data, Apache-2.0",
    "dpo_pairs_zh": "hiyouga/LLaMA-Factory demo data, Apache-2.0",
    "kto_en": "hiyouga/LLaMA-Factory demo data, Apache-2.0",
}


def group_of(name: str) -> str:
    """The source of a set."""
    return GROUPS.get(name, name)
