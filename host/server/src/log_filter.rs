//! The filter of the log: the targets that it has, each from a level on.

use tracing_subscriber::filter::{LevelFilter, ParseError, Targets};

/// Why a text is no filter of the log.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LogFilterError {
    /// A part of it names no level.
    #[error(transparent)]
    Directive(#[from] ParseError),
    /// A part of it chooses spans or fields.
    #[error("it chooses spans or fields, not targets and levels alone")]
    Span,
}

/// The filter of the setting `telemetry.log`, without the spans of traces, which no
/// log has. An empty one has errors alone.
///
/// # Errors
/// [`LogFilterError`] for a text that is none.
pub(crate) fn log_filter(text: &str) -> Result<Targets, LogFilterError> {
    if text.contains('[') {
        return Err(LogFilterError::Span);
    }
    let directives = text.split(',').map(str::trim);
    let directives: Vec<&str> = directives.filter(|part| !part.is_empty()).collect();
    let filter: Targets = if directives.is_empty() {
        Targets::new().with_default(LevelFilter::ERROR)
    } else {
        directives.join(",").parse()?
    };
    Ok(filter.with_target(parafa_traces::TARGET, LevelFilter::OFF))
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn targets_are_logged_from_their_level_on_and_traces_never() {
        let filter = log_filter("info, parafa_server=debug,").unwrap();

        assert!(filter.would_enable("parafa_store", &Level::INFO));
        assert!(!filter.would_enable("parafa_store", &Level::DEBUG));
        assert!(filter.would_enable("parafa_server::jobs", &Level::DEBUG));
        assert!(!filter.would_enable(parafa_traces::TARGET, &Level::ERROR));
    }

    #[test]
    fn an_empty_filter_has_errors_alone() {
        let filter = log_filter("").unwrap();

        assert!(filter.would_enable("parafa_store", &Level::ERROR));
        assert!(!filter.would_enable("parafa_store", &Level::WARN));
    }

    #[test]
    fn levels_that_do_not_exist_and_spans_are_refused() {
        for text in ["parafa=loud", "parafa[signing]=debug", "[{order}]=debug"] {
            assert!(log_filter(text).is_err(), "{text}");
        }
    }
}
