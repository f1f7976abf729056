//! The protocol's side of the tools.

use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use http::HeaderMap;
use http::request::Parts;
use parafa_api_http::{Problem, ProblemFormat, ProblemType, RateDecision, RequestId};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, DiscoverResult, ErrorData,
    JsonObject, ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use tracing::{Instrument, Span};

use crate::refusal::{RpcErrors, refusal};
use crate::tools::{AgentTools, IDEMPOTENCY_KEY, ToolCall};

/// The revisions that are spoken.
const REVISIONS: &[ProtocolVersion] = &[
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];
/// Time for which a client may cache the list of tools, in milliseconds: it changes only with the
/// version of the service.
const TOOLS_FRESH_MS: u64 = 60 * 60 * 1000;

/// Member of a result that names the server.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Caller of the current request, and its decision of the rate limit.
pub(crate) struct Admitted<C> {
    pub(crate) caller: Arc<C>,
    pub(crate) rate: RateDecision,
}

impl<C> Clone for Admitted<C> {
    fn clone(&self) -> Self {
        Self {
            caller: Arc::clone(&self.caller),
            rate: self.rate,
        }
    }
}

/// Answers the requests of one service.
pub(crate) struct Handler<T> {
    pub(crate) tools: Arc<T>,
    pub(crate) errors: RpcErrors,
}

impl<T> Clone for Handler<T> {
    fn clone(&self) -> Self {
        Self {
            tools: Arc::clone(&self.tools),
            errors: self.errors.clone(),
        }
    }
}

impl<T: AgentTools> ServerHandler for Handler<T> {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(self.tools.server())
            .with_instructions(self.tools.instructions())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(REVISIONS)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let discovered = DiscoverResult::from_server_info(REVISIONS.to_vec(), self.get_info());
        Ok(discovered
            .with_ttl_ms(TOOLS_FRESH_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.and_then(|request| request.cursor).is_some() {
            let message = "The list has one page; no cursor leads to another.";
            let error = ErrorData::invalid_params(message, None);
            return Err(self.errors.explained(error, &request_id(&context)));
        }
        let list = ListToolsResult::with_all_items(self.tools.tools().to_vec());
        let mut list = list
            .with_ttl_ms(TOOLS_FRESH_MS)
            .with_cache_scope(CacheScope::Public);
        list.meta = Some(self.identity());
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request_id = request_id(&context);
        let head = context.extensions.get::<Parts>();
        let admitted = head.and_then(|head| Some((head, head.extensions.get()?)));
        let Some((head, Admitted::<T::Caller> { caller, rate })) = admitted else {
            let message = "The call has no valid API key.";
            return Err(ErrorData::invalid_request(message, None));
        };
        if self.get_tool(&request.name).is_none() {
            let message = format!("There is no tool {:?}.", request.name);
            let problem = Problem::new(ProblemType::NOT_FOUND, message);
            let error = ErrorData::invalid_params("", None);
            return Err(self.errors.with(error, &problem, &request_id));
        }
        let call = self.tools.call(ToolCall {
            caller,
            tool: &request.name,
            arguments: request.arguments.unwrap_or_default(),
            rate: *rate,
            request_id: request_id.clone(),
            idempotency_key: head.headers.get(IDEMPOTENCY_KEY).cloned(),
        });
        let span = head.extensions.get::<Span>().cloned();
        let call = call.instrument(span.unwrap_or_else(Span::none));
        // `rmcp` runs it in a task, which would continue after its caller disconnected. It also
        // waits forever for the answer of a task that panicked.
        let called = tokio::select! {
            called = AssertUnwindSafe(call).catch_unwind() => {
                called.unwrap_or_else(|_| Err(broken_down()))
            }
            () = context.ct.cancelled() => Err(abandoned()),
        };
        let mut result = called.unwrap_or_else(|problem| self.refusal(&problem, &request_id));
        let meta = result.meta.get_or_insert_with(MetaObject::default);
        meta.0.extend(self.identity().0);
        Ok(result.into())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut tools = self.tools.tools().iter();
        tools.find(|tool| tool.name == name).cloned()
    }
}

impl<T: AgentTools> Handler<T> {
    /// Name and version of the server, for results.
    fn identity(&self) -> MetaObject {
        let server = serde_json::to_value(self.tools.server());
        let server = server.expect("a name and a version are JSON");
        MetaObject(JsonObject::from_iter([(SERVER_INFO.to_owned(), server)]))
    }

    /// A refusal of the product, as the result of the call and not as an error of the protocol.
    fn refusal(&self, problem: &Problem, id: &RequestId) -> CallToolResult {
        let document = self.errors.0.body(problem, id);
        let document = serde_json::to_value(document).expect("a problem document is JSON");
        tracing::info!(problem = problem.kind().name, "a tool refused");
        refusal(document, problem.retry_after())
    }
}

/// The id of the request that a message came in.
pub(crate) fn id_of(head: &Parts) -> RequestId {
    let known = head.extensions.get().cloned();
    known.unwrap_or_else(|| RequestId::of(&head.headers))
}

fn request_id(context: &RequestContext<RoleServer>) -> RequestId {
    let head = context.extensions.get::<Parts>();
    head.map_or_else(|| RequestId::of(&HeaderMap::new()), id_of)
}

fn abandoned() -> Problem {
    Problem::unavailable("The caller disconnected before the answer was ready.")
}

fn broken_down() -> Problem {
    tracing::error!("a tool panicked");
    Problem::unavailable("The service had an internal error; nothing was changed.")
}
