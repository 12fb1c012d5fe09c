"""Building a topic: which words become terms, who wrote what in the folder, and nothing lost."""

import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from topical_crawler.authoring.build import Built, Corpora, Own, Plan, adjust_file, build, terms_file, weights_file
from topical_crawler.authoring.folder import BuiltFolder, Present, Written, merge
from topical_crawler.sources import Condition
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import load_topic
from topical_crawler.topic.topic_folder import RECORD

WriteTopic = Callable[..., Path]

VERBS, THINGS = ("落实", "抓好", "开展", "坚持", "用好", "完善"), ("制度", "活动", "要求", "记录", "安排", "")
FILLER = [f"{a}和{b}都变了，{b}比{a}多，{v}{t}。" for a in "山水风花雪月" for b in "春夏秋冬" for v in VERBS for t in THINGS]
DOMAIN = [f"{v}三会一课{t}。党员，党支部，开会。" for v in VERBS for t in THINGS] + FILLER[:60]
BACKGROUND = [f"球队{v}训练{t}。今天会议上第{i}次讨论天气。" for i, v in enumerate(VERBS) for t in THINGS] * 2 + FILLER


def write(path: Path, **texts: Iterable[str]) -> Path:
    lines = [json.dumps({"text": t, "grade": g}, ensure_ascii=False) for g, some in texts.items() for t in some]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def labelled(tmp_path: Path) -> Corpora:
    """Domain and background in one file."""
    file = write(tmp_path / "news.jsonl", a=DOMAIN, b=BACKGROUND, c=["火星"] * 9)
    return Corpora([file], domain=Condition("grade", "a"), against=Condition("grade", "b"))


def words(built: Built, source: str = "") -> set[str]:
    return {t.word for t in built.terms if not source or t.source == source}


def test_what_is_found(labelled: Corpora) -> None:
    built = build(labelled, Own(), Plan(min_count=10), Segmenter)
    assert (built.documents, built.background_documents, built.general) == (96, 936, False)
    assert "三会一课" in words(built, "discovery")
    assert "党员" in words(built, "dictionary")
    assert not {"会议", "学习", "天气", "训练", "火星"} & words(built)
    (term,) = (t for t in built.terms if t.word == "三会一课")
    assert (term.count, term.documents) == (36, 36)
    assert term.contrast == pytest.approx(36 / 96 * 937)
    assert term.weight == pytest.approx(36 / 96 * math.log(96 / 36))
    assert built.dropped["words of a contrast below 5"] >= 2
    assert [t.weight for t in built.terms] == sorted((t.weight for t in built.terms), reverse=True)


def test_terms_bounds_what_is_found_and_not_what_is_yours(labelled: Corpora) -> None:
    own = Own(terms=["灯塔"], candidates=["党支部", "新概念", "天气"])
    built = build(labelled, own, Plan(terms=1), Segmenter)
    assert words(built, "yours") == {"灯塔"}
    assert words(built, "candidate") == {"党支部", "新概念"}
    assert len(built.terms) == 4
    assert built.dropped["candidates of a contrast below 5"] == 1
    (new,) = (t for t in built.terms if t.word == "新概念")
    assert math.isnan(new.weight)
    assert not words(build(labelled, own, Plan(discover=False), Segmenter)) - {"灯塔", "党支部", "新概念"}


def test_what_a_person_deleted_stays_out(labelled: Corpora) -> None:
    built = build(labelled, Own(candidates=["党支部"], refused={"党支部", "党员"}), Plan(), Segmenter)
    assert not {"党支部", "党员"} & words(built)
    assert built.dropped["candidates that you deleted from terms.tsv"] == 1


def test_heavy_words_of_the_background_are_proposed_for_adjustment(tmp_path: Path) -> None:
    texts = [f"党支部{'工作' * (n % 5)}第{n % 7}次{'党员' * (n % 3)}" for n in range(60)]
    others = [f"工厂{'工作' * (n % 2)}天气" for n in range(200)]
    corpora = Corpora([write(tmp_path / "a.jsonl", a=texts)], [write(tmp_path / "b.jsonl", b=others)])
    built = build(corpora, Own(candidates=["工作"]), Plan(min_contrast=0.5, discover=False), Segmenter)
    (proposed,) = built.adjustments
    assert (proposed.word, proposed.weight) == ("工作", pytest.approx(built.mean))
    assert proposed.by_eq2 > built.mean
    assert proposed.in_background == 0.5
    assert not build(corpora, Own(candidates=["工作"]), Plan(min_contrast=0.5, adjust_below=0), Segmenter).adjustments


