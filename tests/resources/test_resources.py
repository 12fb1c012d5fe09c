"""Where resources are looked for, and what is said of those that are not there."""

import os
from pathlib import Path

import pytest

from topical_crawler.resources.registry import RESOURCES, Resources


def test_settings_go_before_the_environment(tmp_path: Path) -> None:
    own, other = tmp_path / "own.txt", tmp_path / "other.txt"
    own.write_text("x"), other.write_text("y")
    environ = {"TOPICAL_RESOURCES_DIR": str(tmp_path / "e"), "TOPICAL_HOWNET": str(other), "TOPICAL_CILIN": str(other)}
    resources = Resources.from_settings({"TOPICAL_HOWNET": str(own), "TOPICAL_RESOURCES_DIR": ""}, environ)
    assert resources.directory == tmp_path / "e"
    assert resources.path("hownet") == own and resources.path("cilin") == other and resources.path("clc") is None


def test_a_setting_that_names_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"TOPICAL_VECTORS=.*absent.bin: no such file\. Correct"):
        Resources.from_settings({"TOPICAL_VECTORS": str(tmp_path / "absent.bin")}, {})


def test_a_file_of_the_wrong_length_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cilin.txt").write_text("Aa01A01= 人 士")
    with pytest.raises(ValueError, match=r"instead of 892,600. Run topical-crawler resources fetch cilin.*TOPICAL_CILIN"):
        Resources(tmp_path).path("cilin")


def test_missing_ones_say_what_it_costs_and_how_to_get_them(tmp_path: Path) -> None:
    tree = tmp_path / "hownet_tree.txt"
    tree.write_text("0 event|事件 0")
    missing = Resources(tmp_path).missing()
    assert [r.name for r in missing] == ["hownet", "vectors", "cilin", "cilin_tree", "clc"]
    for resource in missing:
        assert len(resource.cost) > 40 and f"topical-crawler resources fetch {resource.name}" in resource.cost


def test_the_fingerprint_follows_the_files(tmp_path: Path) -> None:
    own = tmp_path / "tree.txt"
    own.write_text("0 event|事件 0")
    with_tree = Resources(None, {"hownet_tree": own})
    seen = {Resources.none().fingerprint(), with_tree.fingerprint()}
    assert with_tree.fingerprint("hownet") == Resources.none().fingerprint("hownet")
    os.utime(own, ns=(1, 1))
    seen.add(with_tree.fingerprint())
    assert len(seen) == 3


def test_the_table_is_pinned() -> None:
    for resource in RESOURCES.values():
        if resource.archive:
            assert len(resource.sha256) == len(resource.archive.sha256) == 64 and resource.size and resource.member
    assert RESOURCES["hownet_tree"].archive is None
