"""Change the formulas of the four papers, and see that a test notices: python benchmarks/mutants.py [--only NAME …] [--list]

Each function that has a formula (:data:`TARGETS`) is changed in one place: a sign or an operation is another one, an operand is
left out or both are exchanged, a comparison takes in its bound or leaves it out, two weights are exchanged, a number is larger by
one or by a tenth, a logarithm has another base, min is max, a condition is turned or left out. So is each printed constant
(:data:`CONSTANTS`). Then the tests of that formula must fail. Those that pass all the same are named, and the exit code is 1.

Tests are collected once. Every mutant is tried in a fork of that process, in which the function has the code of the mutant. A
mutant that changes no result, such as one that only takes longer, is in :data:`EQUIVALENT` with the reason.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import inspect
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 20  # that the tests of a mutant may take; one that ends by itself no more is noticed
PROCESSES = max(2, os.cpu_count() or 1)


@dataclass(frozen=True)
class Target:
    """Functions of a module, and the tests of them: paths from ``tests``, beside the doctests of the module itself."""

    module: str
    functions: tuple[str, ...]
    tests: tuple[str, ...]


_ZHOU = "papers/test_zhou2019.py"
TARGETS = (
    # Zhou, Wang, Yu 2019
    Target(
        "topical_crawler.strategies.semantic.similarity",
        ("algorithm1", "WordSimilarity.sim"),
        (_ZHOU, "strategies/semantic/test_similarity.py"),
    ),
    Target(
        "topical_crawler.strategies.semantic.priority",
        ("share", "Priority.part", "Priority.relevance", "Priority.bound", "Priority.of"),
        (_ZHOU,),
    ),
    Target(
        "topical_crawler.strategies.semantic.score_table",
        ("ScoreTable.build", "_cosines"),
        ("strategies/semantic/test_score_table.py",),
    ),
    Target(
        "topical_crawler.strategies.semantic.strategy",
        ("Semantic._priority", "Semantic._best", "Semantic._read_anchor", "Semantic.confirm"),
        (_ZHOU, "strategies/semantic/test_strategy.py"),
    ),
    Target(
        "topical_crawler.strategies.semantic.parameters",
        ("ahp_weights", "consistency_ratio"),
        (_ZHOU, "strategies/semantic/test_ahp.py"),
    ),
    Target(
        "topical_crawler.strategies.semantic.url_structure",
        ("structure_similarity", "_host_similarity", "_path_similarity", "struct", "struct_of_host", "_struct_of_path"),
        ("papers/test_zhou_urls.py", _ZHOU),
    ),
    Target("topical_crawler.text.statistics", ("WordStatistics.add", "WordStatistics.weight"), (_ZHOU, "text/test_weights.py")),
    Target(
        "topical_crawler.resources.hownet",
        (
            *("SememeTree.similarities", "value_similarities", "HowNet.similarity", "HowNet.of_sense", "ConceptIndex.row"),
            *("_Overlap.row", "_Parts.row", "_Sets._compare", "_paired", "_Structures.row"),
        ),
        ("papers/test_liu_li.py", "resources/test_hownet.py"),
    ),
    Target("topical_crawler.resources.vectors", ("WordVectors.similarity",), ("papers/test_zhang.py",)),
    # Sun et al. 2018
    Target(
        "topical_crawler.strategies.esvsm.vector_space",
        (
            "TextAndAnchor.judge",
            "TextAndAnchor.score",
            "TextAndAnchor.priority",
            "TextAndAnchor.confirm",
            "TextAndAnchor.explain",
        ),
        ("papers/test_sun2018.py", "strategies/esvsm/test_eq9.py"),
    ),
    Target(
        "topical_crawler.strategies.esvsm.vector_space",
        ("TermSimilarity.means", "TermSvsm.semantic_vector", "TermSvsm.of", "TermSvsm.parts"),
        ("papers/test_sun2018.py", "strategies/esvsm/test_svsm.py", "strategies/esvsm/test_term_similarity.py"),
    ),
    Target(
        "topical_crawler.strategies.esvsm.topic_model", ("sub_topics", "topic_vector"), ("strategies/esvsm/test_topic_model.py",)
    ),
    Target(
        "topical_crawler.text.statistics",
        ("term_vector", "keyword_vector", "norm", "Vsm.of", "Vsm.parts"),
        ("text/test_tfidf.py",),
    ),
    # Zhang et al.
    Target(
        "topical_crawler.strategies.odp2evsm.extension",
        ("WordExtension.rel", "WordExtension.exp", "TopicExtension.row", "TopicExtension.between", "TopicExtension._compare"),
        ("papers/test_zhang.py", "strategies/odp2evsm/test_extension.py"),
    ),
    Target(
        "topical_crawler.strategies.odp2evsm.page_keywords",
        ("order_weights", "NodeWeights.of", "NodeWeights.features", "NodeWeights._of_tag", "textrank"),
        ("papers/test_zhang.py", "strategies/odp2evsm/test_order_relation.py", "strategies/odp2evsm/test_textrank.py"),
    ),
    Target(
        "topical_crawler.strategies.odp2evsm.page_keywords",
        ("ExtensionMeasure.of_page", "ExtensionMeasure.of_anchor", "ExtensionMeasure._relevance"),
        ("strategies/odp2evsm/test_strategy.py",),
    ),
    Target(
        "topical_crawler.strategies.odp2evsm.topic_keywords",
        ("own_keywords", "initial_keywords", "Expansion.learn", "Expansion._empty"),
        ("papers/test_zhang.py", "strategies/odp2evsm/test_expansion.py"),
    ),
    Target(
        "topical_crawler.resources.categories",
        ("CategoryTree.keywords",),
        ("papers/test_zhang.py", "resources/test_categories.py"),
    ),
    # Chen, Zhu 2011
    Target(
        "topical_crawler.strategies.content_url",
        ("ContentUrl.judge", "ContentUrl.score", "ContentUrl._factor", "_best"),
        ("papers/test_chen2011.py", "strategies/test_content_url.py"),
    ),
    Target(
        "topical_crawler.strategies.content_url",
        ("prefixes", "FrequentPrefixes.add", "FrequentPrefixes._add_frequent", "PrefixSets.match"),
        ("papers/test_chen2011.py", "strategies/test_url_prefixes.py"),
    ),
    # Precision, recall and F of all of them
    Target("experiments.comparison", ("Quality.f",), ()),
    Target(
        "topical_crawler.evaluation.metrics",
        ("Shares.precision", "Shares.recall", "group_score", "area_under_recall"),
        ("evaluation/test_metrics.py",),
    ),
)


# -- Mutants

_OTHER_OPERATION = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.MatMult: ast.Mult,
}  # fmt: skip
_AT_BOUND = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_TURNED = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_OTHER_NAME = {
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "argmax": "argmin", "sum": "max", "fsum": "max",
    "log": "log2", "flatnonzero": "nonzero", "ones": "zeros", "zeros": "ones",
    "alpha": "beta", "beta": "lam", "lam": "alpha", "th1": "th2", "th2": "th1", "sim_h": "sim_d", "sim_d": "sim_h",
    "page_weight": "anchor_weight", "anchor_weight": "page_weight",
    "raise_factor": "lower_factor", "lower_factor": "raise_factor",
    "a_host": "a_path", "a_path": "a_host", "relevant": "irrelevant", "irrelevant": "relevant", "description": "anchor",
    "anchor": "description", "structure": "anchor", "held": "collected", "available": "relevant", "collected": "available",
    "occurrences": "spread", "spread": "occurrences",
    "sources": "targets", "targets": "sources", "left": "right", "right": "left",
}  # fmt: skip
_PLAIN = frozenset(("sqrt", "abs", "sorted", "set", "reversed"))  # calls that are left out


def _variants(node: ast.AST) -> Iterator[ast.AST | None]:
    """Yield what may replace a node. None stands for nothing."""
    match node:
        case ast.BinOp(left, operation, right):
            if other := _OTHER_OPERATION.get(type(operation)):
                yield ast.BinOp(left, other(), right)
            yield left
            yield right
            if isinstance(operation, ast.Sub | ast.Div | ast.FloorDiv):
                yield ast.BinOp(right, operation, left)
        case ast.AugAssign(target, operation, value):
            yield None
            if other := _OTHER_OPERATION.get(type(operation)):
                yield ast.AugAssign(target, other(), value)
        case ast.Compare(left, [operation], others):
            for table in (_AT_BOUND, _TURNED):
                if other := table.get(type(operation)):
                    yield ast.Compare(left, [other()], others)
        case ast.BoolOp(operation, values):
            yield ast.BoolOp(ast.Or() if isinstance(operation, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not() | ast.USub() | ast.Invert(), operand):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() as value):
            yield ast.Constant(value + 1)
        case ast.Constant(float() as value):
            yield ast.Constant(value * 1.1 if value else 0.1)
        case ast.IfExp(_, body, orelse):
            yield body
            yield orelse
        case ast.Call(ast.Name(id=name) | ast.Attribute(attr=name), [first, *_]) if name in _PLAIN:
            yield first
        case ast.Slice(lower, upper, step) if lower or upper:
            if lower:
                yield ast.Slice(None, upper, step)
            if upper:
                yield ast.Slice(lower, None, step)
        case ast.comprehension(target, iterated, [_, *others], is_async):
            yield ast.comprehension(target, iterated, others, is_async)
        case ast.Name(id=name, ctx=ast.Load()) if name in _OTHER_NAME:
            yield ast.Name(_OTHER_NAME[name], ast.Load())
        case ast.Attribute(value, attr=name, ctx=ast.Load()) if name in _OTHER_NAME:
            yield ast.Attribute(value, _OTHER_NAME[name], ast.Load())


_PASSED_OVER = ("returns", "decorator_list", "annotation", "args", "exc", "ctx", "func_type")


def _is_beside(node: ast.AST) -> bool:
    """Tell whether a part of a function leaves its result alone, as a report of progress or ``strict`` of zip does."""
    match node:
        case ast.If(ast.Name("progress")) | ast.keyword("strict"):
            return True
    return False


def _places(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Every node below ``node`` with its parent, its field and its number there, but messages, annotations and defaults."""
    for name, value in ast.iter_fields(node):
        if name in _PASSED_OVER and not (name == "args" and isinstance(node, ast.Call)):
            continue
        for number, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr | ast.Raise) and not _is_beside(child):
                yield node, name, number, child
                yield from _places(child)


