//! Instructions for connecting agents, and the list of tools.

use maud::{Markup, html};

use crate::config::BaseUrl;
use crate::pages::for_developers;

/// A tool that agents may call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AgentTool {
    /// Name of the tool.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// Description for models.
    pub description: &'static str,
}

/// A call without a client library; `{base}` is replaced by the service's URL.
const CALL: &str = r#"BASE={base}
KEY=$(jq -r .diligence.test parafa-data/demo.json)
curl -sS --fail-with-body "$BASE/mcp" -H "Authorization: Bearer $KEY" --json @- <<END |
{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
 "params": {"name": "lookup_company", "arguments": {"entityCode": "999000009"}}}
END
  jq -r .result.structuredContent.data.name"#;

/// The ways in, and the tools.
pub(super) fn page(tools: &[AgentTool], base_url: &BaseUrl) -> Markup {
    let endpoint = base_url.join("/mcp");
    let for_claude = format!(
        "claude mcp add --transport http parafa {endpoint} --header \"Authorization: Bearer ddk_test_…\""
    );
    let for_files = format!(
        "{{\"mcpServers\": {{\"parafa\": {{\"type\": \"http\", \"url\": \"{endpoint}\", \
         \"headers\": {{\"Authorization\": \"Bearer ddk_test_…\"}}}}}}}}"
    );
    let by_hand = CALL.replace("{base}", &base_url.to_string());
    for_developers(
        "Tools for agents",
        "How to connect an agent to Parafa over the Model Context Protocol, and the tools it can call.",
        &html! {
            main.wide #main tabindex="-1" {
                section {
                    h1 { "Tools for agents" }
                    p {
                        "Agents reach the due-diligence API over the Model Context Protocol "
                        "(Streamable HTTP) at " code { (endpoint) } ". Listing the tools needs no "
                        "key; calling them needs a key of that API. Keys that begin with "
                        code { "ddk_test_" } " return synthetic data, free of charge. With a live "
                        "key, a tool costs the same as the API call behind it."
                    }
                }
                section {
                    h2 { "Connect" }
                    h3 { "Claude Code" }
                    pre tabindex="0" { code { (for_claude) } }
                    h3 { "Clients with a configuration file" }
                    pre tabindex="0" { code { (for_files) } }
                    h3 { "Shell, in the folder of the demo" }
                    pre tabindex="0" { code { (by_hand) } }
                }
                section {
                    h2 { "Tools" }
                    table {
                        thead { tr { th scope="col" { "Tool" } th scope="col" { "Description for models" } } }
                        tbody {
                            @for tool in tools {
                                tr {
                                    td { code { (tool.name) } br; (tool.title) }
                                    td { (tool.description) }
                                }
                            }
                        }
                    }
                }
            }
        },
    )
}
