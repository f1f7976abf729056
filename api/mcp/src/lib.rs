//! Tools for agents: the Model Context Protocol over Streamable HTTP, in its
//! revisions 2026-07-28 and 2025-11-25 (and 2025-06-18, which differs in nothing
//! that tools need), on one endpoint and without sessions.
//!
//! What tools there are and what they do is an [`AgentTools`]; [`router`] puts
//! the protocol in front of it. Anybody may ask what tools there are. Calling
//! one takes the credentials of the product's API, and counts against the same
//! kinds of rates.
//!
//! `rmcp` speaks the protocol. In front of it stands what it does not do: the
//! origins of pages, how long and how slow a body may be, who calls, and how
//! often. Whatever is refused before a tool is called leaves as an error of
//! JSON-RPC with the problem document as its data, under the status and the
//! headers that the HTTP API has for it.

mod description;
mod diligence;
mod endpoint;
mod handler;
mod message;
mod refusal;
mod tools;

pub use diligence::{
    AnswerOwner, AnswersAway, DiligenceTools, KEPT_FOR, KeptAnswers, MOST_BYTES_OF_KEY, ToolCaller,
    ToolsError, described_tools,
};
pub use endpoint::{McpConfig, PATH, router};
pub use rmcp::model;
pub use tools::{AgentTools, ToolCall};
