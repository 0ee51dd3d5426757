"""Secrets and shaped personal data: what goes, what stays, and how fast."""

from __future__ import annotations

import json

import pytest

from ultron_core.redaction import find_secrets, redact_patterns

# put together here, so that no scanner takes this file for a leak
ALNUM = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0bD5fG7hJ9k"
OPENAI = "sk-" + "proj-" + ALNUM + "_" + ALNUM[:20]
DASHSCOPE = "sk-" + "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
ANTHROPIC = "sk-" + "ant-api03-" + ALNUM + "-" + ALNUM
GITHUB = "ghp" + "_" + ALNUM[:36]
AWS_ID = "AKIA" + "J3Q7ZKXW2M5RT6YB"
AWS_SECRET = "wJa7rXUt/FEMI+K7MDENG/bPxRfi" + "CYzQ8LmN0pQr"
SLACK = "xox" + "b-1234567890-" + ALNUM[:24]
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0NSJ9." + ALNUM
PEM = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + (ALNUM + "\n") * 6 + "-----END RSA " + "PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"export OPENAI_API_KEY={OPENAI}", "export OPENAI_API_KEY=<LLM_API_KEY>"),
        (f"密钥是{DASHSCOPE}，请保密", "密钥是<LLM_API_KEY>，请保密"),
        (f'{{"k": "{ANTHROPIC}"}}', '{"k": "<LLM_API_KEY>"}'),
        (f"git clone https://{GITHUB}@github.com/o/r", "git clone https://<GITHUB_TOKEN>@github.com/o/r"),
        (f"id {AWS_ID}", "id <AWS_ACCESS_KEY>"),
        (f"AWS_SECRET_ACCESS_KEY={AWS_SECRET}", "AWS_SECRET_ACCESS_KEY=<REDACTED_CREDENTIAL>"),
        (f"slack={SLACK}", "slack=<REDACTED_CREDENTIAL>"),
        (f"Authorization: Bearer {JWT}", "Authorization: Bearer <REDACTED_TOKEN>"),
        ("Authorization: Basic YWxpY2U6aHVudGVyMg==", "Authorization: Basic <REDACTED_TOKEN>"),
        (f"key:\n{PEM}\nend", "key:\n<REDACTED_CREDENTIAL>\nend"),
        (PEM.partition("\n")[2] + "\nend", "<REDACTED_CREDENTIAL>\nend"),
        ("x\\n" + PEM.partition("\n")[2].replace("\n", "\\n") + "\\ny", "x\\n<REDACTED_CREDENTIAL>\\ny"),
        (PEM.partition("\n")[2] + f"\nx\n{PEM}", "<REDACTED_CREDENTIAL>\nx\n<REDACTED_CREDENTIAL_2>"),
        ("postgres://app:s3cr3tPw@db:5432/x", "postgres://app:<REDACTED_CREDENTIAL>@db:5432/x"),
        ("DB_PASSWORD=hunter", "DB_PASSWORD=<REDACTED_CREDENTIAL>"),
        ('password = "correcthorse9"', 'password = "<REDACTED_CREDENTIAL>"'),
        ("数据库密码：Tr0ub4dor&3。", "数据库密码：<REDACTED_CREDENTIAL>。"),
        ("mysql --password hunter2x9 -u root", "mysql --password <REDACTED_CREDENTIAL> -u root"),
        # a command that begins a sentence of a memory
        ("Mysql -u root -p'rkq4mvt2wz' shop", "Mysql -u root -p'<REDACTED_CREDENTIAL>' shop"),
        ("Curl -u admin:rkq4mvt2wz https://x.io", "Curl -u admin:<REDACTED_CREDENTIAL> https://x.io"),
    ],
)
def test_a_secret_goes_and_what_is_around_it_stays(text, expected):
    assert redact_patterns(text).text == expected
    assert find_secrets(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("邮箱zhao@example.com联系", "邮箱<EMAIL_ADDRESS>联系"),
        ("手机13857124680联系", "手机<PHONE_NUMBER>联系"),
        ("call me on +41 (0)96 471 07 95", "call me on <PHONE_NUMBER>"),
        ("IP是10.20.30.40", "IP是<IP_ADDRESS>"),
        ("from 3b20:9a3a:1b2f:7ce:9ef1:4787:85fc:261e", "from <IP_ADDRESS>"),
        ("卡号4111111111111111", "卡号<CREDIT_CARD>"),
        ("pay to GB82 WEST 1234 5698 7654 32", "pay to <IBAN_CODE>"),
        ("SSN: 308-63-0237", "SSN: <US_SSN>"),
        ("身份证号码11010519491231002X。", "身份证号码<CN_ID>。"),
        ("run 16907998-e101-473c-8fff-2a72a8718e8e", "run <UUID>"),
        ("cd /home/alice/x && ls /Users/bob/y", "cd /home/<USER>/x && ls /Users/<USER_2>/y"),
        ("C:\\Users\\alice\\x", "C:\\Users\\<USER>\\x"),
        ("/var/folders/ab/c1234567890/T/x", "/var/folders/<PATH>/T/x"),
    ],
)
def test_personal_data_goes_also_beside_chinese(text, expected):
    assert redact_patterns(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "<<<<<<< ORIGINAL\n@app.route('/hello')",
        "drwxr-xr-x   2 root root 4096 Apr 18  2022 home",
        "deadbeef\n::before {",
    ],
)
def test_what_stands_on_two_lines_or_is_a_date_stays(text):
    assert redact_patterns(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "at 1700000000123 ms, 1700000000 s, 1700000000123456 us",
        "version 10.12.14.16 and v1.2.3.4 on 127.0.0.1 and 0.0.0.0",
        "/rootfs /root/x and basic usage of the Basic plan",
        "max_tokens: 4096, password_field = form.password, token = get_token()",
        "api_key = os.environ['KEY']; password: ${DB_PASSWORD}; api_key=<YOUR_API_KEY>",
        "sk-learn-contrib, sk-xxxxxxxxxxxxxxxxxxxxxxxx, risk-assessment-of-2024-models",
        "2024-01-05 12:30:45.123456 lines 115-146, 400-458",
        "@app.route, user@property.setter, pip install x@1.2.3",
        "std::string a::b 12:00:00",
        "<LLM_API_KEY> and <PERSON_2> stay",
    ],
)
def test_look_alikes_stay(text):
    assert redact_patterns(text).text == text