def changed(text: str) -> list[str]:
    """An expression with each change, as text."""
    tree = ast.parse(text, mode="eval")
    found = []
    for parent, field, number, node in list(_places(tree)):
        for variant in _variants(node):
            _set(parent, field, number, variant or ast.Pass())
            found.append(_text(tree))
            _set(parent, field, number, node)
    return found


@dataclass(frozen=True)
class Mutant:
    """A change of one place of a function, or of a constant."""

    target: Target
    function: str  # that is changed, as :func:`_key` has it; "" for a constant
    name: str  # what is changed, and how, as one line; unique
    apply: Callable[[], None]


def _parsed(name: str) -> tuple[ModuleType, ast.Module]:
    module = importlib.import_module(name)
    return module, ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))


def _definition(tree: ast.AST, function: str) -> ast.FunctionDef:
    for name in function.split("."):
        tree = next(n for n in ast.iter_child_nodes(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name)
    assert isinstance(tree, ast.FunctionDef), function
    return tree


def _compiled(tree: ast.Module, module: ModuleType, function: str) -> CodeType:
    """The code of a function within that of its module."""
    code = compile(ast.fix_missing_locations(tree), str(module.__file__), "exec")
    for name in function.split("."):
        code = next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)
    return code


def _function(module: ModuleType, function: str) -> FunctionType:
    """The function itself, without what wraps it."""
    found: Any = module
    for name in function.split("."):
        found = inspect.getattr_static(found, name)
    for attribute in ("fget", "__func__", "__wrapped__"):
        found = getattr(found, attribute, found)
    assert isinstance(found, FunctionType), function
    return found


