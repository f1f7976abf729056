//! Traces: spans of requests and of what they cause, sent to a collector by
//! OTLP/HTTP in JSON.
//!
//! A span is one of `tracing`'s, of the level `INFO` and the target [`TARGET`]: the
//! log leaves that target out, and a span costs a comparison or two where no
//! [`layer()`] is installed. Where one is, no more detailed level than the log's is
//! on for that, and libraries format nothing for it.
//! Its fields are its attributes, by the semantic conventions of OpenTelemetry, but
//! for those that say what it is:
//!
//! - `otel.name`, where its name is not always the same;
//! - `otel.kind`: `server`, `client` or `consumer`, else it is internal;
//! - `traceparent`: the span that caused it and that it does not stand in, as W3C
//!   Trace Context writes it.
//!
//! Fields hold no personal data, and no address but its host and port: paths and
//! queries have codes and tokens in them.

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
