"""The workbench for agents: its operations as tools of the Model Context Protocol, over standard input and output."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any

import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from topical_crawler import __version__
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.openapi import schema
from topical_crawler.workbench.operations import Operation

_PAUSE = 0.2  # seconds between two polls of a background job


def serve(bench: Bench, operations: Iterable[Operation], errors: tuple[type[Exception], ...]) -> None:
    """Serve ``operations`` of a workbench until the input ends. ``errors`` are reported to the agent."""
    with closing(bench):
        asyncio.run(_serve(bench, {operation.name: operation for operation in operations}, errors))


async def _serve(bench: Bench, operations: Mapping[str, Operation], errors: tuple[type[Exception], ...]) -> None:
    async def tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(operation) for operation in operations.values()])

    async def call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if (operation := operations.get(params.name)) is None:
            return _result(f"there is no tool {params.name}", wrong=True)
        try:
            values = operation.read({name: [value] for name, value in (params.arguments or {}).items()})
            while (data := await asyncio.to_thread(operation.run, bench, values)).get("waiting"):
                await asyncio.sleep(_PAUSE)
        except errors as error:
            return _result(str(error), wrong=True)
        return _result(json.dumps(data, ensure_ascii=False, default=str))

    server = Server("topical-crawler", version=__version__, on_list_tools=tools, on_call_tool=call)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _tool(operation: Operation) -> types.Tool:
    hints = types.ToolAnnotations(read_only_hint=not operation.acts)
    arguments = schema((*operation.places, *operation.params))
    return types.Tool(name=operation.name, description=operation.about, input_schema=arguments, annotations=hints)


def _result(text: str, *, wrong: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=wrong)
