"""OpenAPI 3.1 description of the workbench's API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from topical_crawler import __version__
from topical_crawler.workbench.operations import Operation, Param


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """Return the OpenAPI document of ``operations``."""
    paths: dict[str, Any] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})["post" if operation.acts else "get"] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "topical_crawler workbench",
            "version": __version__,
            "description": "Reading takes the token in a header or the cookie of the page, acting takes it in the header.",
        },
        "servers": [{"url": "/api"}],
        "security": [{"token": []}],
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "paths": paths,
    }


def schema(params: Iterable[Param]) -> dict[str, Any]:
    """Return the JSON schema of an object with these arguments."""
    listed = list(params)
    found: dict[str, Any] = {"type": "object", "properties": {param.name: param.schema() for param in listed}}
    return found | {"required": [param.name for param in listed if param.required], "additionalProperties": False}


def _described(operation: Operation) -> dict[str, Any]:
    parameters = [_parameter(param, "path") for param in operation.places]
    described: dict[str, Any] = {"operationId": operation.name, "summary": operation.about}
    if operation.acts:
        described["requestBody"] = {"content": {"application/json": {"schema": schema(operation.params)}}}
    else:
        parameters += [_parameter(param, "query") for param in operation.params]
    problem = {"description": "an object with the message as error"}
    answer = {"description": "done", "content": {"application/json": {"schema": {"type": "object"}}}}
    return described | {"parameters": parameters, "responses": {"200": answer, "400": problem, "403": problem, "404": problem}}


def _parameter(param: Param, where: str) -> dict[str, Any]:
    inner = param.schema()
    return {"name": param.name, "in": where, "required": where == "path" or param.required,
            "description": inner.pop("description"), "schema": inner}  # fmt: skip
