//! The last hour of the counters: their growth in each minute.

use std::collections::{BTreeMap, VecDeque};

use crate::metrics::{Sample, samples};

/// Number of minutes kept.
const MINUTES: usize = 60;

/// Counter of signers' attempts.
pub(crate) const CEREMONIES: &str = "parafa_ceremony_attempts_total";
/// Counter of authentications.
pub(crate) const AUTHENTICATIONS: &str = "parafa_authentication_duration_seconds_count";
/// Histogram of requests by response time.
const DURATIONS: &str = "parafa_http_request_duration_seconds_bucket";

/// A counter, and the labels that distinguish its series.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) title: &'static str,
    pub(crate) about: &'static str,
    pub(crate) columns: [&'static str; 5],
    pub(crate) metric: &'static str,
    by: &'static [&'static str],
}

/// Returns the columns of a counter, with `series` as the first heading.
const fn columns(series: &'static str) -> [&'static str; 5] {
    [
        series,
        "Last hour",
        "Peak minute",
        "Last minute",
        "Per minute",
    ]
}

/// Counters on the status page.
pub(crate) static SHOWN: [Kept; 6] = [
    Kept {
        title: "Requests",
        about: "Responses of APIs and pages by status class. 5xx: the service or one of its dependencies failed.",
        columns: columns("Status"),
        metric: "parafa_http_requests_total",
        by: &["status"],
    },
    Kept {
        title: "Signing attempts",
        about: "Attempts that ended, by method and outcome.",
        columns: columns("Method · outcome"),
        metric: CEREMONIES,
        by: &["method", "outcome"],
    },
    Kept {
        title: "Authentications",
        about: "Authentications that ended, by method, outcome and reason.",
        columns: columns("Method · outcome · reason"),
        metric: AUTHENTICATIONS,
        by: &["method", "outcome", "reason"],
    },
    Kept {
        title: "Webhook attempts",
        about: "Attempts to deliver an event to its receiver, by outcome.",
        columns: columns("Outcome"),
        metric: "parafa_webhook_attempts_total",
        by: &["outcome"],
    },
    Kept {
        title: "Emails",
        about: "Attempts to hand an email to the mail server, by outcome.",
        columns: columns("Outcome"),
        metric: "parafa_mail_attempts_total",
        by: &["outcome"],
    },
    Kept {
        title: "Plugin calls",
        about: "Calls by plugin and outcome: ok, refusal, or the kind of fault.",
        columns: columns("Plugin · outcome"),
        metric: "parafa_plugin_calls_total",
        by: &["plugin", "outcome"],
    },
];

/// Separator of the labels of a series.
pub(crate) const BETWEEN: &str = " · ";

