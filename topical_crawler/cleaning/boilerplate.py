"""What is left of an extracted text without the boilerplate of its page, and whether that is a text at all.

After Zhou et al. 2019, section 3.3: pages of a video, of a copyright notice or of share prompts pass every test of the topic by
their title and menus, so the text itself is looked at once more before it is stored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.cleaning.site_lines import NOTHING, Learned
from topical_crawler.package_data import data_folder

MIN_CHARACTERS = 50
"""Fewest letters and digits of a text: the shortest of 11,055 news items has 56."""
MAX_LINE = 300
"""Longest line that may be boilerplate, in characters; longer ones are text."""
MAX_LEFT = 4
"""Most letters and digits left of a boilerplate line once its patterns are taken out."""
MAX_LINK_SHARE = 0.5
"""Most of a text's letters, as a part of 1, that may stand in lines which are the text of links."""
MAX_LINK_LINE = 60
"""Longest line, in letters, that is looked up among the links: longer ones are sentences."""
MAX_STEPS = 30_000
"""Bound on the product of an expression's counts: it keeps the slowest match of a line near a tenth of a second."""

NO_TEXT = "no text"
BOILERPLATE_ONLY = "boilerplate only"
COPYRIGHT_ONLY = "copyright only"
NEAR_EMPTY = "near-empty"
LIST_OF_LINKS = "list of links"

_GOES_ON = tuple("（(：:，,、。；;")
"""What a line begins with that goes on with the sentence of the line before, as where a word of it is set apart."""

