//! Tools of the due-diligence API.
//!
//! A tool is a call of the API itself, made within the process with the caller's key. Checks,
//! charges, logs and answers are therefore the same over both protocols. The schemas of answers
//! come from the API's description.

mod arguments;
mod definitions;
mod pages;

use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, to_bytes};
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Method, Request, StatusCode};
use parafa_api_http::{
    Access, AlreadyCounted, Api, Credentials, Fault, Principal, Problem, ProblemType, RequestId,
};
use rmcp::model::{CallToolResult, ContentBlock, Implementation, JsonObject, Tool};
use serde_json::Value;
use thiserror::Error;
use tower::ServiceExt;
use uuid::Uuid;

use self::arguments::{Arguments, Asked};
pub use self::definitions::described_tools;
use self::definitions::{DEFINITIONS, Definition, Takes};
use self::pages::Pages;
pub use self::pages::{AnswerOwner, AnswersAway, KEPT_FOR, KeptAnswers, MOST_BYTES_OF_KEY};
use crate::refusal::refusal;
use crate::tools::{AgentTools, IDEMPOTENCY_KEY, ToolCall};

/// Path of the API's description.
const DESCRIPTION: &str = "/dd/openapi.json";
/// Longest answer of the API, in bytes: a report of several hundred acts is
/// below one mebibyte.
const LONGEST_ANSWER: usize = 16 * 1024 * 1024;
/// Reason why tools cannot be offered.
#[derive(Debug, Error)]
pub enum ToolsError {
    /// The API has no description.
    #[error("no description is served at {DESCRIPTION}")]
    NoDescription,
    /// The description lacks the call behind a tool.
    #[error("{0} is not among the operations that the API describes")]
    NotDescribed(&'static str),
}

/// Time after which a stored answer that is unavailable can be tried again, in seconds.
const AWAY_RETRY_SECONDS: u32 = 5;

/// The nine tools over a due-diligence API.
pub struct DiligenceTools<A> {
    api: Arc<A>,
    rest: Router,
    tools: Vec<Tool>,
    pages: Pages,
    server: Implementation,
}

/// Caller of a tool, with the credentials for the API.
pub struct ToolCaller<C> {
    caller: C,
    authorization: HeaderValue,
}

impl<C: Principal> Principal for ToolCaller<C> {
    fn key_id(&self) -> Uuid {
        self.caller.key_id()
    }

    fn may(&self, access: Access) -> bool {
        self.caller.may(access)
    }

    fn may_call_from(&self, address: Option<IpAddr>) -> bool {
        self.caller.may_call_from(address)
    }
}

impl<A: Api> DiligenceTools<A> {
    /// Tools over `rest`, the routes of `api` with its description.
    ///
    /// # Errors
    /// The description lacks something that a tool needs.
    pub async fn new(
        api: Arc<A>,
        rest: Router,
        server: Implementation,
    ) -> Result<Self, ToolsError> {
        let request = Request::get(DESCRIPTION).body(Body::empty());
        let request = request.expect("a request without parameters");
        let described = answer(&rest, request).await;
        let described = described.filter(|answer| answer.status == StatusCode::OK);
        let description = described.ok_or(ToolsError::NoDescription)?.body;
        let tools = DEFINITIONS.iter().map(|tool| tool.described(&description));
        Ok(Self {
            tools: tools.collect::<Result<_, _>>()?,
            api,
            rest,
            pages: Pages::kept_in_memory(),
            server,
        })
    }
}

#[async_trait]
impl<A: Api> AgentTools for DiligenceTools<A> {
    type Caller = ToolCaller<A::Caller>;

    fn server(&self) -> Implementation {
        self.server.clone()
    }

    fn instructions(&self) -> String {
        "Due-diligence answers about Lithuanian legal entities, by their nine-digit codes, from \
         official registers. Begin with lookup_company. Sandbox keys (ddk_test_) answer synthetic \
         data free; prices, without VAT, are those of calls with production keys, charged when \
         they are answered with data. Lists come by pages: follow page.nextCursor. What is unknown \
         is null. A refusal is an RFC 9457 problem: no-data means that the register holds nothing, \
         upstream-unavailable that it did not answer."
            .to_owned()
    }

    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    async fn authenticate(
        &self,
        credentials: Option<&Credentials>,
    ) -> Result<Self::Caller, Problem> {
        let Some(credentials @ Credentials::Bearer(key)) = credentials else {
            return Err(Problem::unauthorized());
        };
        let caller = self.api.authenticate(credentials).await?;
        let authorization = HeaderValue::try_from(format!("Bearer {}", key.expose()));
        let mut authorization = authorization.map_err(|_| Problem::unauthorized())?;
        authorization.set_sensitive(true);
        Ok(ToolCaller {
            caller,
            authorization,
        })
    }

