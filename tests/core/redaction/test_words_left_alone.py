"""Words of native logs that are no secret and nobody's name, beside the secrets and names in their places."""

from __future__ import annotations

import pytest

from ultron_core.redaction import redact_json, redact_text, redact_texts
from ultron_core.redaction.names.languages import tongue, tongue_of

FENCE = "```"
#: look-alikes in the places where logs have them
WORDS = [
    # languages that the recogniser was not made for, at the start of a sentence, in headings, alone
    "Ahora necesito que revises el servidor. Copiar el archivo no funciona. Por favor, usa la ruta nueva.",
    "Certo. Vou rodar o lint agora.\n\n**Mudança aplicada:** Solução rápida\n- Arquivos de teste",
    "Fertig – ich habe die Verfassung übertragen.\n\nOffene Punkte\n- Alle Gates passen, Löschung je Kategorie",
    "Je vais analyser les changements. Laissez-moi d'abord lire le Schéma Prisma, Composants Métier compris.",
    "Oprav prosím chybu v testu. Přidej Nový Modul a uprav Hlavní Nastavení, ale ne Makefile.",
    "Bir hata var, lütfen düzelt. Yeni Dosya ekle ve Testleri Çalıştır.",
    "Tôi đã đọc xong tài liệu. Bây giờ để tôi cập nhật phần Kiến Trúc.",
    "Adesso controllo il file. Puoi aggiungere una Nuova Funzione? Grazie, Perfetto.",
    "Popraw ten plik i dodaj Nowy Przycisk. Uruchom Testy jeszcze raz, proszę.",
    "설정 파일을 고쳐줘. Claude Code 에서 Vercel 배포가 실패해. 확인 부탁해.",
    "Проверь сборку. Ошибка в Docker Compose, перезапусти Nginx Proxy.",
    "バージョン宣言を追加してください。Universal Standards に従う。",
    "请优化冷启动时间，把索引和白名单补齐全。",
    "Editar\tCopiar\tPegar",
    # English: headings, products, methods named after people
    "## Redesign Deployed\n\nThe redesign is deployed, see Max Retries and Kill Switch below.",
    "Process Hacker and the Rootkit DLL are both listed in the task manager.",
    "Supabase, Vercel, Jenkins, Redis and Railway are up; Claude, Haiku and Sonnet answered on Tuesday.",
    "We use Huber loss, Xavier initialization, Gumbel noise and Kirchhoff's law with the Adam optimizer.",
    "Sheets import was mentioned, Bots are running, and Messenger is next.",
    '1. Role: "You are an expert tutor"\n2. Identify root cause - timing issues',
    "Unsplash, Docuseal, Tally.so and Explorer.exe are listed there.",
    "Gemma 4 and Jina AI are listed beside Atlas Fitness.",
    # code, flags, commands, paths and identifiers
    "Run `git commit --author Craig` and `const Petra = new Lindqvist()` first.",
    f"Look:\n\n{FENCE}python\n# ask Maria Lopez about it\nname = 'Ella Snider'\n{FENCE}\n\nThen go on.",
    f'> 1. First\n>    ~~~\n>    Dear John Smith,\n>    ~~~\n{FENCE}\nExpert: "What is it?"\n{FENCE}',
    "from jose import JWTError, jwt",
    "ultron process --no-redact-secrets session7a2b --reset-password-file",
    "1Password is locked**",
    "git commit --author, git switch feature/Maria-Lopez-login, git show 4fed35983799b13019f2c3d86824c5c82fdcd8c4",
    "checkout fix/PasswordReset-2024, tag v2.0.0-rc.1, node 20.11.1, build 2024.05.17-a1b2c3",
    '<div class="btn-primary sk-loading-state key-column-a1 Card-Maria">',
    "key `Llama-3.1-8B-awq`, model claude-sonnet-4-20250514, pin: `vllm==0.11.0`",
    "[string]$SecretKey = $env:SECRET_KEY,",
    '"allow-headers": "Content-Type, Authorization",\n"nginx.ingress.kubernetes.io/allow-methods": "GET"',
    "token: string; password?: string; apiKey = process.env.API_KEY",
]
#: built up, so that no scanner takes this file for a leak
KEY = "ghp_" + "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0bD5fG7"
SECRETS = [
    (f"Usa la clave `{KEY}` en el servidor.", KEY),
    (f"{FENCE}bash\nexport GITHUB_TOKEN={KEY}\n{FENCE}", KEY),
    (f"ultron process --no-redact-secrets --token {KEY}", KEY),
    (f"1Password is locked** but {KEY}", KEY),
    ("git -c http.extraHeader='Authorization: Basic Ym9iOnMzY3IzdC1QdzktMjAyNA==' pull", "Ym9iOnMzY3Iz"),
    ("$SecretKey = 's8Kq2mQ9xT4vB7nR1'", "s8Kq2mQ9xT4vB7nR1"),
    ('"headers": ["Authorization", "Bearer s8Kq2mQ9xT4vB7nR1"]', "s8Kq2mQ9xT4vB7nR1"),
    ("Das Passwort ist `Winter-2024!xy`, bitte ändern.", "Winter-2024!xy"),
    (f"{FENCE}yaml\ndb:\n  password: hunter2-prod\n{FENCE}", "hunter2-prod"),
    ("my key `s8Kq2mQ9xT4vB7nR1`", "s8Kq2mQ9xT4vB7nR1"),
    # personal data with a shape goes from code too
    (f"{FENCE}\nAuthor: x <maria.lopez@acme.example>\n{FENCE}", "maria.lopez@acme.example"),
    ("`curl http://203.0.113.77/x`", "203.0.113.77"),
    ("`cat /home/mlopez/app/.env`", "mlopez"),
]
NAMES = [
    ("Please ask Maria Lopez about the Kill Switch.", "Maria Lopez"),
    ("Bitte frag Petra Schneider, ob die Daten stimmen.", "Petra Schneider"),
    ("Por favor, pregunta a Carlos Mendoza por el servidor.", "Carlos Mendoza"),
    (
        "Ich habe es geprüft und es ist fertig.\n\nThe review of Maria Lopez is in, and she wants the tests.",
        "Maria Lopez",
    ),
    ('{"from": "DEN", "to": "DET", "via": "DEN", "passengers": [{"first_name": "Amelia"}]}', "Amelia"),
    ('{"passengers": [{"first_name": "Daiki", "last_name": "Oyelaran"}]}', "Daiki"),
    ("bot: what's the name on the account?\nuser: ella snider", "ella snider"),
    ("Amber Whitfield wrote it, and Jina Kowalski tested it.", "Amber Whitfield"),
    ("Jina Kowalski said that she would fix it.", "Jina Kowalski"),
    (f"Ask Maria Lopez.\n{FENCE}\nls\n{FENCE}\nShe and Ella Snider know.", "Ella Snider"),
    # a mark that nothing closes does not hide what follows
    (f"{FENCE}\nDear John Smith, please look at it.", "John Smith"),
    ("it`s Maria Lopez`s turn", "Maria Lopez"),
    ("Adam Huber said that he was tired.", "Adam Huber"),
    ("这个问题由张建国负责，请优化冷启动。", "张建国"),
]