def _key(module: str, function: str) -> str:
    return f"{module}:{function}"


def mutants_of(target: Target, function: str) -> Iterator[Mutant]:
    """All mutants of a function, in the order of its text."""
    module, tree = _parsed(target.module)
    changed = _function(module, function)
    seen: Counter[str] = Counter()
    for parent, field, number, node in list(_places(_definition(tree, function))):
        for variant in _variants(node):
            name = f"{function}: {_text(node)} -> {_text(variant) if variant else 'nothing'}"
            seen[name] += 1
            name += f" ({seen[name]})" if seen[name] > 1 else ""

            def apply(at: _Place = (parent, field, number), put: ast.AST | None = variant, node: ast.AST = node) -> None:
                _set(*at, ast.copy_location(copy.deepcopy(put or ast.Pass()), node))
                changed.__code__ = _compiled(tree, module, function)

            yield Mutant(target, _key(target.module, function), name, apply)


_Place = tuple[ast.AST, str, int | None]


def _set(parent: ast.AST, field: str, number: int | None, node: ast.AST) -> None:
    if number is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[number] = node


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


CONSTANTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "topical_crawler.strategies.semantic.parameters": (
        ("PRINTED.link_threshold", "PRINTED.structure.threshold", "PRINTED_SIMILARITY.th1", "PRINTED_SIMILARITY.th2",
         "RANDOM_INDEX", "MAX_INCONSISTENCY"),
        (_ZHOU, "strategies/semantic/test_ahp.py"),
    ),
    "topical_crawler.resources.hownet": (
        ("ALPHA", "GAMMA", "NO_PATH", "BETAS", "DELTA"), ("papers/test_liu_li.py", "resources/test_hownet.py")),
    "topical_crawler.strategies.esvsm.topic_model": (("SUB_TOPICS", "WORDS"), ("papers/test_sun2018.py",)),
    "topical_crawler.strategies.odp2evsm.extension": (("LAMBDA", "RELATED"), ("papers/test_zhang.py",)),
    "topical_crawler.strategies.odp2evsm.page_keywords": (("DAMPING",), ("papers/test_zhang.py",)),
    "topical_crawler.resources.categories": (("GENERATIONS",), ("papers/test_zhang.py",)),
}  # fmt: skip
"""Constants of modules that a paper prints, and the tests of them."""


