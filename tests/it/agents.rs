//! Endpoint for agents, called by external programs and as its documentation
//! shows it.

mod conformance;
mod inspector;
mod libraries;
mod models;
mod pages;
mod rates;
mod transcript;

use std::process::{Command, Output, Stdio};

use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::support::demo::Demo;

/// Returns the address of the endpoint in a demo world.
fn endpoint(demo: &Demo) -> String {
    demo.world
        .base_url
        .join("mcp")
        .expect("an address")
        .to_string()
}

/// Calls a tool, with headers.
pub(crate) async fn call(demo: &Demo, params: Value, headers: &[(&str, &str)]) -> Response {
    let client = Client::builder().no_proxy().build().expect("a client");
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let mut request = client.post(endpoint(demo)).json(&body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.expect("an answer")
}

/// Runs a Node program, whose network access is limited to this machine.
fn run(command: &mut Command, input: &str) -> Output {
    use std::io::Write;

    let mut child = command
        .env("NO_PROXY", "127.0.0.1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}
