//! Tools for agents: the Model Context Protocol over Streamable HTTP, on one endpoint and without
//! sessions. The revisions are 2026-07-28 and 2025-11-25 (and 2025-06-18, which is the same for
//! tools).
//!
//! An [`AgentTools`] provides the tools; [`router`] puts the protocol in front of it. Anybody may
//! list the tools. Calling one takes the credentials of the product's API, and counts against the
//! same kinds of rates.
//!
//! `rmcp` implements the protocol. In front of it are checks that it lacks: the origins of pages,
//! the size and pace of bodies, authentication, and rates. A refusal before a tool is called is an
//! error of JSON-RPC with the problem document as its data. Its status and headers are those of the
//! HTTP API.

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