@pytest.mark.parametrize("text", WORDS)
def test_words_stay(text):
    assert redact_text(text).text == text


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_a_secret_in_the_same_place_goes(text, secret):
    assert secret not in redact_text(text).text


@pytest.mark.parametrize(("text", "name"), NAMES)
def test_a_name_beside_them_goes(text, name):
    assert name not in redact_text(text).text


@pytest.mark.parametrize("text", [text for text, _ in (*SECRETS, *NAMES)])
def test_what_was_redacted_stays_as_it_is(text):
    once = redact_text(text).text
    assert redact_text(once).text == once


def test_code_in_the_strings_of_a_json_value_stays():
    value = {
        "text": f"See:\n{FENCE}\nDear John Smith,\n{FENCE}\nand ask Ella Snider.",
        "open": "`",
        "shut": "`",
    }
    redacted, _ = redact_json(value)
    assert redacted["text"] == value["text"].replace("Ella Snider", "<PERSON>")
    text = '{"open": "`", "who": "ask Ella Snider", "shut": "`"}'
    assert redact_text(text).text == text.replace("Ella Snider", "<PERSON>")


def test_one_language_does_not_decide_for_the_documents_beside_it():
    german, english = (
        "Die Klärungen sind fertig. Neue Frist und Offene Punkte.",
        "Ask Ella Snider to review it.",
    )
    assert [result.text for result in redact_texts([german, english, german])] == [
        german,
        "Ask <PERSON> to review it.",
        german,
    ]


@pytest.mark.parametrize(
    ("text", "decided"),
    [
        ("Please look at the failing build.", "known"),
        ("这个问题由 Peter Johnson 负责。", "known"),
        ("Bitte schau dir den Fehler an.", "other"),
        ("バージョンを Node 20 にする", "other"),
        ("José García lives in Bogotá with his sister.", "known"),
        ("Mary Whitfield", "unsaid"),
        ("Copiar", "unsaid"),
        ("233 Rue de Tanger, Suite 399", "unsaid"),
    ],
)
def test_the_language_of_a_sentence_is_told_by_its_function_words(text, decided):
    assert tongue(text) == decided


def test_a_sentence_that_does_not_tell_is_in_the_language_of_its_document():
    document = tongue_of(["Offene Punkte", "Ich habe die Spezifikation geprüft und es ist fertig."])
    assert document == "other"
    assert tongue("Offene Punkte", document) == "other"
    assert tongue("Please look at it.", document) == "known"
