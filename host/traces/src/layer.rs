//! Records spans as they begin and end.

use tokio::sync::mpsc::{self, Sender};
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{Filtered, Targets};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::TARGET;
use crate::context::TraceContext;
use crate::export::{Exporter, QUEUE};
use crate::metrics::{SpanEnd, spans_ended};
use crate::span::{Fields, Recorded, SpanKind, innermost};

/// Records spans and hands ended ones to its [`Exporter`]. Sampling is decided where a trace
/// begins: by the caller's `traceparent`, otherwise by the share. Spans outside of requests are not
/// recorded.
#[derive(Debug)]
pub struct TraceLayer {
    share: f64,
    ended: Sender<Recorded>,
}

/// A layer that records this share of traces, and its exporter.
#[must_use]
pub fn layer<S>(share: f64) -> (Filtered<TraceLayer, Targets, S>, Exporter)
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
{
    let (ended, spans) = mpsc::channel(QUEUE);
    let layer = TraceLayer { share, ended };
    let spans_alone = Targets::new().with_target(TARGET, LevelFilter::INFO);
    (layer.with_filter(spans_alone), Exporter::new(spans))
}

impl TraceLayer {
    /// The span's context in its trace, with the id of its parent; `None` if it is not recorded.
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
        if let Some((context, parent)) = self.place(&fields, above) {
            let name = attributes.metadata().name();
            let recorded = Recorded::begin(context, parent, name, fields);
            span.extensions_mut().insert(recorded);
        }
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
            recorded.leave();
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let span = context.span(&id);
        let recorded = span.and_then(|span| span.extensions_mut().remove::<Recorded>());
        if let Some(mut recorded) = recorded {
            recorded.end();
            if self.ended.try_send(recorded).is_err() {
                spans_ended(SpanEnd::Dropped, 1);
            }
        }
    }
}