/// Values by counter and series.
type Totals = BTreeMap<(&'static str, String), f64>;

/// Growth in the last hour; less at first.
#[derive(Debug, Default)]
pub(crate) struct History {
    before: Option<Totals>,
    minutes: VecDeque<Totals>,
}

impl History {
    /// Ends a minute with the current totals. The first call only sets the baseline.
    pub(crate) fn take(&mut self, text: &str) {
        let totals = totals(text);
        if let Some(before) = &self.before {
            let grown = totals.iter().map(|(series, total)| {
                let before = before.get(series).copied().unwrap_or_default();
                (series.clone(), total - before)
            });
            let grown = grown.collect();
            if self.minutes.len() == MINUTES {
                self.minutes.pop_front();
            }
            self.minutes.push_back(grown);
        }
        self.before = Some(totals);
    }

    /// Returns each series of a counter that grew, with its growth in each
    /// minute, oldest first.
    pub(crate) fn series(&self, metric: &str) -> BTreeMap<String, Vec<f64>> {
        let mut series = self.all_series(metric);
        series.retain(|_, minutes| minutes.iter().any(|growth| *growth > 0.0));
        series
    }

    fn all_series(&self, metric: &str) -> BTreeMap<String, Vec<f64>> {
        let mut series = BTreeMap::new();
        for (minute, grown) in self.minutes.iter().enumerate() {
            for ((_, name), growth) in grown.iter().filter(|((of, _), _)| *of == metric) {
                let minutes: &mut Vec<f64> = series
                    .entry(name.clone())
                    .or_insert_with(|| vec![0.0; self.minutes.len()]);
                minutes[minute] = *growth;
            }
        }
        series
    }

    /// Returns a quantile of the response times, in seconds: for each minute,
    /// oldest first, and for the hour.
    pub(crate) fn latencies(&self, share: f64) -> (Vec<f64>, f64) {
        let series = self.all_series(DURATIONS);
        let buckets = series
            .into_iter()
            .filter_map(|(end, counts)| Some((end.parse::<f64>().ok()?, counts)));
        let mut buckets: Vec<(f64, Vec<f64>)> = buckets.collect();
        buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
        let minutes = (0..self.minutes.len())
            .map(|minute| quantile(&buckets, share, |counts| counts[minute]))
            .collect();
        let hour = quantile(&buckets, share, |counts| counts.iter().sum());
        (minutes, hour)
    }
}

impl Kept {
    /// Returns the distinguishing labels of a sample.
    fn series(&self, sample: &Sample<'_>) -> String {
        let values = self.by.iter().map(|label| {
            let value = sample.label(label).unwrap_or_default();
            match *label {
                "status" => format!("{}xx", value.get(..1).unwrap_or_default()),
                _ => value.to_owned(),
            }
        });
        values.collect::<Vec<_>>().join(BETWEEN)
    }
}

fn totals(text: &str) -> Totals {
    let mut totals = Totals::new();
    for sample in samples(text) {
        let series = match SHOWN.iter().find(|kept| kept.metric == sample.name) {
            Some(kept) => (kept.metric, kept.series(&sample)),
            None if sample.name == DURATIONS => {
                let end = sample.label("le").unwrap_or_default();
                (DURATIONS, end.to_owned())
            }
            None => continue,
        };
        *totals.entry(series).or_default() += sample.value;
    }
    totals
}

/// Computes a quantile of cumulative buckets by `count`, interpolated linearly
/// within a bucket; 0 if they are empty.
fn quantile(buckets: &[(f64, Vec<f64>)], share: f64, count: impl Fn(&[f64]) -> f64) -> f64 {
    let all = buckets.last().map_or(0.0, |(_, counts)| count(counts));
    let rank = share * all;
    let (mut begin, mut below) = (0.0, 0.0);
    for (end, counts) in buckets {
        let held = count(counts);
        if held >= rank && held > below {
            if end.is_infinite() {
                break;
            }
            return begin + (end - begin) * (rank - below) / (held - below);
        }
        if end.is_finite() {
            (begin, below) = (*end, held);
        }
    }
    if all > 0.0 { begin } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes metrics of requests answered so far, `slow` of them in more than
    /// 4 ms.
    fn text(fine: u32, broken: u32, slow: u32) -> String {
        let all = fine + broken;
        format!(
            "parafa_http_requests_total{{method=\"GET\",route=\"/c/{{token}}\",status=\"200\"}} {fine}\n\
             parafa_http_requests_total{{method=\"GET\",route=\"/\",status=\"503\"}} {broken}\n\
             {DURATIONS}{{le=\"0.001\",route=\"/\"}} 0\n\
             {DURATIONS}{{le=\"0.004\",route=\"/\"}} {}\n\
             {DURATIONS}{{le=\"0.016\",route=\"/\"}} {all}\n\
             {DURATIONS}{{le=\"+Inf\",route=\"/\"}} {all}\n\
             parafa_connections{{listener=\"public\"}} 9\n",
            all - slow
        )
    }

    #[test]
    fn a_minute_is_what_the_totals_grew_by_and_routes_are_added_up_by_class_of_status() {
        let mut history = History::default();
        history.take(&text(100, 0, 0));
        assert!(history.series("parafa_http_requests_total").is_empty());

        history.take(&text(103, 0, 0));
        history.take(&text(103, 2, 0));

        let series = history.series("parafa_http_requests_total");
        let expected = [("2xx", vec![3.0, 0.0]), ("5xx", vec![0.0, 2.0])];
        let expected = expected.map(|(name, minutes)| (name.to_owned(), minutes));
        assert_eq!(series, BTreeMap::from(expected));
        assert!(history.series("parafa_connections").is_empty());
    }

    #[test]
    fn no_more_than_an_hour_is_kept() {
        let mut history = History::default();
        for minute in 0..100 {
            history.take(&text(minute * minute, 0, 0));
        }

        let series = history.series("parafa_http_requests_total");

        let minutes = &series["2xx"];
        assert_eq!(minutes.len(), MINUTES);
        assert_eq!((minutes[0], minutes[59]), (79.0, 197.0));
    }

    #[test]
    fn latencies_are_quantiles_of_each_minute_and_of_the_hour() {
        let mut history = History::default();
        history.take(&text(0, 0, 0));
        history.take(&text(10, 0, 0));
        history.take(&text(10, 0, 0));
        history.take(&text(20, 0, 10));

        let (minutes, hour) = history.latencies(0.5);

        let milliseconds = |seconds: &f64| (seconds * 1e4).round() / 10.0;
        let minutes: Vec<_> = minutes.iter().map(milliseconds).collect();
        assert_eq!(minutes, [2.5, 0.0, 10.0]);
        assert_eq!(milliseconds(&hour), 4.0);
        assert_eq!(History::default().latencies(0.95), (Vec::new(), 0.0));
    }
}
