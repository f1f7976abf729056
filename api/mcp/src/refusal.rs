//! What a call of a tool comes to when the product refuses it.

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::Value;

/// After how many seconds trying again can help, in the result's `_meta`.
const RETRY_AFTER: &str = "retryAfter";

/// A result that holds the problem document. It is a result and no error of the
/// protocol, so that models get to read it; for them, and for programs, it says
/// how long to wait, which over HTTP a header says.
pub(crate) fn refusal(problem: Value, retry_after: Option<u32>) -> CallToolResult {
    let mut result = CallToolResult::structured_error(problem);
    if let Some(seconds) = retry_after {
        result.content.push(ContentBlock::text(advice(seconds)));
        let meta = result.meta.get_or_insert_with(MetaObject::default);
        meta.0.insert(RETRY_AFTER.to_owned(), seconds.into());
    }
    result
}

/// How long to wait, in words: clients show these to models, and no header.
pub(crate) fn advice(seconds: u32) -> String {
    format!("Trying again can help after {seconds} s.")
}
