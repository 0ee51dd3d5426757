"""A later memory beside a near older one: it replaces it, denies it, or is about something else."""

import pytest

from ultron_core.memories import diverges, relate

SUPERSEDES = [
    ("Postgres listens on port 5432 here.", "Postgres now listens on port 5433, no longer 5432."),
    ("The API runs on Python 3.10.", "The API was upgraded to Python 3.12."),
    ("Deploys go to the server at /srv/app.", "Deploys moved from /srv/app to /opt/app."),
    ("The team uses npm for the frontend.", "The team has switched from npm to pnpm for the frontend."),
    ("The nightly job runs at 2:00.", "Correction: the nightly job runs at 3:00."),
    ("Logs are kept for 30 days.", "As of now logs are kept for 90 days."),
    ("The cache is enabled in staging.", "The cache is no longer enabled in staging."),
    ("The queue was Redis 6.2.", "The queue was replaced by Redis 7.4."),
    ("数据库监听 5432 端口。", "数据库现在监听 5433 端口，不再使用 5432。"),
    ("前端用 npm 安装依赖。", "前端改用 pnpm 安装依赖。"),
    ("日志保留 30 天。", "更正：日志保留 90 天。"),
    ("服务运行在 Python 3.10 上。", "服务已升级到 Python 3.12。"),
    ("部署目录是 /srv/app。", "部署目录改为 /opt/app。"),
    ("测试环境启用缓存。", "测试环境不再启用缓存。"),
    ("构建用 npm。", "构建从 npm 换成了 pnpm。"),
]
CONTRADICTS = [
    ("The cache is enabled in staging.", "The cache is disabled in staging."),
    ("The linter checks the generated files.", "The linter does not check the generated files."),
    ("Retries are allowed on payment calls.", "Retries are forbidden on payment calls."),
    ("测试环境启用缓存。", "测试环境禁用缓存。"),
    ("接口支持批量写入。", "接口不支持批量写入。"),
    ("支付接口允许重试。", "支付接口禁止重试。"),
]
SIMILAR = [
    ("Postgres listens on port 5432 here.", "Postgres listens on port 5433 here."),
    ("The build needs wheel.", "The build needs wheel and setuptools to be installed."),
    ("Alice owns the billing service.", "Bob owns the billing service."),
    ("服务 A 监听 8080 端口。", "服务 A 监听 9090 端口。"),
    ("构建需要 wheel。", "构建需要 wheel 和 setuptools。"),
]
#: words of change that speak of something else
BESIDE = [
    ("The loader has 4 workers.", "The loader has 8 workers rather than threads."),
    ("The test of module a fails with code 1.", "The test of module b actually fails with code 2."),
    ("Redis listens on port 6379 at a.", "Redis at b is used to keep sessions and listens on port 6380."),
    ("The user renamed utils.py.", "The file helpers.py was renamed by the user."),
    ("npm fails in the docker image.", "Use pnpm instead of npm in the docker image."),
    ("配置文件在 /etc/a.conf。", "其实日志文件在 /var/log/b.log。"),
    ("程序从 5432 端口读数据。", "报表从 5432 端口读数据，每小时一次。"),
]
#: opposite words for two things side by side
SIDES = [
    ("The local cache holds 5 entries.", "The remote cache holds 5 entries."),
    ("The first worker writes the report.", "The last worker writes the report."),
    ("前端用 npm 安装依赖。", "后端用 npm 安装依赖。"),
]


def related(old, new):
    return relate(old, new, diverges(old, new))


@pytest.mark.parametrize(("old", "new"), SUPERSEDES)
def test_who_says_that_things_changed_supersedes(old, new):
    assert related(old, new) == "supersedes"


@pytest.mark.parametrize(("old", "new"), CONTRADICTS)
def test_the_opposite_without_such_words_contradicts(old, new):
    assert related(old, new) == "contradicts"


@pytest.mark.parametrize(("old", "new"), SIMILAR + BESIDE + SIDES)
def test_everything_else_is_similar(old, new):
    assert related(old, new) == "similar_to"


@pytest.mark.parametrize(("old", "new"), SUPERSEDES)
def test_the_older_state_told_later_supersedes_nothing(old, new):
    assert related(new, old) != "supersedes"
