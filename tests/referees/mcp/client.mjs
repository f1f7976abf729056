// Calls tools of a server with the protocol's own client libraries. Reads calls as JSON from
// standard input: [{name, arguments}]. Prints one JSON object: {revision, tools, results}, one
// result per call, with `thrown` in place of a result that the library refused. Each library
// checks structured content against the schema of the tool's output; 1.x also that of refusals.
// Runs in the folder where the packages are installed.
//
// usage: KEY=... client.mjs sdk|client URL

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.cwd()}/`);
const [library, url] = process.argv.slice(2);
const about = { name: "parafa-tests", version: "1.0.0" };
const headers = { Authorization: `Bearer ${process.env.KEY}` };

function connectable() {
  if (library === "sdk") {
    const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
    const transport = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
    return { client: new Client(about), transport };
  }
  const transport = require("@modelcontextprotocol/client");
  const versionNegotiation = { mode: { pin: "2026-07-28" } };
  const client = new transport.Client(about, { versionNegotiation });
  return { client, transport };
}

const { client, transport } = connectable();
const connection = new transport.StreamableHTTPClientTransport(new URL(url), {
  requestInit: { headers },
});
await client.connect(connection);
const { tools } = await client.listTools();
// Normalizes numbers to JavaScript's notation in both copies of an answer: 60 for 60.0.
const asWritten = (block) =>
  block.text?.startsWith("{") ? { ...block, text: JSON.stringify(JSON.parse(block.text)) } : block;
const results = [];
for (const call of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const result = await client.callTool(call);
    results.push({ ...result, content: result.content.map(asWritten) });
  } catch (error) {
    results.push({ thrown: `${error.name}: ${error.message}` });
  }
}
const revision = connection.protocolVersion ?? client.getNegotiatedProtocolVersion?.();
await client.close();
console.log(JSON.stringify({ revision, tools: tools.map((tool) => tool.name), results }));
