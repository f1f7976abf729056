//! Traces: spans of requests and their effects, sent to a collector by OTLP/HTTP in JSON.
//!
//! A span is one of `tracing`'s, of the level `INFO` and the target [`TARGET`]. The log omits that
//! target. Without an installed [`layer()`], a span costs a comparison or two. With one, no level
//! more detailed than the log's is enabled, and libraries format nothing for it. Its fields are its
//! attributes, by the semantic conventions of OpenTelemetry, except those that describe the span
//! itself:
//!
//! - `otel.name`, if its name varies;
//! - `otel.kind`: `server`, `client` or `consumer`, otherwise it is internal;
//! - `traceparent`: its parent, as W3C Trace Context writes it, if it is not the span around it.
//!
//! Fields hold no personal data, and of a URL only host and port: paths and queries contain codes
//! and tokens.

mod context;
mod export;
mod layer;
mod metrics;
mod otlp;
mod span;

pub use self::context::{MalformedTraceContext, TraceContext};
pub use self::export::Exporter;
pub use self::layer::{TraceLayer, layer};
pub use self::metrics::register as register_metrics;
pub use self::otlp::nothing;
pub use self::span::current;

/// The target of all spans of traces.
pub const TARGET: &str = "parafa::trace";

#[cfg(test)]
mod tests;
