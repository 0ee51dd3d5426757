"""What is read out of a query."""

from datetime import UTC, datetime

import pytest

from ultron_core.search import analyze_query

NOW = datetime(2026, 11, 21, 4, 0, tzinfo=UTC)  # a Saturday


def day(month, date, year=2026):
    return datetime(year, month, date, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        ("what broke yesterday", day(11, 20), day(11, 21)),
        ("昨天的 docker 报错", day(11, 20), day(11, 21)),
        ("pool errors last week", day(11, 9), day(11, 16)),
        ("上周三的部署", day(11, 11), day(11, 12)),
        ("notes since Monday", day(11, 16), None),
        ("deploys in March 2025", day(3, 1, 2025), day(4, 1, 2025)),
        ("deploys in December", day(12, 1, 2025), day(1, 1)),
        ("2 days ago the build failed", day(11, 19), day(11, 20)),
        ("2024年3月5日 的发布", day(3, 5, 2024), day(3, 6, 2024)),
        ("上个月的超时", day(10, 1), day(11, 1)),
        ("release of 2026-02-28", day(2, 28), day(3, 1)),
        ("what broke on 7 July, 2023", day(7, 7, 2023), day(7, 8, 2023)),
        ("the outage of the 3rd of June 2023", day(6, 3, 2023), day(6, 4, 2023)),
        ("deploy on May 23, 2023", day(5, 23, 2023), day(5, 24, 2023)),
        ("the crash on Dec 3", day(12, 3, 2025), day(12, 4, 2025)),
        ("Sep 2024 invoices", day(9, 1, 2024), day(10, 1, 2024)),
        ("7月3日的报错", day(7, 3), day(7, 4)),
        ("12月份的部署", day(12, 1, 2025), day(1, 1)),
        ("version 3 may fail", None, None),
        ("you may 2 times retry", None, None),
    ],
)
def test_time_words_become_ranges(query, since, until):
    analysis = analyze_query(query, NOW)
    assert (analysis.since, analysis.until) == (since, until)


def at(date, hour, month=11):
    return datetime(2026, month, date, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        ("what failed this morning", at(21, 0), at(21, 12)),
        ("the deploy of last night", at(20, 18), at(21, 6)),
        ("yesterday afternoon's outage", at(20, 12), at(20, 18)),
        ("昨晚的报错", at(20, 18), at(21, 6)),
        ("今天下午的部署", at(21, 12), at(21, 18)),
        ("timeouts between May and June", day(5, 1), day(7, 1)),
        ("releases from November to January", day(11, 1, 2025), day(2, 1)),
        ("五月到六月之间的超时", day(5, 1), day(7, 1)),
        ("去年十月的错误", day(10, 1, 2025), day(11, 1, 2025)),
        ("今年3月的发布", day(3, 1), day(4, 1)),
        ("十二月的超时", day(12, 1, 2025), day(1, 1)),
    ],
)
def test_parts_of_days_and_spans_of_months_become_ranges(query, since, until):
    analysis = analyze_query(query, NOW)
    assert (analysis.since, analysis.until) == (since, until)


def test_the_last_three_days_end_now():
    assert analyze_query("最近三天 数据库", NOW).since == datetime(2026, 11, 18, 4, 0, tzinfo=UTC)
    assert analyze_query("errors in the last 3 days", NOW).since == datetime(2026, 11, 18, 4, 0, tzinfo=UTC)


def test_time_words_leave_the_terms_unless_nothing_else_is_asked():
    assert analyze_query("docker yesterday", NOW).terms == ("docker",)
    assert analyze_query("yesterday", NOW).terms == ("yesterdai",)


def test_identifiers_and_phrases_are_kept_as_written():
    analysis = analyze_query('"connection refused" by read_session in config.yaml with --no-cache', NOW)
    assert analysis.phrases == ("connection refused",)
    assert {"read_session", "config.yaml", "--no-cache"} <= set(analysis.identifiers)


@pytest.mark.parametrize(
    "query", ["2024-13-40 build", "0000年1月", "9999年12月31日", "20000 years ago", "999 年前的构建"]
)
def test_a_time_outside_the_calendar_never_raises(query):
    analysis = analyze_query(query, NOW)
    assert analysis.since is None or analysis.since < NOW


def test_an_impossible_date_is_no_range():
    assert analyze_query("2024-13-40 build", NOW).since is None


@pytest.mark.parametrize(
    ("query", "language"), [("why does it fail", "en"), ("为什么失败", "zh"), ("pip install 在容器里报错", "zh"),
                            ("deploy the api gateway 失败", "mixed")],
)  # fmt: skip
def test_language(query, language):
    assert analyze_query(query, NOW).language == language


def test_a_pasted_line_is_wanted_word_by_word_and_quotes_are_wanted_first():
    assert analyze_query("KeyError: 'pool_size' in settings.py", NOW).literals == (
        "KeyError: 'pool_size' in settings.py",
    )
    assert analyze_query('where did "pool timeout" come from', NOW).literals == ("pool timeout",)
    assert analyze_query("docker error", NOW).literals == ()
