use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::demo::Demo;
use super::root;

/// Metrics in the table of `docs/monitoring.md`, each with its labels.
static DOCUMENTED: LazyLock<BTreeMap<String, BTreeSet<String>>> = LazyLock::new(|| {
    let page = std::fs::read_to_string(root().join("docs/monitoring.md")).expect("a page");
    let rows = page.lines().filter(|line| line.starts_with("| `parafa_"));
    let metrics = rows.flat_map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        let labels: BTreeSet<String> = quoted(&without_brackets(cells[2])).collect();
        let named: Vec<_> = quoted(cells[1])
            .map(|name| (name, labels.clone()))
            .collect();
        named
    });
    metrics.collect()
});

/// Returns the documented labels of a series' metric.
pub(crate) fn documented_labels(series: &str) -> Option<&'static BTreeSet<String>> {
    let of_histogram = ["_bucket", "_sum", "_count"]
        .iter()
        .find_map(|suffix| DOCUMENTED.get(series.strip_suffix(suffix)?));
    DOCUMENTED.get(series).or(of_histogram)
}

fn quoted(text: &str) -> impl Iterator<Item = String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// Removes the values of labels, which are in brackets after them.
fn without_brackets(text: &str) -> String {
    let mut depth = 0;
    text.chars()
        .filter(|character| {
            depth += i32::from(*character == '(');
            let is_outside = depth == 0;
            depth -= i32::from(*character == ')');
            is_outside
        })
        .collect()
}

/// Asserts that every series is documented with its labels.
fn assert_documented(text: &str) {
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (series, _) = line.rsplit_once(' ').expect("a series and its value");
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        let expected = documented_labels(name);
        let expected = expected.unwrap_or_else(|| panic!("{name} is not documented"));
        let mut parts: Vec<&str> = labels.split("=\"").collect();
        parts.pop();
        let names = parts.iter().filter_map(|part| part.rsplit(',').next());
        let names: BTreeSet<String> = names
            .filter(|name| *name != "le")
            .map(str::to_owned)
            .collect();
        assert_eq!(names, *expected, "{line}");
    }
}

/// Asserts that a text does not identify signers or documents.
#[track_caller]
pub(crate) fn assert_nobody_is_named(text: &str, demo: &Demo, secrets: &[&str]) {
    let personas = &demo.world.world.personas;
    let names = personas
        .iter()
        .flat_map(|persona| [persona.personal_code.as_str(), persona.name.as_str()]);
    for secret in names.chain(secrets.iter().copied()) {
        assert!(!text.contains(secret), "{secret} is told");
    }
}

/// Metrics from the operator's listener, in the OpenMetrics text format.
pub(crate) struct Metrics(String);

impl Metrics {
    pub(crate) fn new(text: String) -> Self {
        assert!(text.ends_with("# EOF\n"), "{text}");
        assert_documented(&text);
        Self(text)
    }

    /// Returns all samples: series and value.
    pub(crate) fn samples(&self) -> impl Iterator<Item = (&str, f64)> {
        let lines = self.0.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| {
            let (series, value) = line.rsplit_once(' ').expect("a series and its value");
            (series, value.parse().expect("a number"))
        })
    }

    /// Sums all samples of a name that have these labels.
    pub(crate) fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        self.of(name)
            .filter(|(found, _)| {
                labels
                    .iter()
                    .all(|(label, value)| found.contains(&format!("{label}=\"{value}\"")))
            })
            .map(|(_, value)| value)
            .sum()
    }

    /// Returns whether a name has samples.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.of(name).next().is_some()
    }

    /// Returns the samples of a name: labels, if any, and value.
    fn of<'m>(&'m self, name: &'m str) -> impl Iterator<Item = (&'m str, f64)> {
        self.samples()
            .filter_map(move |(series, value)| Some((series.strip_prefix(name)?, value)))
            .filter(|(labels, _)| labels.is_empty() || labels.starts_with('{'))
    }

    /// Asserts that the metrics do not identify signers or documents.
    pub(crate) fn assert_nobody_is_named(&self, demo: &Demo, secrets: &[&str]) {
        assert_nobody_is_named(&self.0, demo, secrets);
    }
}
