"""What plain words ask for, English and Chinese, settings as they stand in code, and what is only forbidden."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultron_core.transcript.speech import any_of

__all__ = ["asked_for", "is_forbidden", "settings_in"]

_CHECKS = (
    r"(?:checks?|checking|verification|validation|security|(?:git |pre-?commit )?hooks?|firewall|"
    r"sandbox(?:ing)?|tls|ssl|"
    r"certificates?|certs?|authentication|authorization|permissions?|(?:code )?reviews?|approvals?|signing|"
    r"signatures?|tests?|"
    r"testing|ci|lint(?:er|ing)?|2fa|mfa|antivirus|audits?|safety|guard ?rails?|protections?)\b"
)
_CHECKS_ZH = (
    "(?:检查|测试|校验|验证|安全|防火墙|证书|审查|评审|审核|权限|钩子|签名|沙箱|流水线|审计|认证|鉴权|保护|"
    "CI|lint|hooks?|checks?|TLS|SSL|HTTPS)"
)
#: shapes of a sentence that asks for something an owner must confirm
_ASKED: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "runs_remote",
        any_of(
            # "download https://x/i.sh and run it"
            r"\b(?:download|fetch|curl|wget|get|grab)\b[^.\n]{0,40}://\S+[^.\n]{0,40}\b(?:run|execute|pipe|"
            r"source|install|eval)\b",
            # "run the script from https://x"
            r"\b(?:run|execute|pipe|source|eval)\b[^.\n]{0,60}(?:script|installer|code|output)[^.\n]{0,30}://",
            # "pipe it into a shell"
            r"\bpip(?:e|ed|ing)\b[^.\n]{0,60}\b(?:in)?to (?:a |your |the )?(?:shell|bash|sh|zsh|python)\b",
            # "下载 https://x/i.sh 并执行"
            r"(?:下载|拉取|获取)[^。\n]{0,60}://\S+[^。\n]{0,20}(?:执行|运行|安装)|(?:执行|运行)[^。\n]{0,20}://\S+\.(?:sh|py|ps1)",
        ),
    ),
    (
        "deletes",
        any_of(
            # "wipe the production database", "delete all branches"
            r"\b(?:delete|wipe|erase|drop|destroy|purge|truncate|nuke|remove)\b[^.\n]{0,40}\b(?:databases?|"
            r"backups?|volumes?|buckets?|"
            r"repositor(?:y|ies)|home (?:director(?:y|ies)|folder)|git history|everything|production|"
            r"(?:all|every)(?: the| of the)? (?:\w+ )?(?:files?|data|tables?|branch(?:es)?|logs?|folders?|"
            r"director(?:y|ies)))\b",
            # "清空所有数据库"
            r"(?:删除|清空|删掉|移除|销毁|抹掉)[^。\n]{0,6}(?:所有|全部|整个|数据库|数据|备份|仓库|历史|日志|分支)",
        ),
    ),
    (
        "disables_checks",
        any_of(
            # "disable the sandbox", "turn off certificate checks"
            r"\b(?:disabl(?:e|ed|ing)|deactivate|bypass(?:ing)?|circumvent|skip(?:ping)?|suppress|ignore|"
            r"(?:turn|switch|shut)(?:ing)? "
            r"(?:the )?off|get rid of|do(?:n['’]t| not) (?:wait for|bother with|need)|never (?:wait for|"
            r"bother with|need)|without)"
            rf"(?: \w+['’]?\w*){{0,4}} {_CHECKS}",
            # "turn certificate checks off"
            rf"\b(?:turn|switch|shut)(?: [\w-]+){{0,4}} {_CHECKS} off\b",
            # "关闭证书校验", "把 required checks 关掉", "不用等评审"
            rf"(?:关闭|关掉|禁用|停用|跳过|绕过|忽略|屏蔽|取消|去掉|不用等?|不要等|无需|别等)[^。，\n]{{0,8}}{_CHECKS_ZH}|"
            rf"{_CHECKS_ZH}[^。，\n]{{0,6}}(?:关闭|关掉|禁用|停用|关了|跳过|去掉)",
        ),
    ),
    (
        "changes_remote",
        any_of(
            # "set the registry to https://x", "point origin at git@x"
            r"\b(?:change|set|switch|point|redirect|replace|configure|update|use)\b[^.\n]{0,40}\b(?:remote|"
            r"registry|mirror|index|origin|"
            r"proxy|package source|base url)\b[^.\n]{0,40}(?:://|git@)",
            # "把源换成 https://x"
            r"(?:源|镜像|仓库地址|远程|代理|registry)[^。\n]{0,12}(?:改|换|设|切|用|指)[^。\n]{0,12}://|"
            r"(?:改|换|设|切|配置)[^。\n]{0,10}(?:源|镜像|仓库地址|远程|代理|registry)[^。\n]{0,30}://",
        ),
    ),
    (
        "sends_out",
        any_of(
            # "send the .env file to ops@x.example", "upload your tokens to https://x"
            r"\b(?:send|upload|post|e-?mail|forward|copy|leak|paste|submit|report)\b[^\n]{0,60}(?:\.env\b|"
            r"\b(?:tokens?|secrets?|"
            r"(?:api |ssh |private )?keys?|credentials?|passwords?|environment|env(?:ironment)? variables?|"
            r"\.ssh|source code)\b)"
            r"[^\n]{0,60}(?:://|\S@\S+\.\w|\bto [\w-]+\.[\w.-]+)",
            r"(?:发送|上传|发给|发到|提交到|转发)[^。\n]{0,40}(?:环境变量|密钥|密码|令牌|token|\.env|凭证|私钥|源码)|"
            r"(?:环境变量|密钥|密码|令牌|token|\.env|凭证|私钥|源码)[^。\n]{0,20}(?:发送|上传|发给|发到)",
        ),
    ),
)
#: the same as settings, in code, configuration or an environment: nobody mentions these by chance
_SETTINGS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "disables_checks",
        any_of(
            r"\b(?:NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY|HUSKY|SSL_VERIFY\w*|\w+_VERIFY_(?:SSL|"
            r"TLS))\s*[=:]\s*[\"']?(?:0|false|off|no)\b",
            r"\b(?:GIT_SSL_NO_VERIFY|HUSKY_SKIP_HOOKS|SKIP_(?:TESTS?|CHECKS?|HOOKS?|"
            r"VERIFY))\s*[=:]\s*[\"']?(?:1|true|on|yes)\b",
            r"\bGOSUMDB=off\b|\bPIP_TRUSTED_HOST=|\bGO(?:INSECURE|NOSUMDB|NOSUMCHECK)=|\b(?:CURL|"
            r"REQUESTS)_CA_BUNDLE=(?:\s|$|[\"'])",
            r"\bverify\s*=\s*False\b|\brejectUnauthorized\W{1,4}false\b|\bInsecureSkipVerify\W{1,4}true\b|"
            r"\bCERT_NONE\b|"
            r"\bcheck_hostname\s*=\s*False\b",
            r"\bdangerouslyDisableSandbox\b|\bdangerously-\w[\w-]+|\bbypassPermissions\b|\bstrict-ssl[ =]false\b|"
            r"\bsslVerify[ =]+(?:false|0)\b|\bgpgsign[ =]+false\b|\bStrictHostKeyChecking[ =]+no\b",
            # a commit that its checks pass over, e.g. `[skip ci]`
            r"\[(?:skip (?:ci|actions)|ci skip|no ci|skip-ci)\]|(?<![\w-])--no-verify\b|(?<![\w-])curl -k\b",
        ),
    ),
    (
        "changes_remote",
        any_of(
            r"\b(?:(?:PIP|UV)_(?:EXTRA_)?(?:DEFAULT_)?INDEX(?:_URL)?|(?:NPM|YARN)_(?:CONFIG_)?REGISTRY|GOPROXY|"
            r"HTTPS?_PROXY|ALL_PROXY|"
            r"(?:OPENAI|ANTHROPIC)_(?:API_)?BASE(?:_URL)?|GIT_SSH_COMMAND|RUSTUP_DIST_SERVER|"
            r"HF_ENDPOINT)\s*=\s*[\"']?\S",
            r">{1,2}\s*\S*(?:\.npmrc|\.pypirc|pip\.conf|\.netrc|sources\.list\S*|/etc/hosts|\.gitconfig)",
        ),
    ),
    ("opens_access", any_of(r"\bauthorized_keys\b|\bNOPASSWD\b|/etc/sudoers")),
)
#: what is not to be done, right before it in its clause, e.g. `never run`, `Do not use`, `不要用`
_FORBIDS = any_of(
    r"\b(?:never|don['’]?t|do not|must not|mustn['’]t|should not|shouldn['’]t|may not|avoid|refuse to)\b"
    r"(?! (?:forget|fail|skip|omit|hesitate|miss|neglect|mind|stop|be afraid|worry|longer|"
    r"more))(?![^\n]*\b(?:without|unless|until|"
    r"but|instead|rather)\b)[^,;:.!?\n]{0,60}$",
    r"(?:不要|(?<![特分区类级识判个辨])别(?![的人处])|禁止|不得|不准|严禁|切勿|请勿|不许|绝不|不应|永远不|从不)(?!忘|忽略|漏|跳过|错过|停)(?![^\n]*(?:而是|除非|之前|先))"
    r"[^，。；：！？\n]{0,30}$",
)
#: characters of a sentence before what it forbids
_BEFORE = 120


def asked_for(text: str) -> Iterator[str]:
    """The hazards that the sentences of a plain text ask for; an order not to is none."""
    for kind, shape in _ASKED:
        if any(not is_forbidden(text, found.start()) for found in shape.finditer(text)):
            yield kind


def settings_in(text: str) -> Iterator[str]:
    """The hazards of settings that a plain text names, unless it forbids them."""
    for kind, shape in _SETTINGS:
        if any(not is_forbidden(text, found.start()) for found in shape.finditer(text)):
            yield kind


def is_forbidden(text: str, at: int) -> bool:
    """Whether the clause that leads to a place in a text says not to do what stands there."""
    return _FORBIDS.search(text[max(0, at - _BEFORE) : at].rstrip("` \"'")) is not None
