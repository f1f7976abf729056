//! Scrapes of running hosts, as samples for Prometheus' own tests of rules.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::ALERTS;
use crate::support::metrics::Metrics;
use crate::support::root;

/// Metric whose values are times. The tests of rules begin at 1970.
const TIMES: &str = "parafa_certificate_expiry_timestamp_seconds{";
/// Metric of the test machine's disk, which may be nearly full.
const FREE_BYTES: &str = "parafa_free_bytes";
/// Free space that raises no alert, in bytes.
const ENOUGH_BYTES: f64 = 1e10;

/// Samples that Prometheus would have of hosts, one scrape a minute.
pub(super) struct Samples {
    begun: Timestamp,
    minutes: usize,
    /// Values of each series; `None` in minutes without it.
    series: BTreeMap<String, Vec<Option<f64>>>,
}

impl Samples {
    pub(super) fn begin() -> Self {
        Self {
            begun: Timestamp::now(),
            minutes: 0,
            series: BTreeMap::new(),
        }
    }

    /// Returns the number of scrapes so far.
    pub(super) fn minutes(&self) -> usize {
        self.minutes
    }

    /// Adds the scrapes of a minute: of each instance, or `None` if it does not
    /// answer.
    pub(super) fn add(&mut self, scrapes: &[(&str, Option<Metrics>)]) {
        for (instance, metrics) in scrapes {
            self.note("up", instance, f64::from(u8::from(metrics.is_some())));
            for (series, value) in metrics.iter().flat_map(Metrics::samples) {
                self.note(series, instance, value);
            }
        }
        self.minutes += 1;
    }

    fn note(&mut self, series: &str, instance: &str, mut value: f64) {
        if series.starts_with(TIMES) {
            let since_1970 = self.begun.duration_since(Timestamp::UNIX_EPOCH);
            value -= since_1970.as_secs_f64();
        }
        if series.starts_with(FREE_BYTES) {
            value = value.max(ENOUGH_BYTES);
        }
        let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
        let series = format!("{name}{{instance=\"{instance}\",job=\"parafa\",{labels}");
        let values = self.series.entry(series).or_default();
        values.resize(self.minutes, None);
        values.push(Some(value));
    }

    /// Has Prometheus evaluate rules and expressions over the samples. Each
    /// expression has its time, in minutes, and the expected samples.
    pub(super) fn assert_evaluated(&self, promtool: &Path, expected: &[(String, usize, Value)]) {
        let series: Vec<Value> = self
            .series
            .iter()
            .map(|(series, values)| json!({"series": series, "values": self.text(values)}))
            .collect();
        let expected: Vec<Value> = expected
            .iter()
            .map(|(expression, minute, samples)| {
                let time = format!("{minute}m");
                json!({"expr": expression, "eval_time": time, "exp_samples": samples})
            })
            .collect();
        let tests = json!({
            "rule_files": [root().join(ALERTS)],
            "evaluation_interval": "1m",
            "tests": [{"interval": "1m", "input_series": series, "promql_expr_test": expected}],
        });
        let folder = tempfile::tempdir().expect("a temporary folder");
        // JSON is YAML, too.
        let file = folder.path().join("tests.yaml");
        std::fs::write(&file, tests.to_string()).expect("a file");
        let judged = Command::new(promtool)
            .args(["test", "rules"])
            .arg(&file)
            .output()
            .expect("promtool starts");

        let faults = String::from_utf8_lossy(&judged.stderr);
        assert!(judged.status.success(), "{faults}");
    }

    /// Returns values as the tests of rules have them. Prometheus marks a series
    /// as stale once a scrape lacks it.
    fn text(&self, values: &[Option<f64>]) -> String {
        let mut is_there = false;
        let mut all: Vec<String> = Vec::new();
        for minute in 0..self.minutes {
            let value = values.get(minute).copied().flatten();
            all.push(match value {
                Some(value) => value.to_string(),
                None if is_there => "stale".to_owned(),
                None => "_".to_owned(),
            });
            is_there = value.is_some();
        }
        all.join(" ")
    }
}
