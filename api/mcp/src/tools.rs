use async_trait::async_trait;
use http::{HeaderName, HeaderValue};
use parafa_api_http::{Access, Credentials, Principal, Problem, RateDecision, RequestId};
use rmcp::model::{CallToolResult, Implementation, JsonObject, Tool};

/// Under which key a request that creates or is charged for is answered again as
/// it was.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A call of a tool, by an authorised caller.
pub struct ToolCall<'a, C> {
    /// The caller.
    pub caller: &'a C,
    /// Name of one of the [`tools`](AgentTools::tools).
    pub tool: &'a str,
    /// Arguments, as received.
    pub arguments: JsonObject,
    /// Its decision of the rate limit.
    pub rate: RateDecision,
    /// The id of the request that it came in.
    pub request_id: RequestId,
    /// The `Idempotency-Key` of that request.
    pub idempotency_key: Option<HeaderValue>,
}

/// Tools that agents may call.
#[async_trait]
pub trait AgentTools: Send + Sync + 'static {
    /// Caller of a tool.
    type Caller: Principal;

    /// Name and version of the service, for clients to show.
    fn server(&self) -> Implementation;

    /// Instructions for models on the service as a whole.
    fn instructions(&self) -> String;

    /// The tools, always in the same order.
    fn tools(&self) -> &[Tool];

    /// Authenticates a call's credentials, and returns the caller.
    ///
    /// # Errors
    /// [`Problem::unauthorized`] if there are none and the call needs some, and for all invalid
    /// ones.
    async fn authenticate(
        &self,
        credentials: Option<&Credentials>,
    ) -> Result<Self::Caller, Problem>;

    /// Carries out a call. Dropped if its caller disconnects.
    ///
    /// # Errors
    /// The API's refusal of the same request; the result of the call then holds the problem
    /// document.
    async fn call(&self, call: ToolCall<'_, Self::Caller>) -> Result<CallToolResult, Problem>;

    /// Right and rate of a call of `tool`. Read access if its annotations say that it is read-only,
    /// and for an unknown tool, which does nothing.
    fn access(&self, tool: &str) -> Access {
        let Some(tool) = self.tools().iter().find(|known| known.name == tool) else {
            return Access::Read;
        };
        let annotations = tool.annotations.as_ref();
        match annotations.and_then(|annotations| annotations.read_only_hint) {
            Some(true) => Access::Read,
            _ => Access::Write,
        }
    }
}
