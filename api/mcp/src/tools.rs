use async_trait::async_trait;
use parafa_api_http::{Access, Credentials, Principal, Problem};
use rmcp::model::{CallToolResult, Implementation, JsonObject, Tool};

/// Tools that agents may call.
#[async_trait]
pub trait AgentTools: Send + Sync + 'static {
    /// On whose behalf a tool is called.
    type Caller: Principal;

    /// Name and version of the service, for clients to show.
    fn server(&self) -> Implementation;

    /// What a model is told of the service as a whole.
    fn instructions(&self) -> String;

    /// The tools, always the same ones in the same order.
    fn tools(&self) -> &[Tool];

    /// Whom the credentials of a call stand for.
    ///
    /// # Errors
    /// [`Problem::unauthorized`] for none, where a call takes some, and for all
    /// that do not work.
    async fn authenticate(
        &self,
        credentials: Option<&Credentials>,
    ) -> Result<Self::Caller, Problem>;

    /// Calls one of the [`tools`](Self::tools).
    ///
    /// # Errors
    /// Whatever the API refuses the same request with; the result of the call
    /// then holds the problem document.
    async fn call(
        &self,
        caller: &Self::Caller,
        tool: &str,
        arguments: JsonObject,
    ) -> Result<CallToolResult, Problem>;

    /// Which right and rate a call of `tool` takes: that to read where its
    /// annotations say that it is read-only.
    fn access(&self, tool: &str) -> Access {
        let tool = self.tools().iter().find(|known| known.name == tool);
        let annotations = tool.and_then(|tool| tool.annotations.as_ref());
        match annotations.and_then(|annotations| annotations.read_only_hint) {
            Some(true) => Access::Read,
            _ => Access::Write,
        }
    }
}
