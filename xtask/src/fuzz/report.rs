//! Output of libFuzzer.

use std::path::PathBuf;

/// The result of a run.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Report {
    /// Edges that were covered.
    pub(super) edges: u64,
    /// Number of all edges.
    pub(super) all_edges: u64,
    /// libFuzzer's features beside edges: how often each was taken, and the compared values.
    pub(super) features: u64,
    /// Number of inputs that ran; set if the run has statistics.
    pub(super) executions: u64,
    /// The path of a finding's input.
    pub(super) finding: Option<PathBuf>,
}

impl Report {
    pub(super) fn read(output: &str) -> Self {
        let last = |label| number_behind(output, label).unwrap_or_default();
        let finding = output.rsplit_once("Test unit written to ");
        let finding = finding.and_then(|(_, path)| path.lines().next());
        Self {
            edges: last(" cov: "),
            all_edges: counters(output).unwrap_or_default(),
            features: last(" ft: "),
            executions: last("stat::number_of_executed_units: "),
            finding: finding.map(PathBuf::from),
        }
    }
}

/// Returns the number after the last occurrence of a label.
fn number_behind(output: &str, label: &str) -> Option<u64> {
    let (_, rest) = output.rsplit_once(label)?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Counts the instrumented edges: each has a counter.
fn counters(output: &str) -> Option<u64> {
    let (before, _) = output.split_once(" inline 8-bit counters)")?;
    before.rsplit_once('(')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_numbers_of_a_run_are_read() {
        let output = "INFO: Running with entropic power schedule (0xFF, 100).\n\
            INFO: Loaded 1 modules   (51234 inline 8-bit counters): 51234 [0x1, 0x2), \n\
            INFO: Loaded 1 PC tables (51234 PCs): 51234 [0x1,0x2), \n\
            #3\tINITED cov: 12 ft: 13 corp: 1/1b exec/s: 0 rss: 30Mb\n\
            #90\tDONE   cov: 2345 ft: 5678 corp: 7/89b lim: 4 exec/s: 0 rss: 31Mb\n\
            stat::number_of_executed_units: 90\n";

        let expected = Report {
            edges: 2345,
            all_edges: 51234,
            features: 5678,
            executions: 90,
            finding: None,
        };
        assert_eq!(Report::read(output), expected);
    }

    #[test]
    fn a_finding_is_told_by_its_file() {
        let output = "artifact_prefix='/a/'; Test unit written to /a/crash-0beec7\nBase64: AA==\n";

        let report = Report::read(output);

        assert_eq!(report.finding, Some(PathBuf::from("/a/crash-0beec7")));
    }
}
