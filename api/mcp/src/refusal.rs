//! Refusals of the product: of a call, in its result; before a call, as errors of JSON-RPC.

use http::StatusCode;
use parafa_api_http::{Problem, ProblemDocuments, ProblemFormat, ProblemType, RequestId};
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, ErrorData, MetaObject};
use serde_json::{Value, json};

/// After how many seconds trying again can help, in the result's `_meta`.
const RETRY_AFTER: &str = "retryAfter";
/// Code of refusals by the service rather than of a message: one of JSON-RPC's
/// implementation-defined server errors.
const REFUSED: ErrorCode = ErrorCode(-32000);

/// A result with the problem document. It is not an error of the protocol, so that models get to
/// read it. It contains the waiting time, for them and for programs, which over HTTP is in a
/// header.
pub(crate) fn refusal(problem: Value, retry_after: Option<u32>) -> CallToolResult {
    let mut result = CallToolResult::structured_error(problem);
    if let Some(seconds) = retry_after {
        result.content.push(ContentBlock::text(advice(seconds)));
        let meta = result.meta.get_or_insert_with(MetaObject::default);
        meta.0.insert(RETRY_AFTER.to_owned(), seconds.into());
    }
    result
}

/// The waiting time in words: clients show these to models, but no header.
pub(crate) fn advice(seconds: u32) -> String {
    format!("Trying again can help after {seconds} s.")
}

/// Writes refusals as errors of JSON-RPC whose `data` is the problem document.
#[derive(Clone, Debug)]
pub(crate) struct RpcErrors(pub(crate) ProblemDocuments);

impl RpcErrors {
    /// A refusal of the service.
    pub(crate) fn refused(&self, problem: &Problem, request: &RequestId) -> ErrorData {
        let code = match problem.status() {
            StatusCode::BAD_REQUEST
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::UNSUPPORTED_MEDIA_TYPE => ErrorCode::INVALID_REQUEST,
            _ => REFUSED,
        };
        self.with(ErrorData::new(code, "", None), problem, request)
    }

    /// An error of the protocol; its own data are merged with the members of the problem document.
    pub(crate) fn explained(&self, error: ErrorData, request: &RequestId) -> ErrorData {
        let kind = match error.code {
            ErrorCode::METHOD_NOT_FOUND => ProblemType::NOT_FOUND,
            _ => ProblemType::VALIDATION_FAILED,
        };
        let problem = Problem::new(kind, error.message.clone());
        self.with(error, &problem, request)
    }

    /// `error` with a problem as its data, and as its message if it has none.
    pub(crate) fn with(
        &self,
        mut error: ErrorData,
        problem: &Problem,
        request: &RequestId,
    ) -> ErrorData {
        if error.message.is_empty() {
            error.message = problem.detail().to_owned().into();
        }
        let mut data = json!(self.0.body(problem, request));
        if let (Some(data), Some(Value::Object(own))) = (data.as_object_mut(), error.data) {
            data.extend(own);
        }
        error.data = Some(data);
        error
    }

    /// The message with an error; without an id if none could be read.
    pub(crate) fn message(id: Option<&Value>, error: &ErrorData) -> Value {
        match id {
            Some(id) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
            None => json!({"jsonrpc": "2.0", "error": error}),
        }
    }
}

impl ProblemFormat for RpcErrors {
    const MEDIA_TYPE: &'static str = "application/json";

    type Body = Value;

    fn body(&self, problem: &Problem, request: &RequestId) -> Value {
        Self::message(None, &self.refused(problem, request))
    }
}
