"""The open gold set: what its pages hold, and how its texts are drawn."""

import gzip
import json
from pathlib import Path

from open_gold import FOLDER, PARTS, measure


def test_set_has_200_pages_in_two_halves_that_share_no_layout_and_no_text() -> None:
    sources: dict[str, set[str]] = {}
    for part in PARTS:
        files = sorted((FOLDER / part / "ground-truth").glob("*.json"))
        assert len(files) == 100
        known = [json.loads(file.read_bytes()) for file in files]
        assert all(piece in one["ground_truth"]["main_content"] for one in known for piece in one["ground_truth"]["with"])
        sources[part] = {name for one in known for name in one["_internal"]["source"].values()}
    assert sources["dev"].isdisjoint(sources["test"])


def test_scores_are_given_by_kind_and_page(tmp_path: Path) -> None:
    for folder in ("html", "ground-truth"):
        (tmp_path / "dev" / folder).mkdir(parents=True)
    text = "渡口的船修好了，明天一早就可以下水，船夫请大家去看一看。" * 4
    known = {
        "url": "http://www.example.cn/a/c1.html",
        "_internal": {"page_type": {"primary": "article"}},
        "ground_truth": {"main_content": text},
    }
    page = f"<html><body><ul><li><a href='/'>首页</a></li></ul><article><p>{text}</p></article></body></html>"
    (tmp_path / "dev/html/0001.html.gz").write_bytes(gzip.compress(page.encode()))
    (tmp_path / "dev/ground-truth/0001.json").write_text(json.dumps(known), encoding="utf-8")
    assert measure(tmp_path, "dev", ["ours"]) == {"ours": {"article": {"0001": 1.0}}}
