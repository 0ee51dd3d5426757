"""Vendors of models by the variable in which their key is kept. A key is never read further than that it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ultron_core.setting_models import DASHSCOPE_URL, OPENAI_URL

__all__ = ["VENDORS", "Vendor", "vendors_at_hand"]


@dataclass(frozen=True, slots=True)
class Vendor:
    """`model` is proposed, empty where there is none to propose."""

    name: str
    variable: str
    url: str
    model: str = ""


VENDORS = (
    Vendor("OpenAI", "OPENAI_API_KEY", OPENAI_URL, "gpt-5-mini"),
    Vendor("DashScope", "DASHSCOPE_API_KEY", DASHSCOPE_URL, "qwen3.6-flash"),
    Vendor("DeepSeek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1", "deepseek-v4-flash"),
    Vendor("OpenRouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
    Vendor("Mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1"),
    Vendor("Groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1"),
)


def vendors_at_hand(env: Mapping[str, str]) -> list[Vendor]:
    """Those whose key is in the environment."""
    return [vendor for vendor in VENDORS if env.get(vendor.variable, "").strip()]
