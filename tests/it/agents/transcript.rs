//! Transcript in the documentation.

use std::fs;

use reqwest::Client;
use serde_json::Value;

use super::endpoint;
use crate::support::demo::Demo;
use crate::support::root;

/// Mark of an omission in answers and keys.
const REST: &str = "…";
/// Placeholder of the reader's key.
const KEY: &str = "ddk_test_…";

/// A request with its answer, as printed.
#[derive(Default)]
struct Exchange {
    asked: Part,
    answered: Part,
}

/// Lines of one side: the first line, headers, and JSON.
#[derive(Default)]
struct Part {
    first: String,
    headers: Vec<(String, String)>,
    json: String,
}

impl Part {
    fn read(&mut self, line: &str) {
        let is_json = !self.json.is_empty() || line.starts_with('{');
        match line.split_once(": ") {
            _ if is_json => self.json.push_str(line),
            _ if self.first.is_empty() => line.clone_into(&mut self.first),
            Some((name, value)) => self.headers.push((name.to_owned(), value.to_owned())),
            None => panic!("{line} is no header"),
        }
    }
}

fn exchanges() -> Vec<Exchange> {
    let page = fs::read_to_string(root().join("docs/agents.md")).expect("the page");
    let (_, transcript) = page.split_once("## A transcript").expect("a transcript");
    let fenced = transcript.split("```").nth(1).expect("a fence");
    let blocks = fenced.split("\n\n").map(|block| {
        let mut exchange = Exchange::default();
        for line in block.lines().filter(|line| !line.is_empty()) {
            match line.split_at_checked(2) {
                Some(("> ", line)) => exchange.asked.read(line),
                Some(("< ", line)) => exchange.answered.read(line),
                _ => panic!("{line:?} is of neither side"),
            }
        }
        exchange
    });
    blocks.collect()
}

#[tokio::test]
async fn the_transcript_is_what_the_demo_answers() {
    let demo = Demo::start();
    let client = Client::builder().no_proxy().build().expect("a client");
    let exchanges = exchanges();
    assert!(exchanges.len() >= 4);
    for Exchange { asked, answered } in exchanges {
        assert_eq!(asked.first, "POST /mcp");
        let mut request = client
            .post(endpoint(&demo))
            .header("content-type", "application/json")
            .body(asked.json.clone());
        for (name, value) in &asked.headers {
            request = request.header(name, value.replace(KEY, &demo.world.diligence.test));
        }

        let answer = request.send().await.expect("an answer");

        assert_eq!(answer.status().as_str(), answered.first, "{}", asked.json);
        for (name, value) in &answered.headers {
            assert_eq!(answer.headers()[name.as_str()], value.as_str());
        }
        let shown = answered
            .json
            .replace(", …}", ", \"…\": 0}")
            .replace("{…}", "{\"…\": 0}");
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        let answer: Value = answer.json().await.expect("JSON");
        assert_shows(&shown, &answer);
    }
}

/// Asserts that `shown` is equal to `value`, except for omissions.
fn assert_shows(shown: &Value, value: &Value) {
    match (shown, value) {
        (Value::Object(shown), Value::Object(value)) => {
            let leaves_out = shown.contains_key(REST);
            let members = shown.iter().filter(|(name, _)| *name != REST);
            for (name, shown) in members.clone() {
                let value = value.get(name);
                assert_shows(shown, value.unwrap_or_else(|| panic!("there is no {name}")));
            }
            assert!(leaves_out || members.count() == value.len(), "{value:?}");
        }
        (Value::Array(shown), Value::Array(value)) => {
            assert_eq!(shown.len(), value.len(), "{value:?}");
            for (shown, value) in shown.iter().zip(value) {
                assert_shows(shown, value);
            }
        }
        (Value::String(shown), Value::String(value)) if shown.contains(REST) => {
            let (begin, end) = shown.split_once(REST).expect("something is left out");
            assert!(value.starts_with(begin) && value.ends_with(end), "{value}");
        }
        _ => assert_eq!(shown, value),
    }
}
