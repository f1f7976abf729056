"""Calls tools of a server with the protocol's client library in Python.

Like `client.mjs`: reads calls as JSON from standard input, [{name, arguments}]. Prints one JSON
object, {revision, tools, results}, with `thrown` in place of a result that the library refused. The
library checks structured content against the schema of the tool's output.

usage: KEY=... client.py URL
"""

import asyncio
import json
import os
import sys

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def main(url, calls):
    headers = {"Authorization": f"Bearer {os.environ['KEY']}"}
    async with create_mcp_http_client(headers=headers) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            results = [await result_of(client, call) for call in calls]
            told = {"revision": client.protocol_version, "tools": tools, "results": results}
    print(json.dumps(told))


async def result_of(client, call):
    try:
        result = await client.call_tool(call["name"], call["arguments"])
    except Exception as error:
        return {"thrown": repr(error)}
    return result.model_dump(mode="json", by_alias=True)


asyncio.run(main(sys.argv[1], json.load(sys.stdin)))