_Kind = Literal["copyright", "boilerplate"]
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufff9-\ufffb\x00-\x08\x0e-\x1f\x7f]")
_ESCAPED = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_COUNT = re.compile(r"(\)?)\{(?:(\d*),)?(\d*)\}")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned text, or "" with the ``reason`` why there is none; and the different lines taken out of it."""

    text: str
    reason: str = ""
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Patterns:
    """What boilerplate looks like: ``copyright`` matches notices, licences and imprint, ``boilerplate`` menus, prompts,
    datelines."""

    copyright: re.Pattern[str]
    boilerplate: re.Pattern[str]


class Cleaner:
    """Takes boilerplate out of texts.

    Args:
        min_characters: fewest letters and digits of a text that is kept.
        patterns: of boilerplate; those of ``lexicon/boilerplate.txt`` where not given.

    Raises:
        ValueError: ``lexicon/boilerplate.txt`` has a malformed line.
    """

    def __init__(self, min_characters: int = MIN_CHARACTERS, patterns: Patterns | None = None) -> None:
        self.min_characters = min_characters
        self.patterns = patterns or default_patterns()

    def clean(self, text: str, anchors: Collection[str] = (), title: str = "", learned: Learned = NOTHING) -> Cleaned:
        """Normalise ``text`` (NFC, no invisible characters, at most one blank line in a row) and take away boilerplate at its
        head and tail. It is rejected as "no text", as "boilerplate only" or "copyright only" (whichever has more characters), or
        as "near-empty": fewer than ``min_characters`` letters and digits, boilerplate between its lines not counted; or as
        "list of links": more than half of it is the text of links (pages of tags, of titles).

        Args:
            text: as extracted, one paragraph a line.
            anchors: anchor texts of the page's links; a line that is one of them is navigation.
            title: of the page; a line at the head or the tail that only repeats it is no text.
            learned: what is known of the lines of the page's host; those that it repeats are no text.

        >>> Cleaner().clean("首页 | 关于我们 | 联系我们\\n版权所有 某某网 未经书面授权禁止使用\\n京ICP证000001号").reason
        'copyright only'
        >>> Cleaner().clean("来源：某某网\\n" + "各支部开展主题党日活动。" * 6 + "\\n（责任编辑：王某）").text[:8]
        '各支部开展主题党'
        """
        lines = normalise_lines(text)
        if not lines:
            return Cleaned("", NO_TEXT)
        links = {" ".join(anchor.split()) for anchor in (*anchors, title)}

        def of_text(line: str) -> bool:
            return bool(line) and line not in links and self.kind(line) is None

        def is_continued(i: int) -> bool:
            following = lines[i + 1] if i + 1 < len(lines) else ""
            return following.startswith(_GOES_ON) and of_text(following) and not learned.at_edge(following)

        def content(i: int) -> bool:
            return of_text(lines[i]) and (not learned.at_edge(lines[i]) or is_continued(i))

        # From the head only as far as needed, then from the tail: most lines of a text are never matched.
        first, letters = None, 0
        for i, line in enumerate(lines):
            if content(i):
                first = i if first is None else first
                letters += count_letters(line)
                if letters >= self.min_characters:
                    break
        if first is None:
            notices = sum(len(line) for line in lines if self.kind(line) == "copyright")
            return Cleaned("", COPYRIGHT_ONLY if 2 * notices > sum(map(len, lines)) else BOILERPLATE_ONLY)
        if letters < self.min_characters:
            return Cleaned("", NEAR_EMPTY)
        last = next(i for i in range(len(lines) - 1, -1, -1) if content(i))
        repeated = {i for i in range(first, last + 1) if learned.within(lines[i]) and not is_continued(i)}
        kept = [lines[i] for i in range(first, last + 1) if i not in repeated]
        if _link_share(kept, anchors) > MAX_LINK_SHARE:
            return Cleaned("", LIST_OF_LINKS)
        outer = (line for line in lines[:first] + lines[last + 1 :] if line)
        removed = dict.fromkeys([*outer, *(lines[i] for i in sorted(repeated))])
        return Cleaned("\n".join(kept), "", tuple(removed))

    def kind(self, line: str) -> _Kind | None:
        """What boilerplate a line is, None for text.

        >>> [Cleaner().kind(line) for line in ("互联网新闻信息许可证 1012006", "分享到：微博 微信", "党支部")]
        ['copyright', 'boilerplate', None]
        """
        if len(line) > MAX_LINE:
            return None
        folded = _fold(line)
        left, notices = self.patterns.copyright.subn("", folded)
        left, others = self.patterns.boilerplate.subn("", left)
        if not (notices or others) or count_letters(left) > MAX_LEFT:
            return None
        return "copyright" if notices else "boilerplate"


def _link_share(lines: Iterable[str], anchors: Iterable[str]) -> float:
    """The part of a text's letters, 0 to 1, that stands in lines which are (a part of) a link's text: on a page of tags or of
    titles nearly all, in an article hardly any."""
    linked = "\n".join(" ".join(anchor.split()) for anchor in anchors)
    letters = in_links = 0
    for line in lines:
        count = count_letters(line)
        letters += count
        if count <= MAX_LINK_LINE and line in linked:
            in_links += count
    return in_links / letters if letters else 0.0


def normalise_lines(text: str) -> list[str]:
    """The lines of ``text`` in NFC, without invisible characters, white space at their ends and repeated blank lines.

    >>> normalise_lines("\\ufeff　　党建\\u200b要闻\\r\\n\\r\\n\\r\\n正文 ")
    ['党建要闻', '', '正文']
    """
    lines: list[str] = []
    for raw in unicodedata.normalize("NFC", text).splitlines():
        line = _INVISIBLE.sub("", raw).strip()
        if line or (lines and lines[-1]):
            lines.append(line)
    if lines and not lines[-1]:
        lines.pop()
    return lines


@cache
def default_patterns() -> Patterns:
    """The patterns of ``lexicon/boilerplate.txt``."""
    source = data_folder().joinpath("boilerplate.txt")
    return read_patterns(source.read_text("utf-8").splitlines(), str(source))


def read_patterns(lines: Iterable[str], name: str) -> Patterns:
    """Read patterns in the format that ``lexicon/boilerplate.txt`` explains at its head.

    Args:
        lines: of the file.
        name: of the file, for messages.

    Raises:
        ValueError: a malformed line, with file, line and remedy.

    >>> read_patterns(["[boilerplate]", "分享到", "[copyright]", "/版权所有.*/"], "my.txt")
    Traceback (most recent call last):
    ...
    ValueError: my.txt, line 4: * and + have no bound; write a count such as {0,80}
    """
    sections: dict[str, list[str]] = {"copyright": [], "boilerplate": []}
    section: list[str] | None = None
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        where = f"{name}, line {number}"
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = sections.get(line.strip("[]"))
            if section is None or not line.endswith("]"):
                raise ValueError(f"{where}: {line!r} is no section; write [copyright] or [boilerplate]")
        elif section is None:
            raise ValueError(f"{where}: a pattern before the first section; put [copyright] or [boilerplate] above it")
        elif line.startswith("/"):
            section.append(_expression(line, where))
        elif not (phrase := _fold(line)):
            raise ValueError(f"{where}: the phrase has no visible character; take the line away")
        else:
            section.append(re.escape(phrase))
    for kind, patterns in sections.items():
        if not patterns:
            raise ValueError(f"{name}: no pattern under [{kind}]; add one, such as 版权所有 under [copyright]")
    # The longest phrase first, so that a phrase does not hide another that begins like it.
    joined = {kind: "|".join(sorted(patterns, key=len, reverse=True)) for kind, patterns in sections.items()}
    return Patterns(re.compile(joined["copyright"], re.IGNORECASE), re.compile(joined["boilerplate"], re.IGNORECASE))


def _expression(line: str, where: str) -> str:
    if len(line) < 3 or not line.endswith("/"):
        raise ValueError(f"{where}: a regular expression stands between two slashes, as in /版权所有.{{0,80}}/")
    source = line[1:-1]
    bare = _ESCAPED.sub("x", source)
    if "*" in bare or "+" in bare:
        raise ValueError(f"{where}: * and + have no bound; write a count such as {{0,80}}")
    steps = 1
    for group, _, most in _COUNT.findall(bare):
        if group:
            raise ValueError(f"{where}: a count on a group makes matching slow; write the group out")
        if not most:
            raise ValueError(f"{where}: a count needs a bound, as in {{0,80}}")
        steps *= max(1, int(most))
    if steps > MAX_STEPS:
        raise ValueError(
            f"{where}: the counts multiply to {steps:,}, more than {MAX_STEPS:,}; lower them or split the expression"
        )
    try:
        pattern = re.compile(source, re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{where}: not a regular expression ({error}); mend it, or take the slashes off for a phrase") from None
    if pattern.groups:
        raise ValueError(f"{where}: write (?:…) for (…)")
    if pattern.match(""):
        raise ValueError(f"{where}: the expression matches an empty line; give it at least one fixed character")
    return f"(?:{source})"


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
