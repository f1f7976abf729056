//! Spans that are recorded, while they last.

use std::fmt;
use std::time::{Duration, Instant, SystemTime};

use tracing::Span;
use tracing::field::{Field, Visit};
use tracing_subscriber::Registry;
use tracing_subscriber::registry::{LookupSpan, Scope};

use crate::context::TraceContext;

/// A span that is recorded.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) context: TraceContext,
    pub(crate) parent: Option<[u8; 8]>,
    pub(crate) name: &'static str,
    pub(crate) fields: Fields,
    /// Start, since the Unix epoch.
    pub(crate) began: Duration,
    /// Duration of the work, from the start to the last exit of the span. Its children may hold on
    /// to it for longer.
    pub(crate) lasted: Option<Duration>,
    since: Instant,
}

/// Kind of a span.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum SpanKind {
    #[default]
    Internal,
    Server,
    Client,
    Consumer,
}

/// The value of an attribute.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum AttributeValue {
    Text(String),
    Number(i64),
    Truth(bool),
}

/// Values of a span's fields.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) name: Option<String>,
    pub(crate) kind: SpanKind,
    /// The span that caused it, if it is not the span around it.
    pub(crate) cause: Option<TraceContext>,
    pub(crate) attributes: Vec<(&'static str, AttributeValue)>,
}

impl Recorded {
    /// A span that starts now.
    pub(crate) fn begin(
        context: TraceContext,
        parent: Option<[u8; 8]>,
        name: &'static str,
        fields: Fields,
    ) -> Self {
        let began = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self {
            context,
            parent,
            name,
            fields,
            began: began.unwrap_or_default(),
            lasted: None,
            since: Instant::now(),
        }
    }

    /// Nothing is done in it for now.
    pub(crate) fn leave(&mut self) {
        self.lasted = Some(self.since.elapsed());
    }

    /// Ends the span; one that was never entered lasted until now.
    pub(crate) fn end(&mut self) {
        if self.lasted.is_none() {
            self.leave();
        }
    }
}

/// The current recorded span; `None` if there is none.
#[must_use]
pub fn current() -> Option<TraceContext> {
    let current = Span::current().with_subscriber(|(id, dispatch)| {
        let registry = dispatch.downcast_ref::<Registry>()?;
        innermost(registry.span(id)?.scope())
    });
    current.flatten()
}

/// The innermost of these spans that is recorded.
pub(crate) fn innermost<'a, R: LookupSpan<'a>>(mut spans: Scope<'a, R>) -> Option<TraceContext> {
    spans.find_map(|span| {
        let extensions = span.extensions();
        extensions
            .get::<Recorded>()
            .map(|recorded| recorded.context)
    })
}

impl Fields {
    fn put(&mut self, field: &Field, value: AttributeValue) {
        self.attributes.push((field.name(), value));
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "otel.name" => self.name = Some(value.to_owned()),
            "otel.kind" => self.kind = SpanKind::named(value),
            "traceparent" => self.cause = value.parse().ok(),
            _ => self.put(field, AttributeValue::Text(value.to_owned())),
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, AttributeValue::Number(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.record_i64(field, i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, AttributeValue::Truth(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

impl SpanKind {
    fn named(name: &str) -> Self {
        match name {
            "server" => Self::Server,
            "client" => Self::Client,
            "consumer" => Self::Consumer,
            _ => Self::Internal,
        }
    }
}