def constants() -> Iterator[Mutant]:
    """Each printed number, larger by a tenth, or by one."""
    for module, (names, tests) in CONSTANTS.items():
        target = Target(module, (), tests)
        for name in names:
            *path, last = name.split(".")
            holder: Any = importlib.import_module(module)
            for part in path:
                holder = getattr(holder, part)
            for what, value in _larger(getattr(holder, last)):
                yield Mutant(target, "", f"{name}: {what}", lambda h=holder, n=last, v=value: _give(h, n, v))


def _larger(value: Any) -> Iterator[tuple[str, Any]]:
    match value:
        case int() | float():
            yield f"{value} -> {(other := value + 1 if isinstance(value, int) else value * 1.1 or 0.1)}", other
        case tuple():
            for number, part in enumerate(value):
                for what, other in _larger(part):
                    yield f"number {number}: {what}", (*value[:number], other, *value[number + 1 :])
        case Mapping():
            for key, part in value.items():
                for what, other in _larger(part):
                    yield f"{key}: {what}", {**value, key: other}


def _give(holder: Any, name: str, value: Any) -> None:
    """Also to every module that has imported it, and to the functions for which it is a default."""
    if not isinstance(holder, ModuleType):
        object.__setattr__(holder, name, value)
        return
    before = getattr(holder, name)
    for module in [module for module in sys.modules.values() if getattr(module, name, None) is before]:
        setattr(module, name, value)


# -- Trying them


QUIET = ("-n", "0", "-q", "-q", "-s", "--tb=no", "--assert=plain", "-W", "ignore", "-p", "no:cacheprovider")


class Trial:
    """A plugin of pytest that runs the tests once for each mutant, in forks of the process that collected them."""

    def __init__(self, only: Sequence[str]) -> None:
        every = [m for target in TARGETS for function in target.functions for m in mutants_of(target, function)]
        self.mutants = [m for m in (*every, *constants()) if not only or any(part in m.name for part in only)]
        self._all = not only
        self.survivors: list[str] = []
        self.needless: list[str] = []  # of EQUIVALENT
        self.broken: list[str] = []  # tests that fail without any mutant

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """Have properties fail at the first example that does: none is made smaller, which takes longest."""
        settings.register_profile("mutants", settings.default, phases=(Phase.explicit, Phase.generate))
        settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In place of pytest's own: run no test here."""
        session.config.pluginmanager.unregister(name="terminalreporter")
        runs = _run_all(session.items)
        self.broken = [run.item.nodeid for run in runs if not run.passed]
        if not self.broken:
            passing = _try_all([(mutant, _that_see(mutant, runs)) for mutant in self.mutants])
            self.survivors = [m.name for m in passing if m.name not in EQUIVALENT]
            self.needless = sorted(EQUIVALENT.keys() - {m.name for m in passing}) if self._all else []
        return True


def _tests(target: Target) -> tuple[str, ...]:
    """Paths from the root: the module, for its own examples, and modules of tests."""
    return target.module.replace(".", "/") + ".py", "tests/papers/test_edges.py", *(f"tests/{name}" for name in target.tests)


@dataclass(frozen=True)
class Run:
    """A test as it went without a mutant."""

    item: pytest.Item
    passed: bool
    seconds: float
    called: frozenset[str]  # names of the functions of TARGETS that it called