    async fn call(&self, call: ToolCall<'_, Self::Caller>) -> Result<CallToolResult, Problem> {
        let mut known = DEFINITIONS.iter();
        let tool = known.find(|known| known.name == call.tool);
        let tool = tool.ok_or_else(Problem::not_found)?;
        let (mut request, mut asked) = tool.call(call.arguments)?;
        let key = call.caller.key_id();
        if let Some(asked) = asked.take_if(|asked| asked.cursor.is_some())
            && let Some(cursor) = asked.cursor
        {
            let owner = AnswerOwner {
                key,
                question: asked.question.clone(),
            };
            let kept = self
                .pages
                .find(cursor, &owner)
                .await
                .map_err(|AnswersAway| {
                    Problem::unavailable(
                        "The answer cannot be continued at the moment; nothing is charged.",
                    )
                    .with_retry_after(AWAY_RETRY_SECONDS)
                })?;
            let body = kept.ok_or_else(expired)?;
            return Ok(self.page(body, asked, key).await);
        }
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, call.caller.authorization.clone());
        headers.insert(RequestId::HEADER, call.request_id.to_header());
        if let Some(key) = call.idempotency_key {
            headers.insert(IDEMPOTENCY_KEY, key);
        }
        let counted = AlreadyCounted(call.rate);
        request.extensions_mut().insert(counted);
        let Some(answer) = answer(&self.rest, request).await else {
            let detail = "The answer could not be read.";
            return Err(Problem::unavailable(detail));
        };
        Ok(match asked {
            _ if !answer.status.is_success() => refusal(answer.body, answer.retry_after),
            Some(asked) => self.page(answer.body, asked, key).await,
            None => CallToolResult::structured(answer.body),
        })
    }
}

impl<A> DiligenceTools<A> {
    /// Stores answers that have further pages elsewhere than in this host's memory.
    #[must_use]
    pub fn keeping_answers_in(self, answers: Arc<dyn KeptAnswers>) -> Self {
        Self {
            pages: Pages::kept_in(answers),
            ..self
        }
    }

    /// The requested page of an answer. All of it if it has only one page, or cannot be stored: it
    /// is charged already.
    async fn page(&self, mut body: Value, asked: Asked, key: Uuid) -> CallToolResult {
        if !asked.bods {
            pages::leave_out_bods(&mut body);
        }
        let cursor = match asked.cursor {
            Some(cursor) => cursor,
            None if pages::longest_list(&mut body) <= asked.limit => {
                return CallToolResult::structured(body);
            }
            None => {
                let owner = AnswerOwner {
                    key,
                    question: asked.question,
                };
                match self.pages.keep(&owner, &body).await {
                    Ok(cursor) => cursor,
                    Err(AnswersAway) => return CallToolResult::structured(body),
                }
            }
        };
        let told = pages::cut(&mut body, cursor, asked.limit);
        let mut result = CallToolResult::structured(body);
        result.content.push(ContentBlock::text(told));
        result
    }
}

/// Refusal of an expired or foreign cursor.
fn expired() -> Problem {
    Problem::validation(vec![Fault::new(
        "/cursor",
        "belongs to other arguments or another key, or has expired: call without it for a new answer, which is charged",
    )])
}

/// Answer of the API.
struct Answer {
    status: StatusCode,
    /// Waiting time in seconds.
    retry_after: Option<u32>,
    body: Value,
}

/// The API's answer, if it is JSON.
async fn answer(rest: &Router, request: Request<Body>) -> Option<Answer> {
    let Ok(response) = rest.clone().oneshot(request).await;
    let (head, body) = response.into_parts();
    let retry_after = head.headers.get(RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
    let body = to_bytes(body, LONGEST_ANSWER).await.ok()?;
    Some(Answer {
        status: head.status,
        retry_after,
        body: serde_json::from_slice(&body).ok()?,
    })
}

impl Definition {
    /// The API call of a tool call, and the requested part of its answer.
    fn call(&self, arguments: JsonObject) -> Result<(Request<Body>, Option<Asked>), Problem> {
        let (method, address, body, asked) = match self.takes {
            Takes::Body => {
                let body = Value::Object(arguments).to_string();
                (Method::POST, self.path.to_owned(), Body::from(body), None)
            }
            Takes::Entity(takes) => {
                let asked = Arguments::new(arguments).about_entity(self.path, takes)?;
                let address = asked.address.clone();
                (Method::GET, address, Body::empty(), Some(asked))
            }
            Takes::Order => {
                let mut arguments = Arguments::new(arguments);
                let id = arguments.text("orderId");
                let id = arguments.complete(id)?;
                // As in a path: an invalid id names nothing.
                let id = Uuid::try_parse(&id).map_err(|_| {
                    let detail = "There is no such order: orderId is not a UUID.";
                    Problem::new(ProblemType::NOT_FOUND, detail)
                })?;
                let path = self.path.replace("{orderId}", &id.to_string());
                (Method::GET, path, Body::empty(), None)
            }
        };
        let request = Request::builder()
            .method(method)
            .uri(address)
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        let request = request.expect("codes, ids and encoded texts make an address");
        Ok((request, asked))
    }
}
