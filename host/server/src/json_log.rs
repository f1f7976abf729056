//! Log lines in JSON with the sources of errors: the last source of an error
//! has the file and the operating system's error.

use std::error::Error;
use std::fmt;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Json, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Formatter of lines in JSON, in which `NAME.sources` lists the sources of the
/// error `NAME`, as lines for people do.
pub(crate) struct WithSources(pub(crate) Format<Json>);

/// Sources of an event's errors.
#[derive(Default)]
struct Sources(Map<String, Value>);

impl<S, N> FormatEvent<S, N> for WithSources
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut sources = Sources::default();
        event.record(&mut sources);
        if sources.0.is_empty() {
            return self.0.format_event(context, writer, event);
        }
        let mut line = String::new();
        self.0
            .format_event(context, Writer::new(&mut line), event)?;
        let mut line: Value = serde_json::from_str(&line).map_err(|_| fmt::Error)?;
        if let Some(fields) = line.get_mut("fields").and_then(Value::as_object_mut) {
            fields.extend(sources.0);
        }
        writeln!(writer, "{line}")
    }
}

impl Visit for Sources {
    fn record_debug(&mut self, _field: &Field, _value: &dyn fmt::Debug) {}

    fn record_error(&mut self, field: &Field, error: &(dyn Error + 'static)) {
        let sources = std::iter::successors(error.source(), |&source| source.source());
        let sources: Vec<String> = sources.map(ToString::to_string).collect();
        if !sources.is_empty() {
            self.0
                .insert(format!("{}.sources", field.name()), sources.into());
        }
    }
}
