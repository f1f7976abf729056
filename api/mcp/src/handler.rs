//! The protocol's side of the tools.

use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use http::request::Parts;
use parafa_api_http::{Problem, ProblemDocuments, ProblemFormat, RequestId};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, DiscoverResult, ErrorData,
    JsonObject, ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use tracing::{Instrument, Span};

use crate::tools::AgentTools;

/// The revisions that are spoken.
const REVISIONS: &[ProtocolVersion] = &[
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];
/// How long a client may keep the list of tools, in milliseconds: it changes
/// with the version of the service alone.
const TOOLS_FRESH_MS: u64 = 60 * 60 * 1000;

/// Where a result says who gave it.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Whoever makes the call at hand.
pub(crate) struct Authenticated<C>(pub(crate) Arc<C>);

impl<C> Clone for Authenticated<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Answers the requests of one service.
pub(crate) struct Handler<T> {
    pub(crate) tools: Arc<T>,
    pub(crate) documents: ProblemDocuments,
}

impl<T> Clone for Handler<T> {
    fn clone(&self) -> Self {
        Self {
            tools: Arc::clone(&self.tools),
            documents: self.documents.clone(),
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
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.and_then(|request| request.cursor).is_some() {
            let message = "The list has one page; no cursor leads to another.";
            return Err(ErrorData::invalid_params(message, None));
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
        let head = context.extensions.get::<Parts>();
        let head = head.map(|head| &head.extensions);
        let caller = head.and_then(|head| head.get::<Authenticated<T::Caller>>());
        let Some(Authenticated(caller)) = caller else {
            let message = "Nobody is known to make this call.";
            return Err(ErrorData::invalid_request(message, None));
        };
        if self.get_tool(&request.name).is_none() {
            let message = format!("There is no tool {:?}.", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let span = head.and_then(|head| head.get::<Span>()).cloned();
        let arguments = request.arguments.unwrap_or_default();
        let call = self.tools.call(caller, &request.name, arguments);
        let call = call.instrument(span.unwrap_or_else(Span::none));
        // `rmcp` has a task carry it out, and would wait for the answer of one
        // that panicked forever.
        let called = AssertUnwindSafe(call).catch_unwind().await;
        let called = called.unwrap_or_else(|_| Err(broken_down()));
        let result = called.unwrap_or_else(|problem| {
            let id = head.and_then(|head| head.get::<RequestId>());
            self.refusal(&problem, id)
        });
        Ok(result.with_meta(Some(self.identity())).into())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut tools = self.tools.tools().iter();
        tools.find(|tool| tool.name == name).cloned()
    }
}

impl<T: AgentTools> Handler<T> {
    /// Who answers, as results say it.
    fn identity(&self) -> MetaObject {
        let server = serde_json::to_value(self.tools.server());
        let server = server.expect("a name and a version are JSON");
        MetaObject(JsonObject::from_iter([(SERVER_INFO.to_owned(), server)]))
    }

    /// A refusal of the product: what the call came to, and no error of the
    /// protocol.
    fn refusal(&self, problem: &Problem, id: Option<&RequestId>) -> CallToolResult {
        let id = id.cloned();
        let id = id.unwrap_or_else(|| RequestId::of(&http::HeaderMap::new()));
        let document = self.documents.body(problem, &id);
        let document = serde_json::to_value(document);
        tracing::info!(problem = problem.kind().name, "a tool refused");
        CallToolResult::structured_error(document.expect("a problem document is JSON"))
    }
}

fn broken_down() -> Problem {
    tracing::error!("a tool panicked");
    Problem::unavailable("The service ran into a fault of its own; nothing was changed.")
}