def _run_all(items: Sequence[pytest.Item]) -> list[Run]:
    """Run every test once without a mutant. Return the runs, the shortest first."""
    files = sorted({item.path for item in items})
    shares = [[item for item in items if item.path in files[number::PROCESSES]] for number in range(PROCESSES)]
    readers = []
    for share in filter(None, shares):
        reader, writer = os.pipe()
        if not os.fork():
            _be_quiet()
            os.write(writer, json.dumps([(i.nodeid, *found) for i, found in zip(share, _noted(share), strict=True)]).encode())
            os._exit(0)
        os.close(writer)
        readers.append(reader)
    by_name = {item.nodeid: item for item in items}
    runs = []
    for reader in readers:
        with os.fdopen(reader, encoding="utf-8") as answer:
            runs += [
                Run(by_name[name], passed, seconds, frozenset(called)) for name, passed, seconds, called in json.load(answer)
            ]
        os.wait()
    return sorted(runs, key=lambda run: run.seconds)


def _noted(items: Sequence[pytest.Item]) -> Iterator[tuple[bool, float, list[str]]]:
    """Run tests, and note of each whether it passed, its seconds, and the functions that it called."""
    called: set[str] = set()
    sys.modules[__name__].__dict__["note"] = called.add
    for target in TARGETS:
        for function in target.functions:
            module, tree = _parsed(target.module)
            call = ast.parse(f"__import__('sys').modules[{__name__!r}].note({_key(target.module, function)!r})").body[0]
            _definition(tree, function).body.insert(0, call)
            _function(module, function).__code__ = _compiled(tree, module, function)
    session = items[0].session
    for item, following in zip(items, [*items[1:], None], strict=True):
        called.clear()
        failed, began = session.testsfailed, time.perf_counter()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        yield session.testsfailed == failed, time.perf_counter() - began, sorted(called)


def _that_see(mutant: Mutant, runs: Sequence[Run]) -> list[pytest.Item]:
    """Return the tests of a mutant that call its function. A constant has all tests of its module."""
    files = [ROOT / name for name in _tests(mutant.target)]
    return [run.item for run in runs if run.item.path in files and (not mutant.function or mutant.function in run.called)]


def _be_quiet() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)


def _try(mutant: Mutant, items: Sequence[pytest.Item]) -> int:
    """A process that ends with 0 where all tests pass with a mutant, otherwise at the first that fails, and in time."""
    if process := os.fork():
        return process
    try:
        _be_quiet()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of processor time
        signal.alarm(10 * SECONDS)
        mutant.apply()
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.testsfailed:
                os._exit(1)
        os._exit(0)
    except BaseException:
        os._exit(1)


def _try_all(mutants: Sequence[tuple[Mutant, Sequence[pytest.Item]]]) -> list[Mutant]:
    """Those for which all tests pass, :data:`PROCESSES` at a time."""
    waiting, running, passing = list(reversed(mutants)), dict[int, Mutant](), []
    while waiting or running:
        if waiting and len(running) < PROCESSES:
            mutant, items = waiting.pop()
            running[_try(mutant, items)] = mutant
            continue
        process, status = os.wait()
        ended = running.pop(process)
        if status == 0:
            passing.append(ended)
            if ended.name not in EQUIVALENT:
                print(f"no test fails: {ended.name}", flush=True)
    return passing


def environment() -> dict[str, str]:
    """Return the variables of a process that runs this."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def main() -> int:
    """Try them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="mutants whose name holds this")
    options = parser.parse_args()
    os.chdir(ROOT)
    trial, began = Trial(options.only), time.monotonic()
    files = sorted({name for m in trial.mutants for name in _tests(m.target)})
    code = pytest.main([*QUIET, *files], plugins=[trial])
    for what, names in (
        ("fails without a mutant", trial.broken),
        ("needless", trial.needless),
    ):
        for name in names:
            print(f"{what}: {name}")
    counts = f"{len(trial.mutants)} mutants, {len(trial.survivors)} survivors, {len(EQUIVALENT)} equivalent"
    print(f"{counts}: {time.monotonic() - began:.0f} s")
    return int(bool(trial.broken or trial.survivors or trial.needless or not len(trial.mutants) or code))


