"""The workbench for agents, asked by a client of the protocol."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from workbench_tools import ROOT

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore


def ask(folder: Path, *calls: tuple[str, dict[str, Any]], options: tuple[str, ...] = ()) -> tuple[set[str], list[Any]]:
    """The names of the tools, and what each call gives."""
    mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed: pip install 'topical-crawler[mcp]'")
    from mcp.client.stdio import StdioServerParameters, stdio_client

    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings"}
    command = ["-m", "topical_crawler", "workbench", "--mcp", *options]
    server = StdioServerParameters(command=sys.executable, args=command, env=environment, cwd=str(folder))

    async def talk() -> tuple[set[str], list[Any]]:
        async with stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            tools = await session.list_tools()
            return {tool.name for tool in tools.tools}, [await session.call_tool(name, values) for name, values in calls]

    return asyncio.run(talk())


def test_an_agent_searches_and_is_told_its_mistakes_and_acts_only_where_it_may(tmp_path: Path) -> None:
    with CorpusStore(tmp_path / "data/party/corpus.sqlite") as store:
        store.put(Record(url="http://a.cn/1", host="a.cn", keep=True, title="党课", text="支部书记讲党课。"))
    calls = (("corpus", {"crawl": "party", "q": "党课"}), ("corpus", {"crawl": "nowhere"}), ("stop", {"crawl": "party"}))
    tools, (found, mistake, forbidden) = ask(tmp_path, *calls)
    (hit,) = json.loads(found.content[0].text)["hits"]
    assert hit["lines"][0] == {"left": "支部书记讲", "match": "党课", "right": "。"}
    assert mistake.is_error
    assert "There are: party" in mistake.content[0].text
    assert "stop" not in tools
    assert forbidden.is_error
    assert "stop" in ask(tmp_path, options=("--act",))[0]
