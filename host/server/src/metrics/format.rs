//! Output formats of the metrics: Prometheus text 0.0.4, and OpenMetrics 1.0 on
//! request.

use http::HeaderMap;
use http::header::ACCEPT;

const OPEN_METRICS: &str = "application/openmetrics-text";
const PLAIN: &str = "text/plain";

/// Format of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Format {
    Text,
    OpenMetrics,
}

impl Format {
    /// Negotiates the format (RFC 9110, 12.5.1): OpenMetrics if it is named and
    /// text is not preferred.
    pub(super) fn asked_for(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(ACCEPT).iter();
        let accepted: Vec<&str> = accepted.filter_map(|value| value.to_str().ok()).collect();
        let liked = |media_type| {
            let ranges = accepted.iter().flat_map(|value| value.split(','));
            let weights = ranges.filter_map(|range| weight(range, media_type));
            weights.fold(0.0, f32::max)
        };
        let open_metrics = liked(OPEN_METRICS);
        if open_metrics > 0.0 && open_metrics >= liked(PLAIN) {
            Self::OpenMetrics
        } else {
            Self::Text
        }
    }

    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }

    /// Converts OpenMetrics to this format.
    pub(super) fn of_open_metrics(self, text: String) -> String {
        match self {
            Self::Text => text_of(&text),
            Self::OpenMetrics => text,
        }
    }
}

/// Returns the weight of a media type in a range of `Accept`, if the range
/// names it.
fn weight(range: &str, media_type: &str) -> Option<f32> {
    let mut parts = range.split(';').map(str::trim);
    let is_it = parts.next()?.eq_ignore_ascii_case(media_type);
    let weight = parts.find_map(|part| {
        let (name, weight) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then_some(weight)
    });
    is_it.then(|| weight.map_or(1.0, |weight| weight.trim().parse().unwrap_or(0.0)))
}

/// Converts to text 0.0.4. That format has a type only for samples of exactly
/// that name, fewer types, no units and no end marker.
fn text_of(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    let mut help = None;
    for line in open_metrics.lines() {
        let told = line.strip_prefix("# ").and_then(|told| {
            let (what, rest) = told.split_once(' ')?;
            Some((what, rest.split_once(' ')?))
        });
        match told {
            Some(("HELP", about)) => help = Some(about),
            Some(("TYPE", (name, kind))) => {
                let (suffix, kind) = match kind {
                    "counter" => ("_total", kind),
                    "info" => ("_info", "gauge"),
                    "stateset" => ("", "gauge"),
                    "unknown" => ("", "untyped"),
                    kind => ("", kind),
                };
                if let Some((_, help)) = help.take().filter(|(of, _)| *of == name) {
                    text.push_str(&format!("# HELP {name}{suffix} {help}\n"));
                }
                text.push_str(&format!("# TYPE {name}{suffix} {kind}\n"));
            }
            _ if line.starts_with('#') => {}
            _ => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn asked(accept: &[&'static str]) -> Format {
        let mut headers = HeaderMap::new();
        for accept in accept {
            headers.append(ACCEPT, HeaderValue::from_static(accept));
        }
        Format::asked_for(&headers)
    }

    #[test]
    fn open_metrics_is_for_who_asks_for_it() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
        for accept in [
            &[prometheus][..],
            &["application/openmetrics-text"],
            &["text/plain;q=0.3", "Application/OpenMetrics-Text; q=0.3"],
        ] {
            assert_eq!(asked(accept), Format::OpenMetrics, "{accept:?}");
        }
        for accept in [
            &[][..],
            &["*/*"],
            &["text/plain"],
            &["application/openmetrics-text;q=0"],
            &["application/openmetrics-text;q=0.2, text/plain"],
        ] {
            assert_eq!(asked(accept), Format::Text, "{accept:?}");
        }
    }

    #[test]
    fn text_has_the_types_and_names_of_its_samples() {
        let open_metrics = "# HELP parafa_build What runs here.\n\
            # TYPE parafa_build info\n\
            parafa_build_info{version=\"1\"} 1\n\
            # HELP parafa_calls Calls.\n\
            # TYPE parafa_calls counter\n\
            parafa_calls_total{kind=\"# EOF\"} 3\n\
            # HELP parafa_wait_seconds Waits.\n\
            # TYPE parafa_wait_seconds histogram\n\
            # UNIT parafa_wait_seconds seconds\n\
            parafa_wait_seconds_sum 0.5\n\
            parafa_wait_seconds_count 1\n\
            parafa_wait_seconds_bucket{le=\"+Inf\"} 1\n\
            # EOF\n";

        assert_eq!(
            Format::Text.of_open_metrics(open_metrics.to_owned()),
            "# HELP parafa_build_info What runs here.\n\
            # TYPE parafa_build_info gauge\n\
            parafa_build_info{version=\"1\"} 1\n\
            # HELP parafa_calls_total Calls.\n\
            # TYPE parafa_calls_total counter\n\
            parafa_calls_total{kind=\"# EOF\"} 3\n\
            # HELP parafa_wait_seconds Waits.\n\
            # TYPE parafa_wait_seconds histogram\n\
            parafa_wait_seconds_sum 0.5\n\
            parafa_wait_seconds_count 1\n\
            parafa_wait_seconds_bucket{le=\"+Inf\"} 1\n"
        );
    }
}