_SLOWER = "the same answer, later"
_TIE = "of what is equal, another one is named"
_UNUSED = "nothing reads this value"
_BOUND = "no input lies on the bound"
_NORMED = "the norm takes it out"
_ORDER = "the order within does not matter"
EQUIVALENT: Mapping[str, str] = {
    "ScoreTable.build: part > greatest -> part >= greatest": _TIE,
    "ScoreTable.build: np.zeros -> np.ones (3)": _UNUSED,
    "_cosines: start:start + _ROWS_AT_ONCE -> start:": _SLOWER,
    "Semantic._best: self.eq5.struct(candidate.url) if structure is None else structure -> "
    "self.eq5.struct(candidate.url)": _SLOWER,
    "Semantic._best: priority > best[0] -> priority >= best[0]": _TIE,
    "ahp_weights: (ratio := consistency_ratio(matrix)) > MAX_INCONSISTENCY -> "
    "(ratio := consistency_ratio(matrix)) >= MAX_INCONSISTENCY": _BOUND,
    "ahp_weights: np.abs(vectors[:, int(np.argmax(eigenvalues.real))].real) -> "
    "vectors[:, int(np.argmax(eigenvalues.real))].real": _NORMED,
    "_host_similarity: 1.0 -> 1.1": _UNUSED,
    "_host_similarity: part1 and part2 -> part1 or part2": "an empty part has no character in common with another",
    "struct: url if isinstance(url, UrlParts) else UrlParts.of(url) -> url": _SLOWER,
    "struct: len(sample) - compared -> len(sample) + compared": _SLOWER,
    "struct: len(sample) - compared -> len(sample)": _SLOWER,
    "struct_of_host: 0.0 -> 0.1": _UNUSED,
    "struct_of_host: value + parameters.beta * 2 * parameters.a_path > parameters.threshold -> "
    "value + parameters.beta * 2 * parameters.a_path >= parameters.threshold": _SLOWER,
    "struct_of_host: parameters.beta * 2 * parameters.a_path -> parameters.beta * 2 / parameters.a_path": _SLOWER,
    "struct_of_host: parameters.beta * 2 * parameters.a_path -> parameters.beta * 2": _SLOWER,
    "struct_of_host: parameters.beta * 2 -> 2": _SLOWER,
    "struct_of_host: 2 -> 3 (2)": _SLOWER,
    "_struct_of_path: left -= 1 -> nothing": _SLOWER,
    "_struct_of_path: left -= 1 -> left += 1": _SLOWER,
    "SememeTree.similarities: sorted({a for n in nodes for a in self._chains[n]}) -> "
    "{a for n in nodes for a in self._chains[n]}": _ORDER,
    "SememeTree.similarities: sorted({index for places in chosen for index in places}) -> "
    "{index for places in chosen for index in places}": _ORDER,
    "value_similarities: concrete[:, None] ^ concrete[None, :] -> concrete[:, None] | concrete[None, :]": "set to 0 after that",
    "_Sets._compare: len(own) - size -> size - len(own)": "within abs()",
    "_paired: 1.0 -> 1.1": "less than any similarity",
    "_paired: 1.0 -> 1.1 (2)": "less than any similarity",
    "TextAndAnchor.explain: 1 -> 2": "divides 0",
    "sub_topics: sorted({word for document in documents for word in document}) -> "
    "{word for document in documents for word in document}": "the same within one process",
    "TopicExtension.row: 0.0 -> 0.1": "the sign with rel 0 is that of groups of one word, which is 1 with itself",
    "order_weights: 1.0 -> 1.1": _NORMED,
    "NodeWeights.features: 1 -> 2": _UNUSED,
    "textrank: sources -> targets": "edges have no direction",
    "textrank: change > tolerance -> change >= tolerance": _BOUND,
    "textrank: ranks - before -> before - ranks": "within abs()",
    "textrank: 9 -> 10": _TIE,
    "ExtensionMeasure.of_page: set(head) -> head": _SLOWER,
    "ExtensionMeasure.of_page: for word, rank in ranks if rank > 0 -> for word, rank in ranks": "no word weighs 0",
    "ExtensionMeasure.of_page: rank > 0 -> rank >= 0": "no word weighs 0",
    "Expansion.learn: :16 -> :": "as good a digest",
    "Expansion.learn: 16 -> 17": "as good a digest",
    "CategoryTree.keywords: i + 2 -> i - 2": "no keyword has one character",
    "CategoryTree.keywords: i + 2 -> i": "no keyword has one character",
    "CategoryTree.keywords: i + 2 -> 2": "no keyword has one character",
    "CategoryTree.keywords: 1 -> 2": "slices end with their text",
    "prefixes: 2 -> 3": "no host is empty",
}  # fmt: skip
"""Mutants that no test can notice, and why."""


if __name__ == "__main__":
    sys.exit(main())
