"""Near-equal texts that state different facts."""

import pytest

from ultron_core.memories import diverges

APART = [
    ("number", "Keep log files for 7 days.", "Keep log files for 30 days."),
    ("number", "任务失败后会重试三次。", "任务失败后会重试五次。"),
    ("version", "Pin the client to 2.4.1 here.", "Pin the client to 2.5.0 here."),
    ("date", "The freeze begins on Friday at noon.", "The freeze begins on Thursday at noon."),
    ("flag", "Pass --no-cache when the image is stale.", "Pass --pull when the image is stale."),
    ("path", "The config lives in /etc/app.toml now.", "The config lives in /opt/my.toml now."),
    ("identifier", "Call parse_date for form input.", "Call parse_time_zone for form input."),
    ("identifier", "这个项目用 PostgreSQL 存储数据。", "这个项目用 MySQL 存储数据。"),
    ("negation", "The endpoint requires authentication.", "The endpoint does not require authentication."),
    ("negation", "迁移可以回滚。", "迁移无法回滚。"),
    ("antonym", "Sort the rows in ascending order.", "Sort the rows in descending order."),
    ("antonym", "队列变长时增加连接池大小。", "队列变长时减少连接池大小。"),
    ("word", "Ask Maria for access to the dashboard.", "Ask Thomas for access to the dashboard."),
    ("number", "The database listens on port 5432.", "数据库监听 3306 端口。"),
]
SAME = [
    ("Use psycopg instead of psycopg2 here.", "Here, use psycopg and not psycopg2."),
    ("The job is retried three times.", "A job is retried 3 times."),
    ("The limit is ten thousand rows.", "每次查询最多一万行。"),
    ("Set the timeout to 120 seconds.", "把超时时间设为一百二十秒。"),
    ("Never commit directly to the main branch.", "不要直接提交到 main 分支。"),
    ("The backup job runs at 02:00.", "备份任务在凌晨两点执行。"),
    ("pip install fails, the container has no network.", "容器没有网络，所以 pip install 失败。"),
    ("The database listens on port 5432.", "The database runs."),
    ("构建至少需要 8 GB 内存。", "构建时内存不能少于 8 GB。"),
]


@pytest.mark.parametrize(("reason", "a", "b"), APART)
def test_different_facts_diverge_either_way_round(reason, a, b):
    assert diverges(a, b) == reason
    assert diverges(b, a) == reason


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_fact_does_not_diverge_in_other_words_or_the_other_language(a, b):
    assert diverges(a, b) is None
    assert diverges(b, a) is None


def test_a_text_never_diverges_from_itself():
    for _, a, b in APART:
        assert diverges(a, a) is None
        assert diverges(b, b) is None
