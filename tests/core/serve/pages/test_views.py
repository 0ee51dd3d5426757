"""What the pages show and change."""

import html
import re
from datetime import UTC, datetime

from tests.core.serve.conftest import ADDRESS
from tests.core.serve.pages.conftest import Browser
from tests.core.serve.test_scopes import NOBODY
from tests.support import claims
from tests.support.memories import rows
from tests.support.pages.world import AGAIN, CHINESE, FIRST, embedder
from tests.support.worlds import write_log
from ultron_core.client import Ultron
from ultron_core.serve.app import make_app
from ultron_core.serve.backend import Backend
from ultron_core.serve.pages.addresses import new_address


def words(page):
    """A page as a reader sees it."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page.text)).split())


def test_a_search_says_why_each_memory_stands_where_it_stands(owner, world):
    page = owner.get("/ui", params={"q": "wheel missing in docker"})
    assert f"/ui/memories/{world.merged}" in page.text
    shown = words(page)
    assert "Same meaning" in shown and "Same words" in shown and "HOT" not in shown.split("Tier")[0][-5:]
    assert re.search(r"Score 0\.\d\d", shown)


def test_filters_leave_out_what_they_name(owner, world):
    def found(**filters):
        return set(re.findall(r"/ui/memories/([0-9a-f-]{36})", owner.get("/ui", params=filters).text))

    everything = found()
    assert str(world.archived) not in everything and len(everything) == 3
    assert found(status="archived") == {str(world.archived)}
    assert found(tag="部署") == {str(world.changed)}
    assert found(agent="other") == {str(world.merged)}
    assert found(project="shop") == {str(world.learned), str(world.merged)}
    assert found(q="yaml module", project="shop") == {str(world.learned)}
    assert found(session=str(world.session)) == {str(world.learned)}
    assert str(world.merged) in found(cluster=str(world.cluster)[:8], status="active") | found(sort="hits")
    assert found(until="2020-01-01") == set() and found(since="2020-01-01") == everything
    assert found(q="yaml module", until="2020-01-01") == set()
    assert "asked of every cluster and session" in words(
        owner.get("/ui", params={"q": "x", "session": "run.jsonl"})
    )
    for wrong in (
        {"since": "soon"},
        {"sort": "size"},
        {"agent": "nobody"},
        {"session": "nope"},
        {"cluster": "zz"},
    ):
        assert owner.get("/ui", params=wrong).status_code == 422, wrong
    assert found(memory_type="security") == set()
    assert "leave the filters out" in owner.get("/ui", params={"memory_type": "security"}).text
    assert owner.get("/ui", params={"tier": "LUKEWARM"}).status_code == 422
    assert owner.get("/ui", params={"cursor": "x"}).status_code == 422


def test_older_memories_are_a_page_away(owner, ultron):
    ultron.upload_memories(
        [{"content": f"Service number {n} listens on port {9000 + n}."} for n in range(40)]
    )
    first = owner.get("/ui")
    shown = re.findall(r'<h3><a href="/ui/memories/([0-9a-f-]+)"', first.text)
    following = re.search(r'rel="next" href="([^"]+)"', first.text)[1].replace("&amp;", "&")
    older = re.findall(r'<h3><a href="/ui/memories/([0-9a-f-]+)"', owner.get(following).text)
    assert len(shown) == 30 and len({*shown, *older}) == len(shown) + len(older) == 40


def test_the_most_used_come_first_on_every_page(owner, ultron):
    ultron.upload_memories(
        [{"content": f"Service number {n} listens on port {9000 + n}."} for n in range(40)]
    )
    rows(ultron, "UPDATE memory_usage SET hit_count = 1 + abs(hashtext(memory_id::text)) % 7 RETURNING 1")
    hits = {str(r["memory_id"]): r["hit_count"] for r in rows(ultron, "SELECT * FROM memory_usage")}
    first = owner.get("/ui", params={"sort": "hits"})
    assert "Most used" in words(first)
    following = re.search(r'rel="next" href="([^"]+)"', first.text)[1].replace("&amp;", "&")
    pages = first.text + owner.get(following).text
    told = [hits[one] for one in re.findall(r'<h3><a href="/ui/memories/([0-9a-f-]+)"', pages)]
    assert len(told) == 40 and told == sorted(hits.values(), reverse=True)


def test_history_shows_causes_links_and_hits(owner, world, ultron):
    split = ultron.unmerge(world.decision).id
    ultron.unarchive_memory(world.archived)
    shown = words(owner.get(f"/ui/memories/{world.archived}/history"))
    assert re.search(r"archive .* decided by person by hand return .* decided by person by hand", shown)
    assert re.search(r"\d hits? the last one", shown)
    page = owner.get(f"/ui/memories/{split}/history")
    assert "What it is linked with" in page.text and f"/ui/memories/{world.merged}" in page.text


def test_a_purged_version_says_so_and_its_merge_has_no_button(owner, world, ultron):
    path = f"/ui/memories/{world.merged}/history"
    assert "Undo this merge" in owner.get(path).text
    ultron.update_memory(world.merged, content="The image lacks wheel.", purge=True)
    page = owner.get(path)
    assert "its words were purged" in words(page) and "Undo this merge" not in page.text


def test_a_memory_shows_the_lines_that_it_rests_on(owner, world):
    page = owner.get(f"/ui/memories/{world.learned}")
    marked = re.findall(r"<mark>([^<]+)</mark>", page.text)
    assert any("ModuleNotFoundError" in line for line in marked)
    assert "run.jsonl, line" in words(page)


def test_looking_counts_no_hits(owner, world, ultron):
    def counted():
        return rows(ultron, "SELECT sum(hit_count) AS n FROM memory_usage")[0]["n"]

    before = counted()
    for path in world.paths:
        assert owner.get(path).status_code == 200, path
    assert counted() == before


def test_from_an_agent_down_to_a_message(owner, world):
    log = owner.get("/ui/log")
    assert "/ui/log?agent=coder" in log.text
    agent = owner.get("/ui/log?agent=coder")
    assert "/ui/sessions?agent=coder&amp;project=shop" in agent.text
    sessions = owner.get("/ui/sessions?agent=coder&project=shop")
    assert f"/ui/sessions/{world.session}" in sessions.text
    session = owner.get(f"/ui/sessions/{world.session}")
    assert f"/ui/tasks/{world.task}" in session.text and "TASK parser" in session.text
    task = owner.get(f"/ui/tasks/{world.task}")
    assert f"/ui/memories/{world.learned}" in task.text and "success" in task.text
    assert f"/ui/sessions/{world.session}/lines/1" in task.text
    message = owner.get(f"/ui/sessions/{world.session}/lines/1")
    assert "TASK parser: please build the parser module" in message.text
    assert owner.get(f"/ui/sessions/{world.session}/lines/999").status_code == 404


def test_a_session_that_failed_says_why_and_what_to_do(owner, ultron, tmp_path):
    folder = tmp_path / "agents"
    folder.mkdir()
    (folder / "bad.jsonl").write_bytes(bytes(range(256)) * 64)
    (folder / "odd.jsonl").write_text('{"type": "<b>turn_of_tomorrow"}\n')
    ultron.ingest([folder], "agent")
    listed = owner.get("/ui/sessions")
    assert words(listed).count("failed") == 2
    told = [
        words(owner.get(path)) for path in re.findall(r'<h3><a href="(/ui/sessions/[0-9a-f-]+)"', listed.text)
    ]
    assert len(told) == 2 and all("read it again with `ultron ingest`" in page for page in told)
    assert all("That happens by itself" not in page for page in told)
    assert any("is a binary file without any JSON" in page for page in told)
    assert any("holds no message that Ultron can read: 1 line unknown_type" in page for page in told)


def test_a_long_message_is_cut_in_lists_and_whole_on_its_own_page(owner, ultron, tmp_path):
    text = "TASK long: " + "x" * 5000 + " THE END"
    ultron.ingest([write_log(tmp_path / "l.jsonl", [{"role": "user", "content": text}])], "coder")
    (row,) = ultron.browse.sessions().rows
    lines = owner.get(f"/ui/sessions/{row['id']}/lines")
    assert "THE END" not in lines.text and "more characters" in lines.text
    assert "THE END" in owner.get(f"/ui/sessions/{row['id']}/lines/1").text


def test_a_long_session_goes_on(owner, ultron, tmp_path):
    said = [{"role": "user", "content": f"sentence {n}."} for n in range(1, 101)]
    ultron.ingest([write_log(tmp_path / "l.jsonl", said)], "coder")
    (row,) = ultron.browse.sessions().rows
    assert str(row["id"]) in owner.get("/ui/sessions?project=").text  # of those that name no project
    path, seen = f"/ui/sessions/{row['id']}/lines", []
    while path:
        page = owner.get(path).text
        seen += [int(n) for n in re.findall(r"sentence (\d+)\.", page)]
        found = re.search(r'rel="next" href="([^"]+)"', page)
        path = found and found[1].replace("&amp;", "&")
    assert seen == list(range(1, 101))


def test_a_correction_is_kept_with_who_made_it(owner, world, ultron):
    path = f"/ui/memories/{world.changed}"
    version = re.search(r'name="version" value="(\d+)"', owner.get(f"{path}/edit").text)[1]
    done = owner.submit(
        f"{path}/edit",
        version=version,
        content="先迁移。\r\n再部署。",
        context="",
        resolution="",
        tags="部署, 数据库",
    )
    assert done.headers["location"] == f"{path}?done=changed"
    assert "Saved." in owner.get(done.headers["location"]).text
    (record,) = ultron.get_memory_details([world.changed])
    assert (record.content, record.context, record.tags) == ("先迁移。\n再部署。", "", ["部署", "数据库"])
    history = words(owner.get(f"{path}/history"))
    assert CHINESE in history and "changed by owner" in history and "changed by a person" in history
    late = owner.submit(
        f"{path}/edit", version=version, content="Other words.", context="", resolution="", tags=""
    )
    assert late.status_code == 409 and "Other words." in late.text and "再部署" in late.text
    assert ultron.get_memory_details([world.changed])[0].content == "先迁移。\n再部署。"


def test_archive_and_back(owner, world, ultron):
    path = f"/ui/memories/{world.merged}"
    assert "Archived" in owner.get(owner.submit(f"{path}/archive").headers["location"]).text
    assert ultron.get_memory_details([world.merged])[0].status == "archived"
    assert "Unarchive" in owner.get(path).text
    owner.submit(f"{path}/unarchive")
    assert ultron.get_memory_details([world.merged])[0].status == "active"


def test_two_buttons_judge_a_memory(owner, world, ultron):
    path = f"/ui/memories/{world.merged}"
    buttons = owner.get(path).text
    assert ">Useful</button>" in buttons and ">Junk</button>" in buttons
    junk = owner.submit(f"{path}/verdict", verdict="junk")
    shown = words(owner.get(junk.headers["location"]))
    assert "Junk: archived" in shown and "archived: judged junk" in shown and "junk by owner" in shown
    assert ">Junk</button>" not in owner.get(path).text, "it is judged so already"
    useful = owner.submit(f"{path}/verdict", verdict="useful")
    assert "useful by owner" in words(owner.get(useful.headers["location"]))
    assert ultron.get_memory_details([world.merged])[0].status == "active"
    wrong = owner.submit(f"{path}/verdict", verdict="great")
    assert wrong.status_code == 422 and "junk" in wrong.text


def test_deleting_asks_first(owner, world, ultron):
    path = f"/ui/memories/{world.merged}"
    asked = owner.get(f"{path}/delete")
    assert FIRST[:20] in asked.text and ultron.get_memory_details([world.merged])
    done = owner.submit(f"{path}/delete")
    assert "Deleted" in owner.get(done.headers["location"]).text
    assert owner.get(path).status_code == 404 and owner.submit(f"{path}/delete").status_code == 404


def test_a_merge_is_undone(owner, world, ultron):
    assert "Undo this merge" in owner.get(f"/ui/memories/{world.merged}/history").text
    done = owner.submit(f"/ui/decisions/{world.decision}/undo")
    restored = owner.get(done.headers["location"])
    assert AGAIN in restored.text and "The merge is undone" in restored.text
    assert "undone" in words(owner.get(f"/ui/memories/{world.merged}/history"))
    again = owner.submit(f"/ui/decisions/{world.decision}/undo")
    assert again.status_code == 422 and "can still be undone" in again.text


def test_a_key_is_shown_once(owner, app, ultron):
    made = owner.submit("/ui/keys", name="builder", preset="agent", agent_id="builder", days="30")
    text = re.search(r'value="(ult_[^"]+)"', made.text)[1]
    key = ultron.keys.recognise(text)
    assert (key.name, key.agent_id, key.scopes) == ("builder", "builder", ("read", "write", "ingest"))
    assert 29 <= (key.expires_at - key.created_at).days <= 30
    listed = owner.get("/ui/keys")
    assert text not in listed.text and text.split("_", 2)[2] not in listed.text and key.id in listed.text
    twice = owner.submit("/ui/keys", name="builder", preset="agent")
    assert twice.status_code == 422 and "already" in twice.text
    assert owner.submit("/ui/keys", name="x", preset="god").status_code == 422
    owner.submit(f"/ui/keys/{key.id}/revoke")
    assert "revoked" in owner.get("/ui/keys").text
    assert owner.submit(f"/ui/keys/{key.id}/revoke").status_code == 404


def test_refusals_by_reason(owner, world):
    page = owner.get("/ui/refusals", params={"stage": "extract", "reason": "too_vague"})
    shown = words(page)
    assert "too vague" in shown and "nothing that another session could use" in shown and "It works." in shown
    assert f"/ui/sessions/{world.session}/lines?start=3&amp;first=3&amp;last=4" in page.text
    assert "Nothing was refused for that reason" in owner.get("/ui/refusals?reason=none").text


def test_statistics_and_cost(owner, world):
    shown = words(owner.get("/ui/statistics"))
    assert "a-model" in shown and "0.0042" in shown and "1,200" in shown
    assert "shop" in shown


def test_clusters_with_their_map(owner, world):
    page = owner.get("/ui/clusters")
    assert "<svg" in page.text and page.text.count("<circle") >= 3
    assert str(world.merged) in owner.get(f"/ui/clusters/{world.cluster}").text or "memor" in page.text


def test_an_empty_store_says_what_to_do(owner):
    for path, said in {
        "/ui": "ultron connect claude-code",
        "/ui?q=x": "Nothing fits",
        "/ui/log": "ultron ingest",
        "/ui/sessions": "No session here",
        "/ui/clusters": "no cluster yet",
        "/ui/refusals": "Nothing was refused",
        "/ui/statistics": "No model was called",
    }.items():
        assert said in words(owner.get(path)), path


def test_times_are_told_in_both_ways_and_chinese_as_chinese(owner, world):
    page = owner.get(f"/ui/memories/{world.changed}")
    assert re.search(
        r'<time datetime="\d{4}-[^"]+">\d{4}-\d\d-\d\d \d\d:\d\d UTC <span class="ago">', page.text
    )
    assert f'lang="zh">{CHINESE}' in page.text


def test_what_belongs_to_another_account_is_as_unknown_as_what_does_not_exist(owner, settings, world):
    other = settings.model_copy(update={"store": settings.store.model_copy(update={"account_id": "other"})})
    with Ultron(other, embedder=embedder()) as ultron:
        backend = Backend(lambda: ultron)
        backend.load()
        stranger = Browser(make_app(backend))
        stranger.get(new_address(settings.store.home, ADDRESS, datetime.now(UTC)))
        for kind, own in {
            "memories": world.merged,
            "sessions": world.session,
            "tasks": world.task,
            "clusters": world.cluster,
        }.items():
            foreign, unknown = (stranger.get(f"/ui/{kind}/{one}") for one in (own, NOBODY))
            assert foreign.status_code == unknown.status_code == 404
            assert words(foreign).replace(str(own), "") == words(unknown).replace(NOBODY, "")
        for action in ("archive", "unarchive", "delete", "edit", "verdict"):
            fields = {"edit": {"content": "mine"}, "verdict": {"verdict": "junk"}}.get(action, {})
            assert stranger.submit(f"/ui/memories/{world.merged}/{action}", **fields).status_code == 404
        assert stranger.submit(f"/ui/decisions/{world.decision}/undo").status_code == 404
    assert FIRST in words(owner.get(f"/ui/memories/{world.merged}"))


def test_while_models_load_a_page_says_so_and_asks_again(ultron):
    page = Browser(make_app(Backend(lambda: ultron))).get("/ui")
    assert page.status_code == 503 and page.headers["refresh"] == page.headers["retry-after"] == "5"
    assert "<h1>Not ready</h1>" in page.text


def test_a_failure_shows_nothing_of_itself(owner, monkeypatch):
    monkeypatch.setattr("ultron_core.client.Ultron.get_memory_sources", lambda *_: 1 / 0)
    monkeypatch.setattr("ultron_core.steps.browse.agents", lambda *_: 1 / 0)
    page = owner.get("/ui")
    assert page.status_code == 500 and "division" not in page.text and "Something went wrong" in page.text


def test_a_claim_is_shown_as_what_the_agent_said_on_its_own_shelf(owner, ultron):
    (segment,) = claims.segments_of(ultron, "first")
    claim = claims.said(ultron, segment, "The proxy drops idle connections.", probability=0.5)
    assert str(claim.id) not in owner.get("/ui").text
    assert str(claim.id) not in owner.get("/ui", params={"q": "proxy idle connections"}).text
    for chosen in ({}, {"q": "proxy idle connections"}, {"proof": "claimed"}):
        listed = words(owner.get("/ui", params={"status": "claimed", **chosen}))
        assert "The agent said: The proxy drops idle connections." in listed
    one = words(owner.get(f"/ui/memories/{claim.id}"))
    assert "The agent said: The proxy" in one and "Worth keeping 0.50" in one and "Archive" in one
    assert "claimed" in words(owner.get("/ui/statistics"))
    owner.submit(f"/ui/memories/{claim.id}/confirm")
    assert str(claim.id) in owner.get("/ui").text


def test_a_cure_that_nothing_bears_out_is_marked_in_the_list_on_its_page_and_in_its_history(owner, ultron):
    (segment,) = claims.segments_of(ultron, "doubt")
    record = claims.said(
        ultron, segment, "The proxy drops idle calls.", proof="result", resolution="Ping it.", cure="claimed"
    )
    assert "The proxy drops idle calls. Ping it. (cure not verified)" in words(owner.get("/ui"))
    assert "Resolution (cure not verified) Ping it." in words(owner.get(f"/ui/memories/{record.id}"))
    ultron.update_memory(record.id, resolution="Ping it twice.")
    history = words(owner.get(f"/ui/memories/{record.id}/history"))
    assert "Resolution (not verified) Ping it." in history
    assert "not verified" not in words(owner.get(f"/ui/memories/{record.id}"))
