"""Texts become shards of sentences: counted, in order, the same for any number of processes, and after any interruption."""

import json
from pathlib import Path

import pytest
from dump_tools import make_dump, make_pages
from training_tools import demo_texts, train_until, write_jsonl

from topical_crawler.sources import SourceError
from topical_crawler.training.prepare import BATCH, PrepareOptions, prepare
from topical_crawler.training.work_folder import Manifest, TrainingError

SMALL = 100_000


def shards(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted((folder / "text").iterdir())}


def write(path: Path, *texts: str, **fields: object) -> Path:
    path.write_text("".join(json.dumps({"text": text, **fields}, ensure_ascii=False) + "\n" for text in texts), encoding="utf-8")
    return path


def lines(folder: Path) -> list[str]:
    return b"".join(shards(folder).values()).decode().splitlines()


def test_a_text_becomes_sentences_of_words(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", "認真開展「三嚴三實」專題教育。黨員幹部參加了學習！\n２０１９年，ＡＩ技術")
    manifest = prepare(tmp_path / "work", [source], PrepareOptions(keep_whole=["三严三实"]), 1)
    assert lines(tmp_path / "work") == ["认真 开展 三严三实 专题 教育", "党员干部 参加 学习", "年 ai 技术"]
    shard = manifest.shards[0]
    assert (shard.documents, shard.sentences, shard.tokens, shard.empty) == (1, 3, 11, 0)
    assert (shard.characters, shard.size) == (36, 106)


def test_what_is_left_out_can_be_kept(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", "黨員都參加了學習")
    prepare(tmp_path / "work", [source], PrepareOptions(simplify=False, keep_stopwords=True), 1)
    assert "黨員" in "".join(lines(tmp_path / "work")).replace(" ", "")
    prepare(tmp_path / "other", [source], PrepareOptions(keep_stopwords=True), 1)
    assert lines(tmp_path / "other") == ["党员 都 参加 了 学习"]


def test_a_dump_is_counted(tmp_path: Path) -> None:
    make_dump(tmp_path / "zhwiki.xml.bz2", articles=60)
    articles = [page for page in make_pages(60) if page.plain]
    manifest = prepare(tmp_path / "work", [tmp_path / "zhwiki.xml.bz2"], PrepareOptions(), 1)
    state = manifest.sources[0]
    assert state.kind == "wikipedia" and state.complete
    assert state.total("documents") == len(articles)
    assert state.skipped
    assert state.total("sentences") == len(lines(tmp_path / "work"))
    assert state.total("tokens") == sum(len(line.split()) for line in lines(tmp_path / "work"))


@pytest.mark.slow
def test_processes_do_not_matter(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 500)
    one, two = (prepare(tmp_path / str(n), [source], PrepareOptions(), n, shard_bytes=SMALL) for n in (1, 2))
    assert shards(tmp_path / "1") == shards(tmp_path / "2")
    assert len(one.shards) > 1
    assert [(s.position, s.tokens) for s in one.shards] == [(s.position, s.tokens) for s in two.shards]
    assert one.sources[0].total("characters") > 2 * BATCH


@pytest.mark.slow
def test_a_killed_run_goes_on_at_the_next_shard(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 800)
    whole = prepare(tmp_path / "whole", [source], PrepareOptions(), 1, shard_bytes=SMALL)
    path = tmp_path / "out" / "work" / "manifest.json"

    def two_shards() -> bool:
        return len(Manifest.load(path).shards) >= 2

    train_until(tmp_path / "out", source, 1, SMALL, "segmenting 1 of 1: a.jsonl", two_shards)
    before = Manifest.load(path)
    assert 2 <= len(before.shards) < len(whole.shards) and not before.sources[0].complete
    times = {s.file: (path.parent / s.file).stat().st_mtime_ns for s in before.shards}
    after = prepare(path.parent, [source], PrepareOptions(), 1, shard_bytes=SMALL)
    assert shards(path.parent) == shards(tmp_path / "whole")
    assert times == {s.file: (path.parent / s.file).stat().st_mtime_ns for s in before.shards}
    assert after.sources[0].total("documents") == 800


def test_several_sources_and_a_condition(tmp_path: Path) -> None:
    wanted = write(tmp_path / "a.jsonl", demo_texts()[0], demo_texts()[1], party=2)
    other = write(tmp_path / "b.jsonl", demo_texts()[2], party=0)
    manifest = prepare(tmp_path / "work", [wanted, other], PrepareOptions(where={"party": "2"}), 1)
    assert [s.total("documents") for s in manifest.sources] == [2, 0]
    assert manifest.sources[1].skipped == {"other party": 1}


def test_changed_options_and_sources_are_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", demo_texts()[0])
    prepare(tmp_path / "work", [source], PrepareOptions(), 1)
    for options, message in (
        (PrepareOptions(simplify=False), "begun with simplify True, now it is False"),
        (PrepareOptions(keep_whole=["三会一课"]), r"begun with keep whole \[\], now it is \['三会一课'\]"),
        (PrepareOptions(where={"party": "2"}), "begun with where"),
    ):
        with pytest.raises(TrainingError, match=f"{message}.* or start over with --restart"):
            prepare(tmp_path / "work", [source], options, 1)
    with pytest.raises(TrainingError, match="begun with sources"):
        prepare(tmp_path / "work", [source, source], PrepareOptions(), 1)
    write(source, demo_texts()[0], demo_texts()[1])
    with pytest.raises(TrainingError, match=r"a\.jsonl: changed since .* start over with --restart"):
        prepare(tmp_path / "work", [source], PrepareOptions(), 1)


def test_a_damaged_work_folder_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", demo_texts()[0])
    manifest = prepare(tmp_path / "work", [source], PrepareOptions(), 1)
    (tmp_path / "work" / manifest.shards[0].file).write_bytes(b"")
    with pytest.raises(TrainingError, match=r"00000\.txt: expected the \d+ bytes written before.*--restart"):
        prepare(tmp_path / "work", [source], PrepareOptions(), 1)
    (tmp_path / "work" / "manifest.json").write_text('{"options": ', encoding="utf-8")
    with pytest.raises(TrainingError, match=r"manifest\.json: damaged"):
        prepare(tmp_path / "work", [source], PrepareOptions(), 1)


def test_sources_without_words(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"nothing\.jsonl: no such file or folder\. Pass"):
        prepare(tmp_path / "work", [tmp_path / "nothing.jsonl"], PrepareOptions(), 1)
    source = write(tmp_path / "a.jsonl", "2019, 2020。", " ")
    with pytest.raises(TrainingError, match=r"a\.jsonl: no words found \(skipped: .*1 no word"):
        prepare(tmp_path / "empty", [source], PrepareOptions(), 1)


def test_damage_in_a_source(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 300)
    with source.open("a", encoding="utf-8") as file:
        file.write('{"text": "断了')
    with pytest.raises(SourceError, match=r"a\.jsonl"):
        prepare(tmp_path / "work", [source], PrepareOptions(), 1, shard_bytes=SMALL)
    tolerant = prepare(tmp_path / "other", [source], PrepareOptions(tolerant=True), 1)
    assert tolerant.sources[0].total("documents") == 300 and tolerant.sources[0].skipped
    after = prepare(tmp_path / "work", [source], PrepareOptions(tolerant=True), 1, shard_bytes=SMALL)
    assert after.sources[0].total("documents") == 300  # what was made before the damage serves
    with pytest.raises(TrainingError, match="begun with tolerant True, now it is False"):
        prepare(tmp_path / "work", [source], PrepareOptions(), 1, shard_bytes=SMALL)


def test_words_in_traditional_characters_are_kept_whole(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", "認真開展「三嚴三實」專題教育。")
    prepare(tmp_path / "work", [source], PrepareOptions(keep_whole=["三嚴三實"]), 1)
    assert "三严三实" in lines(tmp_path / "work")[0].split()


def test_other_words_of_the_same_number_are_told(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", demo_texts()[0])
    prepare(tmp_path / "work", [source], PrepareOptions(keep_whole=list("甲乙丙丁")), 1)
    with pytest.raises(TrainingError, match="begun with keep whole 4 words, now it is 4 words, but different ones"):
        prepare(tmp_path / "work", [source], PrepareOptions(keep_whole=list("甲乙丙戊")), 1)
