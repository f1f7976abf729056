//! Notes spans while they last.

use std::fmt;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::mpsc::{self, Sender};
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{Filtered, Targets};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::TARGET;
use crate::context::{TraceContext, innermost};
use crate::export::{Exporter, QUEUE};
use crate::metrics::{SpanEnd, spans_ended};

/// Notes spans and hands those that have ended to its [`Exporter`]. Whether a trace
/// is recorded is decided where it begins: by the caller's `traceparent`, else by
/// the share of a request that has none. What no request causes is not recorded.
#[derive(Debug)]
pub struct TraceLayer {
    share: f64,
    ended: Sender<Recorded>,
}

/// A layer that records this share of traces, and what sends them.
#[must_use]
pub fn layer<S>(share: f64) -> (Filtered<TraceLayer, Targets, S>, Exporter)
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
{
    let (ended, spans) = mpsc::channel(QUEUE);
    let layer = TraceLayer { share, ended };
    let spans_alone = Targets::new().with_target(TARGET, LevelFilter::TRACE);
    (layer.with_filter(spans_alone), Exporter::new(spans))
}

/// A span that is recorded.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) context: TraceContext,
    pub(crate) parent: Option<[u8; 8]>,
    pub(crate) name: &'static str,
    pub(crate) fields: Fields,
    /// When it began, since 1970.
    pub(crate) began: Duration,
    /// How long it was at work, from its begin to the last time that it was left:
    /// what it caused may hold on to it for longer.
    pub(crate) lasted: Option<Duration>,
    since: Instant,
}

/// What a span stands for.
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

/// What the fields of a span say.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) name: Option<String>,
    pub(crate) kind: SpanKind,
    cause: Option<TraceContext>,
    pub(crate) attributes: Vec<(&'static str, AttributeValue)>,
}

impl TraceLayer {
    /// The span as one of its trace, with the id of the span above it; none where
    /// it is not recorded.
    fn place(
        &self,
        fields: &Fields,
        above: Option<TraceContext>,
    ) -> Option<(TraceContext, Option<[u8; 8]>)> {
        match fields.cause.or(above) {
            Some(above) if above.is_sampled => {
                let context = TraceContext::drawn(Some(above.trace))?;
                Some((context, Some(above.span)))
            }
            Some(_) => None,
            None if fields.kind == SpanKind::Server => {
                let context = TraceContext::drawn(None)?;
                context.is_among(self.share).then_some((context, None))
            }
            None => None,
        }
    }
}

impl<S> Layer<S> for TraceLayer
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else {
            return;
        };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let above = span.parent().and_then(|parent| innermost(parent.scope()));
        let Some((context, parent)) = self.place(&fields, above) else {
            return;
        };
        let began = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        span.extensions_mut().insert(Recorded {
            context,
            parent,
            name: attributes.metadata().name(),
            fields,
            began: began.unwrap_or_default(),
            lasted: None,
            since: Instant::now(),
        });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else {
            return;
        };
        let mut extensions = span.extensions_mut();
        if let Some(recorded) = extensions.get_mut::<Recorded>() {
            values.record(&mut recorded.fields);
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else {
            return;
        };
        let mut extensions = span.extensions_mut();
        if let Some(recorded) = extensions.get_mut::<Recorded>() {
            recorded.lasted = Some(recorded.since.elapsed());
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let span = context.span(&id);
        let recorded = span.and_then(|span| span.extensions_mut().remove::<Recorded>());
        if let Some(mut recorded) = recorded {
            let lasted = recorded.lasted.unwrap_or_else(|| recorded.since.elapsed());
            recorded.lasted = Some(lasted);
            if self.ended.try_send(recorded).is_err() {
                spans_ended(SpanEnd::Dropped, 1);
            }
        }
    }
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