@pytest.mark.parametrize(
    "prose",
    [
        "Mongo is started with docker run -p 27017:27017",
        "Vault login works again",
        "Twine needs mkdir -p dist",
    ],
)
def test_prose_that_begins_with_the_name_of_a_program_stays(prose):
    assert redact_patterns(prose).text == prose


def test_distinct_values_are_numbered_and_equal_values_share_a_placeholder():
    result = redact_patterns("a@b.com c@d.org a@b.com")
    assert result.text == "<EMAIL_ADDRESS> <EMAIL_ADDRESS_2> <EMAIL_ADDRESS>"
    assert [(f.start, f.end) for f in result.findings] == [(0, 7), (8, 15), (16, 23)]


def test_numbers_of_placeholders_already_in_the_text_are_not_given_again():
    assert (
        redact_patterns("<EMAIL_ADDRESS> wrote to c@d.org").text
        == "<EMAIL_ADDRESS> wrote to <EMAIL_ADDRESS_2>"
    )


def test_json_text_stays_json():
    text = json.dumps(
        {"phone": 13812345678, "m": "x\nalice@b.com", "p": "C:\\Users\\nick\\a", "密码": "hunter2x"}
    )
    read = json.loads(redact_patterns(text).text)
    assert read["phone"] == 13812345678
    assert read["m"] == "x\n<EMAIL_ADDRESS>"
    assert "nick" not in read["p"]
