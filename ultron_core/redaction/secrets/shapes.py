"""The published formats of keys, one line each: what a placeholder calls them, their literal start, the rest.

Each shape starts with a literal; bounds and possessive repeats keep every match linear. Formats are those that the
vendors publish for secret scanning; a vendor that is missing is one more line.
"""

from __future__ import annotations

__all__ = ["INFIX_SHAPES", "SHAPES", "URL_SHAPES"]

_W = r"[A-Za-z0-9_-]"
_A = r"[A-Za-z0-9]"
_L = r"[a-z0-9]"
_HEX = r"[0-9a-fA-F]"
_UUID = rf"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"
_C = "REDACTED_CREDENTIAL"

#: (entity, literal starts, rest of the shape)
SHAPES: tuple[tuple[str, str, str], ...] = (
    # model vendors: OpenAI, Anthropic, OpenRouter, DashScope, DeepSeek and others that use sk-
    ("LLM_API_KEY", "sk-", rf"(?:proj|svcacct|admin|None|ant|or|lf|litellm|user|org){_W}{{0,12}}-{_W}{{16,240}}"),
    ("LLM_API_KEY", "sk-", rf"{_W}{{19,200}}{_A}"),
    ("LLM_API_KEY", "gsk_", rf"{_A}{{40,80}}"),
    ("LLM_API_KEY", "xai-", rf"{_A}{{40,120}}"),
    ("LLM_API_KEY", "pplx-", rf"{_A}{{32,80}}"),
    ("LLM_API_KEY", "nvapi-", rf"{_W}{{40,120}}"),
    ("LLM_API_KEY", "r8_", rf"{_A}{{30,60}}"),
    ("LLM_API_KEY", "hf_", rf"{_A}{{30,60}}"),
    ("LLM_API_KEY", "api_org_", rf"{_A}{{30,60}}"),
    ("LLM_API_KEY", "AIza", rf"{_W}{{35}}"),
    ("LLM_API_KEY", "fw_", rf"{_A}{{22,40}}"),
    ("LLM_API_KEY", "tvly-", rf"{_W}{{20,60}}"),
    ("LLM_API_KEY", "lsv2_pt_|lsv2_sk_", rf"{_HEX}{{32}}_{_HEX}{{10}}"),
    ("LLM_API_KEY", "cpk_|jina_|tgp_v1_|voyage-|pa-", rf"{_W}{{40,120}}"),
    ("LLM_API_KEY", "wandb_v1_", r"[A-Za-z0-9_]{22,120}"),
    ("LLM_API_KEY", "bedrock-api-key-", r"[A-Za-z0-9+/=_-]{20,2000}"),
    ("LLM_API_KEY", "csk-", rf"{_L}{{40,60}}"),
    ("LLM_API_KEY", "llx-|rpa_|pplx_|m0-", rf"{_A}{{36,60}}"),
    ("LLM_API_KEY", "sk_", rf"{_HEX}{{48}}"),
    ("LLM_API_KEY", "e2b_", rf"{_HEX}{{40}}"),
    ("LLM_API_KEY", "fc-", rf"{_HEX}{{32}}"),
    ("LLM_API_KEY", "crsr_|key_", rf"{_HEX}{{64}}"),
    ("LLM_API_KEY", "vck_|vcp_|vci_|vca_|vcr_", rf"{_A}{{24,80}}"),
    ("LLM_API_KEY", "BSA", rf"{_W}{{26,30}}"),
    ("LLM_API_KEY", "AQ.", rf"{_W}{{40,80}}"),
    ("LLM_API_KEY", "ark-", _UUID),
    ("LLM_API_KEY", "as-|ak-", rf"{_A}{{22}}"),
    ("LLM_API_KEY", "bce-v3/ALTAK-", rf"{_A}{{20,24}}/{_HEX}{{40}}"),
    # our own access keys: `access/keys.py`
    ("ULTRON_KEY", "ult_", rf"[0-9a-f]{{12}}_{_W}{{43}}"),
    # code hosting
    ("GITHUB_TOKEN", "ghp_|gho_|ghu_|ghs_|ghr_", rf"{_A}{{36,255}}"),
    ("GITHUB_TOKEN", "github_pat_", r"[A-Za-z0-9_]{22,255}"),
    (_C, "glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glsoat-|glagent-|gloas-|glimt-|glffct-", rf"{_W}{{20,300}}(?:\.[0-9a-z.]{{2,20}})?"),  # noqa: E501
    (_C, "GR1348941", rf"{_W}{{20,40}}"),
    (_C, "ATATT3|ATCTT3", r"[A-Za-z0-9_=-]{40,300}"),
    (_C, "ATBB|ATOA", rf"{_A}{{24,40}}"),
    (_C, "sgp_|sgp_local_|slk_", rf"(?:{_HEX}{{16}}_|local_)?{_HEX}{{40,64}}"),
    # clouds
    ("AWS_ACCESS_KEY", "AKIA|ASIA|ABIA|ACCA|AIDA|AROA|AGPA|AIPA|ANPA|ANVA", r"[A-Z0-9]{16}"),
    ("AWS_ACCESS_KEY", "A3T", r"[A-Z0-9]{17}"),
    ("AWS_ACCESS_KEY", "ABSK", r"[A-Za-z0-9+/]{100,400}={0,2}"),
    (_C, "LTAI", rf"{_A}{{12,30}}"),
    (_C, "AKID", rf"{_A}{{32}}"),
    (_C, "AKLT", rf"{_A}{{20,60}}"),
    (_C, "GOCSPX-", rf"{_W}{{28}}"),
    ("REDACTED_TOKEN", "ya29.", rf"{_W}{{20,1000}}"),
    ("REDACTED_TOKEN", "1//0", rf"{_W}{{30,120}}"),
    (_C, "dop_v1_|doo_v1_|dor_v1_", rf"{_A}{{64}}"),
    (_C, "dapi", r"[0-9a-h]{32}(?:-\d)?"),
    (_C, "HRKU-", rf"{_W}{{36,80}}"),
    (_C, "fo1_", rf"{_W}{{43}}"),
    (_C, "fm1r_|fm1a_|fm2_", r"[A-Za-z0-9+/]{100,2000}={0,3}(?:,fm\d[ar]?_[A-Za-z0-9+/]{100,2000}={0,3}){0,8}"),
    (_C, "FlyV1 ", r"fm\d[ar]?_[A-Za-z0-9+/=,_-]{40,4000}"),
    (_C, "hvs.|hvb.|hvr.", rf"{_W}{{24,400}}"),
    (_C, "dp.pt.|dp.st.|dp.sa.|dp.ct.|dp.scim.|dp.audit.", rf"(?:[a-z0-9_-]{{2,35}}\.)?{_W}{{40,80}}"),
    (_C, "sbp_", rf"{_HEX}{{40}}"),
    (_C, "pul-", rf"{_HEX}{{40}}"),
    (_C, "v1.0-", rf"{_HEX}{{24}}-{_HEX}{{146}}"),
    (_C, "tfp_", r"[A-Za-z0-9_.=-]{59,80}"),
    (_C, "p8e-", rf"{_A}{{32}}"),
    (_C, "s-s4t2ud-|s-s4t2af-", rf"{_HEX}{{64}}"),
    (_C, "dt0c01.|dt0s01.|dt0s02.", rf"{_A}{{24}}\.{_A}{{64}}"),
    (_C, "4b1d", rf"{_A}{{38}}"),
    (_C, "pscale_pw_|pscale_tkn_|pscale_oauth_", r"[A-Za-z0-9_.=-]{32,64}"),
    (_C, "pnu_|pnb_", rf"{_L}{{36}}"),
    (_C, "ico-", rf"{_A}{{32}}"),
    (_C, "sha256~", rf"{_W}{{43}}"),
    (_C, "AVNS_", rf"{_W}{{18,30}}"),
    (_C, "oy2", r"[a-z0-9]{43}"),
    (_C, "nfp_|nfc_|nfo_|nfu_|nfb_|nfk_", rf"{_A}{{36}}"),
    (_C, "rnd_", rf"{_A}{{28,40}}"),
    (_C, "tskey-", r"[a-z]{2,10}-[A-Za-z0-9]{6,20}(?:CNTRL)?-[A-Za-z0-9]{16,60}"),
    (_C, "tr_dev_|tr_prod_", rf"{_A}{{20,60}}"),
    (_C, "re_", rf"{_A}{{8,12}}_{_A}{{22,28}}"),
    (_C, "IQoJb3JpZ2lu|FwoGZXIvYXdz", r"[A-Za-z0-9+/]{100,2000}={0,2}"),
    (_C, "GOOG1E|GOOG", r"(?:[A-Z0-9]{57}|[A-Z0-9]{20})"),
    (_C, "AQVN", rf"{_W}{{35,40}}"),
    (_C, "y0_|4/0A", rf"{_W}{{35,120}}"),
    (_C, "cfut_|cfat_|cfk_|jsrp_|rw_", rf"{_A}{{36,60}}"),
    (_C, "napi_", rf"{_L}{{60,70}}"),
    (_C, "npg_", rf"{_A}{{10,20}}"),
    (_C, "sb_secret_", rf"{_W}{{20,60}}"),
    (_C, "mdb_sa_sk_|dbtc_|dbtu_", rf"{_W}{{30,60}}"),
    (_C, "CCDB1_", rf"{_A}{{22}}_{_A}{{40}}"),
    (_C, "AstraCS:", rf"{_A}{{24}}:{_HEX}{{64}}"),
    (_C, "dose|EXO", rf"(?:{_HEX}{{32}}|{_HEX}{{24}})"),
    (_C, "s.", rf"{_A}{{24}}"),
    (_C, "0.", rf"{_UUID}\.{_A}{{30}}:[A-Za-z0-9+/]{{22}}={{0,2}}"),
    (_C, "st.", rf"[0-9a-f-]{{20,40}}\.{_HEX}{{32}}\.{_HEX}{{32}}"),
    (_C, "SWMTKN-1-", rf"{_L}{{40,60}}-{_L}{{20,30}}"),
    (_C, "K10", rf"{_HEX}{{64}}::[a-z]{{4,8}}:{_A}{{8,64}}"),
    (_C, "sdk-|xaat-|xapt-|pat-na1-|pat-eu1-|ovsxat_", _UUID),
    (_C, "hcaik_|hcxik_|hcalk_|hcxlk_|hcbik_|hcblk_", rf"{_L}{{50,64}}"),
    (_C, "signkey-prod-|signkey-test-|signkey-branch-", rf"{_HEX}{{32,64}}"),
    # wallets: BIP 32, Nostr (NIP-19)
    (_C, "xprv|yprv|zprv|tprv", rf"{_A}{{95,112}}"),
    (_C, "nsec1", rf"{_L}{{58}}"),
    # chat, payment, mail
    (_C, "xoxa-|xoxb-|xoxe-|xoxo-|xoxp-|xoxr-|xoxs-|xoxc-|xoxd-|xoxe.", r"(?:xox[a-z]-)?[A-Za-z0-9_%-]{10,350}"),
    (_C, "xapp-", rf"\d-{_W}{{20,200}}"),
    (_C, "sk_live_|sk_test_|sk_prod_|rk_live_|rk_test_|rk_prod_|pk_live_", rf"{_A}{{10,250}}"),
    (_C, "whsec_", r"[A-Za-z0-9+/]{24,90}={0,2}"),
    (_C, "sq0atp-|sq0csp-|sq0idp-", rf"{_W}{{22,60}}"),
    (_C, "EAAA", r"[A-Za-z0-9_+=-]{60}"),
    (_C, "EAACEdEose0cBA|EAAM|EAAC", rf"{_A}{{10,300}}"),
    (_C, "shpat_|shpca_|shppa_|shpss_|shptka_|shpua_", rf"{_HEX}{{32}}"),
    (_C, "SG.", r"[A-Za-z0-9_=-]{16,24}\.[A-Za-z0-9_=.-]{39,60}"),
    (_C, "SK", rf"{_HEX}{{32}}"),
    (_C, "AC", r"[0-9a-f]{32}"),
    (_C, "key-|pubkey-", rf"{_HEX}{{32}}"),
    (_C, "xkeysib-|xsmtpsib-", rf"{_HEX}{{64}}-{_A}{{16}}"),
    (_C, "pdl_live_apikey_|pdl_sdbx_apikey_", r"[a-z0-9]{26}_[A-Za-z0-9_]{20,40}"),
    (_C, "rzp_live_|rzp_test_", rf"{_A}{{14,30}}"),
    (_C, "EAA", rf"{_A}{{80,400}}"),
    (_C, "WARNING:-DO-NOT-SHARE-THIS.", r"[^\s\"'`]{60,2000}"),
    (_C, "vk1.a.", rf"{_W}{{80,400}}"),
    (_C, "oauth:", rf"{_L}{{30}}"),
    (_C, "AAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{60,200}"),
    (_C, "WPL_AP1.|WPL_AP0.", r"[A-Za-z0-9.]{10,40}={0,2}"),
    (_C, "00D", rf"{_A}{{12,15}}![A-Za-z0-9._-]{{50,200}}"),
    (_C, "access_token$", rf"(?:production|sandbox)\${_L}{{16}}\${_HEX}{{32}}"),
    (_C, "KEY0", r"[0-9A-F]{30,32}_[A-Za-z0-9]{20,24}"),
    (_C, "EZAK|EZTK", rf"{_A}{{54}}"),
    (_C, "FLWSECK_TEST-|FLWSECK-|FLWPUBK_TEST-|FLWPUBK-", rf"{_L}{{12,32}}(?:-X)?"),
    (_C, "shippo_live_|shippo_test_", rf"{_HEX}{{40}}"),
    (_C, "duffel_test_|duffel_live_", r"[A-Za-z0-9_=-]{43}"),
    (_C, "access-sandbox-|access-development-|access-production-", _UUID),
    (_C, "live_pub_|test_pub_", rf"{_HEX}{{31}}"),
    (_C, "live_|test_", rf"{_HEX}{{35}}"),
    (_C, "sm_aat_|sm_pat_|sm_sat_", rf"{_A}{{16}}"),
    (_C, "fio-u-", r"[A-Za-z0-9_=-]{64}"),
    (_C, "AQE", r"[A-Za-z0-9+/_-]{80,200}\.[A-Za-z0-9]{10,40}"),
    # package registries and developer tools
    (_C, "npm_", rf"{_A}{{36}}"),
    (_C, "cio", rf"{_A}{{32}}"),
    (_C, "pk_", r"\d{6,10}_[A-Z0-9]{32}"),
    (_C, "ATTA", rf"{_HEX}{{64}}"),
    (_C, "CCIPRJ_", rf"{_A}{{22}}_{_HEX}{{40}}"),
    (_C, "sec-c-", r"[A-Za-z0-9+/=_-]{30,60}"),
    (_C, "BBDC-", r"[A-Za-z0-9+/@_-]{40,50}"),
    (_C, "pypi-", rf"Ag{_W}{{50,1000}}"),
    (_C, "rubygems_", rf"{_HEX}{{48}}"),
    (_C, "CLOJARS_|clojars_", rf"{_A}{{60}}"),
    (_C, "dckr_pat_|dckr_oat_", rf"{_W}{{20,60}}"),
    (_C, "lin_api_|lin_oauth_", rf"{_A}{{32,64}}"),
    (_C, "ntn_", rf"{_A}{{40,60}}"),
    (_C, "secret_", rf"{_A}{{43}}"),
    (_C, "figd_|figu_", rf"{_W}{{35,60}}"),
    (_C, "glsa_", rf"{_A}{{32}}_{_HEX}{{8}}"),
    (_C, "glc_", r"[A-Za-z0-9+/]{32,400}={0,2}"),
    (_C, "eyJrIjoi", r"[A-Za-z0-9+/]{60,400}={0,3}"),
    (_C, "sntrys_|sntryu_", r"[A-Za-z0-9+/=_]{40,400}"),
    (_C, "PMAK-", rf"{_HEX}{{24}}-{_HEX}{{34}}"),
    (_C, "NRAK-|NRII-|NRJS-|NRBR-|NRRA-|NRIQ-", r"[A-Za-z0-9_-]{19,42}"),
    (_C, "pcsk_", rf"{_W}{{40,120}}"),
    (_C, "phx_|phc_", rf"{_A}{{40,60}}"),
    (_C, "AGE-SECRET-KEY-1", r"[0-9A-Z]{58}"),
    (_C, "ops_eyJ", r"[A-Za-z0-9+/_-]{200,4000}={0,3}"),
    (_C, "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}"),
    (_C, "dnkey-", r"[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    (_C, "pat.|sat.", rf"{_W}{{22}}\.{_A}{{24}}\.{_A}{{20}}"),
    (_C, "squ_|sqp_|sqa_", rf"{_A}{{40}}"),
    (_C, "patk|pat", rf"{_A}{{14}}\.{_HEX}{{64}}"),
    (_C, "rdme_", rf"{_L}{{70}}"),
    (_C, "API-", r"[A-Z0-9]{25,27}"),
    (_C, "tk-us-|tk-eu-", rf"{_W}{{48}}"),
    (_C, "AKCp", rf"{_A}{{69}}"),
    (_C, "cmVmd", rf"{_A}{{59}}"),
    (_C, "sl.", r"[A-Za-z0-9_=-]{120,1400}"),
    (_C, "pk.eyJ|sk.eyJ|pk.|sk.|tk.eyJ|p.eyJ", rf"{_W}{{50,400}}\.{_W}{{18,50}}"),
    (_C, "CFPAT-", rf"{_W}{{43}}"),
    (_C, "ccipat_", rf"{_W}{{20,80}}"),
    (_C, "bkua_|bkct_", rf"{_HEX}{{40}}"),
    (_C, "dG9rO", r"[A-Za-z0-9+/]{30,100}={0,2}"),
    (_C, "sc_|ext_|scauth_|authress_", r"[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}"),  # noqa: E501
    # JSON web tokens, their signature may be missing
    ("REDACTED_TOKEN", "eyJ|ZXlK", rf"{_W}{{8,4000}}+\.(?:eyJ|ZXlK){_W}{{8,8000}}+(?:\.{_W}{{0,2000}}+)?={{0,2}}"),
    ("REDACTED_TOKEN", "eyJ", rf"{_W}{{8,4000}}+\.{_W}{{0,400}}\.{_W}{{12,400}}\.{_W}{{16,8000}}\.{_W}{{16,60}}"),
    ("REDACTED_TOKEN", "ZXlK", r"[A-Za-z0-9+/_-]{100,8000}={0,2}"),
)  # fmt: skip

#: (before, literal, after): the fixed part is inside; it is found first, as it is rare
INFIX_SHAPES: tuple[tuple[str, str, str], ...] = (
    (r"[A-Za-z0-9_~.-]{3}\d", "Q~", r"[A-Za-z0-9_~.-]{31,34}"),  # Azure, a client's secret
    (rf"{_A}{{76}}", "AZDO", rf"{_A}{{4}}"),  # Azure DevOps
    (rf"{_A}{{52}}", "JQQJ99", rf"{_A}{{20,30}}"),  # Azure AI services
    (r"[A-Za-z0-9+/]{32,76}", r"(?:\+ABa|\+AMC|\+ACR|\+ASt|AzSe|AzFu|ACDb|AIoT|ASbs|AEhS)", r"[A-Za-z0-9+/]{5,6}={0,2}"),  # identifiable keys of Azure  # noqa: E501
    (rf"{_A}{{14}}", r"\.atlasv1\.", rf"{_W}{{60,70}}"),  # Terraform Cloud
    (r"[0-9a-f]{32}", "-us", r"\d{1,2}"),  # Mailchimp
    (r"\d{5,17}", ":A", rf"(?=\S{{0,33}}[a-z])(?=\S{{0,33}}\d){_W}{{34}}"),  # Telegram
    (rf"[12]/\d{{12,17}}|{_UUID}", ":", rf"{_HEX}{{32}}"),  # Asana, fal
    (r"[0-9a-f]{32}", "-", r"[0-9a-f]{8}-[0-9a-f]{8}"),  # Mailgun
    (r"[0-9a-f]{32}", r"\.", rf"(?=\w{{0,15}}\d){_A}{{16}}"),  # Zhipu
    (r"[a-z]{3,7}:[a-z]{2,12}-[a-z]{2,12}-\d{1,4}", r"\|", r"[A-Za-z0-9+/=_-]{40,2000}"),  # Convex
)  # fmt: skip

#: (literal, rest): addresses that let anyone post who knows them; the path behind the host goes
URL_SHAPES: tuple[tuple[str, str], ...] = (
    ("hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,100}"),
    ("discord.com/api/", r"(?:v\d{1,2}/)?webhooks/\d{15,22}/[A-Za-z0-9_-]{20,100}"),
    ("discordapp.com/api/", r"(?:v\d{1,2}/)?webhooks/\d{15,22}/[A-Za-z0-9_-]{20,100}"),
    ("qyapi.weixin.qq.com/cgi-bin/webhook/", r"send\?key=[A-Za-z0-9-]{16,60}"),
    ("open.feishu.cn/open-apis/bot/", r"(?:v2/)?hook/[A-Za-z0-9-]{16,60}"),
    ("open.larksuite.com/open-apis/bot/", r"(?:v2/)?hook/[A-Za-z0-9-]{16,60}"),
    ("oapi.dingtalk.com/robot/", r"send\?access_token=[A-Za-z0-9]{16,80}"),
    (".webhook.office.com/", rf"webhookb2/{_UUID}@{_UUID}/IncomingWebhook/[A-Za-z0-9]{{20,40}}/{_UUID}(?:/[\w-]{{1,80}})?"),  # noqa: E501
    ("outlook.office.com/", rf"webhook/{_UUID}@{_UUID}/IncomingWebhook/[A-Za-z0-9]{{20,40}}/{_UUID}"),
    ("hooks.zapier.com/hooks/", r"catch/\d{3,12}/[A-Za-z0-9]{5,20}"),
    ("maker.ifttt.com/trigger/", r"[\w-]{1,60}/(?:json/)?with/key/[A-Za-z0-9_-]{15,60}"),
    ("chat.googleapis.com/v1/", r"spaces/[A-Za-z0-9_-]{5,40}/messages\?key=[A-Za-z0-9_&=%.-]{20,200}"),
    ("api.softlayer.com/", r"(?:soap|xmlrpc|rest)/v3(?:\.1)?/[A-Za-z0-9]{64}"),
    ("pushover.net/api/", r"1/[A-Za-z0-9/_-]{20,80}"),
    ("/bot", rf"\d{{5,17}}:{_W}{{35}}(?!{_W})"),  # Telegram, at api.telegram.org or a server of one's own
    ("sctapi.ftqq.com/", r"[A-Za-z0-9]{20,60}\.send"),
    ("api.day.app/", r"[A-Za-z0-9]{18,30}(?=[/?\s\"']|$)"),
)  # fmt: skip
