//! A library whose catalogue agents may read, and from which they may order books.

use std::future::pending;
use std::num::NonZeroU32;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use axum::Router;
use parafa_api_http::{
    Access, BaseUrl, Credentials, HttpConfig, Principal, Problem, ProblemType, RateLimiter,
    RateLimits,
};
use parafa_api_mcp::model::{CallToolResult, Implementation, Tool, ToolAnnotations};
use parafa_api_mcp::{AgentTools, McpConfig, ToolCall, router};
use serde_json::json;
use uuid::Uuid;

pub(crate) const ORIGIN: &str = "https://library.example";
/// Key of a reader who may order.
pub(crate) const MEMBER: &str = "Bearer member";
/// Key of a reader who may only read.
pub(crate) const VISITOR: &str = "Bearer visitor";

/// Time until a lent book is back.
pub(crate) const LENT_SECONDS: u32 = 40;

/// True while a call waits for the book that never comes.
pub(crate) static WAITING: AtomicBool = AtomicBool::new(false);

/// A waiting call, until it is dropped.
struct Left;

impl Drop for Left {
    fn drop(&mut self) {
        WAITING.store(false, Ordering::SeqCst);
    }
}

pub(crate) struct Library;

pub(crate) enum Reader {
    Member,
    Visitor,
}

impl Principal for Reader {
    fn key_id(&self) -> Uuid {
        Uuid::from_u128(match self {
            Self::Member => 1,
            Self::Visitor => 2,
        })
    }

    fn may(&self, access: Access) -> bool {
        matches!(self, Self::Member) || access == Access::Read
    }
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let input = |name: &str| {
        let input = json!({
            "type": "object",
            "properties": {name: {"type": "string"}},
            "required": [name],
            "additionalProperties": false,
        });
        input.as_object().cloned().expect("an object")
    };
    vec![
        Tool::new("look_up", "A book of the catalogue.", input("title"))
            .with_annotations(ToolAnnotations::new().read_only(true)),
        Tool::new("order", "Orders a book.", input("title"))
            .with_annotations(ToolAnnotations::new().read_only(false)),
    ]
});

#[async_trait]
impl AgentTools for Library {
    type Caller = Reader;

    fn server(&self) -> Implementation {
        Implementation::new("library", "1.2.3")
    }

    fn instructions(&self) -> String {
        "Ask for books by their titles.".to_owned()
    }

    fn tools(&self) -> &[Tool] {
        &TOOLS
    }

    async fn authenticate(&self, credentials: Option<&Credentials>) -> Result<Reader, Problem> {
        match credentials {
            Some(Credentials::Bearer(key)) if key.expose() == "member" => Ok(Reader::Member),
            Some(Credentials::Bearer(key)) if key.expose() == "visitor" => Ok(Reader::Visitor),
            _ => Err(Problem::unauthorized()),
        }
    }

    async fn call(&self, call: ToolCall<'_, Reader>) -> Result<CallToolResult, Problem> {
        let by = match call.caller {
            Reader::Member => "member",
            Reader::Visitor => "visitor",
        };
        match call.arguments["title"].as_str() {
            Some("lost") => Err(Problem::of(ProblemType::NOT_FOUND)),
            Some("lent") => {
                Err(Problem::of(ProblemType::RATE_LIMITED).with_retry_after(LENT_SECONDS))
            }
            Some("burning") => panic!("the library is on fire"),
            Some("reserved") => {
                // Shared by all libraries of this process: only one test uses it.
                WAITING.store(true, Ordering::SeqCst);
                let _left = Left;
                pending().await
            }
            title => Ok(CallToolResult::structured(
                json!({"title": title, "tool": call.tool, "by": by}),
            )),
        }
    }
}

/// The library with the usual rates.
pub(crate) fn library() -> Router {
    library_with(RateLimits::default())
}

/// The library with as many calls a minute of each kind.
pub(crate) fn library_at(per_minute: u32) -> Router {
    let per_minute = NonZeroU32::new(per_minute).expect("it is not zero");
    library_with(RateLimits {
        reads_per_minute: per_minute,
        writes_per_minute: per_minute,
    })
}

fn library_with(rates: RateLimits) -> Router {
    let base_url = BaseUrl::new(&ORIGIN.parse().expect("an address"));
    let config = McpConfig {
        http: HttpConfig {
            rates: RateLimiter::new(rates),
            ..HttpConfig::new(base_url)
        },
        origins: vec![ORIGIN.to_owned()],
    };
    router(Library, config)
}