def test_without_a_background_the_language_stands_in(tmp_path: Path) -> None:
    built = build(Corpora([write(tmp_path / "a.jsonl", a=DOMAIN)]), Own(), Plan(), Segmenter)
    assert built.general
    assert built.background_documents > 1_000_000
    assert {"三会一课", "党员"} <= words(built)


def test_a_document_of_the_domain_is_never_background(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.jsonl", a=["甲"], b=["乙"]), write(tmp_path / "b.jsonl", b=["丙"])

    def texts(corpora: Corpora) -> tuple[list[str], list[str]]:
        return (list(corpora.domain_texts(lambda *_: None, "")), list(corpora.background_texts(lambda *_: None, "")))

    assert texts(Corpora([a], [a, b], Condition("grade", "a"))) == (["甲"], ["乙", "丙"])
    assert texts(Corpora([a], [b])) == (["甲", "乙"], ["丙"])
    assert texts(Corpora([a], against=Condition("grade", "b"), domain=Condition("grade", "a"))) == (["甲"], ["乙"])
    assert texts(Corpora([a], [a])) == (["甲", "乙"], [])
    assert not Corpora([a]).has_background


@pytest.mark.parametrize("text", ["grade", "=2", ""])
def test_a_condition_has_a_field_and_a_value(text: str) -> None:
    with pytest.raises(ValueError, match="FIELD=VALUE"):
        Condition.parse(text)


def test_conditions_compare_texts() -> None:
    assert Condition("party", "2").holds({"party": 2})
    assert Condition("tags", "党建").holds({"tags": ["党建", "学习"]})
    assert not Condition("party", "None").holds({})


# -- the folder ---------------------------------------------------------------------------------------------------------------


def save(folder: BuiltFolder, rows: dict[str, str], head: str = "# made") -> BuiltFolder:
    folder.write({"terms.tsv": merge(folder.read("terms.tsv"), [head], rows)})
    return BuiltFolder(folder.path)


@pytest.fixture
def folder(write_topic: WriteTopic) -> BuiltFolder:
    path = write_topic()
    (path / "terms.tsv").unlink()
    return save(BuiltFolder(path), {"党建": "党建\t3\tx", "支部": "支部\t2\tx", "党员": "党员\t1\tx"})


def text(folder: BuiltFolder) -> str:
    return (folder.path / "terms.tsv").read_text("utf-8")


def edit(folder: BuiltFolder, change: Callable[[str], str]) -> BuiltFolder:
    (folder.path / "terms.tsv").write_text(change(text(folder)), encoding="utf-8")
    return BuiltFolder(folder.path)


def test_untouched_lines_are_written_anew(folder: BuiltFolder) -> None:
    present = folder.read("terms.tsv")
    assert (present.kept, present.words, present.deleted) == ([], [], [])
    assert text(save(folder, {"党费": "党费\t5"}, "# again")) == "# again\n党费\t5\n"


def test_added_changed_and_deleted_lines_are_a_persons(folder: BuiltFolder) -> None:
    folder = edit(folder, lambda t: "# 我的\n" + t.replace("支部\t2\tx", "支部\t0.5\tx").replace("党员\t1\tx\n", "三会一课\n"))
    present = folder.read("terms.tsv")
    assert present.kept == ["# 我的", "支部\t0.5\tx", "三会一课"]
    assert (present.words, present.open, present.deleted) == (["支部", "三会一课"], ["三会一课"], ["党员"])
    again = save(folder, {"支部": "支部\t9", "党建": "党建\t4"})
    assert text(again) == "# made\n# 我的\n支部\t0.5\tx\n三会一课\n党建\t4\n"
    # They still are, one build later.
    later = again.read("terms.tsv")
    assert (later.kept, later.deleted) == (["# 我的", "支部\t0.5\tx", "三会一课"], ["党员"])
    back = edit(again, lambda t: t + "党员\n").read("terms.tsv")
    assert (back.words, back.deleted) == (["支部", "三会一课", "党员"], [])


def test_a_completed_line_stays_a_persons(folder: BuiltFolder) -> None:
    folder = edit(folder, lambda t: t + "三会一课\t\t要紧\n")
    present = folder.read("terms.tsv")
    assert present.open == ["三会一课"]
    folder.write({"terms.tsv": merge(present, ["# made"], {}, {"三会一课": "三会一课\t0.3\t要紧"})})
    again = BuiltFolder(folder.path).read("terms.tsv")
    assert (again.words, again.open, again.kept) == (["三会一课"], ["三会一课"], ["三会一课\t0.3\t要紧"])
    changed = edit(folder, lambda t: t.replace("0.3", "0.4")).read("terms.tsv")
    assert (changed.words, changed.open) == (["三会一课"], [])


def test_a_file_taken_away_begins_afresh(folder: BuiltFolder) -> None:
    folder = edit(folder, lambda t: t.replace("党员\t1\tx\n", ""))
    (folder.path / "terms.tsv").unlink()
    assert folder.read("terms.tsv") == Present((), (), (), (), {})


@pytest.mark.parametrize("failing", [0, 1, 2, 3])
def test_a_build_that_is_cut_off_loses_nothing(folder: BuiltFolder, monkeypatch: pytest.MonkeyPatch, failing: int) -> None:
    """Whichever of the renames fails, the files are whole, and no line of the program's is taken for a person's."""
    real, calls = Path.replace, 0

    def replace(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if calls == failing + 1:
            raise OSError("disk full")
        return real(self, target)

    folder = edit(folder, lambda t: t.replace("党员\t1\tx\n", "三会一课\n"))
    rows = {"党建": "党建\t4", "党费": "党费\t1"}
    adjust = merge(folder.read("adjust.tsv"), ["# made"], {"中国": "中国\t0\tproposed"})
    files = {"terms.tsv": merge(folder.read("terms.tsv"), ["# again"], rows), "adjust.tsv": adjust}
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", replace)
        with pytest.raises(OSError, match="disk full"):
            folder.write(files)
    assert not list(folder.path.glob("*.tmp"))
    present = BuiltFolder(folder.path).read("terms.tsv")
    assert (present.kept, present.deleted) == (["三会一课"], ["党员"])
    assert not BuiltFolder(folder.path).read("adjust.tsv").kept
    load_topic(folder.path)


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"now": {"terms.tsv": {"lines": 3}}, "before": {}, "digests": {}}'])
def test_a_broken_record_is_an_error_with_a_remedy(folder: BuiltFolder, record: str) -> None:
    (folder.path / RECORD).write_text(record, encoding="utf-8")
    with pytest.raises(TopicError, match=r"\.built\.json: not the record .* Delete it"):
        BuiltFolder(folder.path)


def test_a_term_of_one_character_is_refused(folder: BuiltFolder) -> None:
    (folder.path / "candidates.txt").write_text("党建\n党\n", encoding="utf-8")
    with pytest.raises(TopicError, match=r"candidates\.txt, line 2: '党' is one character"):
        folder.read_candidates()
    with pytest.raises(TopicError, match=r"terms\.tsv, line 5: '党' is one character"):
        edit(folder, lambda t: t + "党\n").read("terms.tsv")


def test_the_files_are_a_topic(labelled: Corpora, folder: BuiltFolder) -> None:
    plan = Plan(min_count=2)
    built = build(labelled, Own(terms=["灯塔"]), plan, Segmenter)
    nothing = Present((), (), (), (), {})
    for name, (content, written) in {
        "terms.tsv": terms_file(nothing, built, "# made"),
        "weights.tsv": weights_file(built, plan, "# made"),
        "adjust.tsv": adjust_file(nothing, built, "# made"),
    }.items():
        assert isinstance(written, Written)
        (folder.path / name).write_text(content, encoding="utf-8")
    topic = load_topic(folder.path)
    assert topic.terms["灯塔"] == 1.0  # the mean
    by_word = {t.word: t for t in built.terms}
    assert all(w == pytest.approx(by_word[t].weight / built.mean, rel=1e-4) for t, w in topic.terms.items() if t != "灯塔")
