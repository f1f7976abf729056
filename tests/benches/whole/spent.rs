//! Resources used by a server, according to itself and to the kernel.

use crate::server::Server;

/// Counts of the server's work: heading of the column, and metric.
const COUNTED: [(&str, &str); 6] = [
    ("commits", "parafa_store_commits_total"),
    ("syncs", "parafa_store_syncs_total"),
    ("plugin calls", "parafa_plugin_calls_total"),
    ("verifications", "parafa_signature_verifications_total"),
    ("certificates read", "parafa_certificates_read_total"),
    ("document reads", "parafa_document_reads_total"),
];

/// Resources used by a server since its start.
pub(crate) struct Spent {
    /// CPU time.
    milliseconds: f64,
    counts: [f64; COUNTED.len()],
    /// Number of voluntary context switches.
    switches: f64,
}

impl Spent {
    pub(crate) async fn by(server: &Server) -> Self {
        let metrics = format!("{}/metrics", server.demo("/operatorUrl"));
        let metrics = server.http().get(metrics).send().await.expect("an answer");
        let metrics = metrics.text().await.expect("text");
        let sum = |name: &str| -> f64 {
            let series = metrics.lines().filter(|line| line.starts_with(name));
            let values = series.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
            values.sum()
        };
        Self {
            milliseconds: 1e3 * server.processor().as_secs_f64(),
            counts: COUNTED.map(|(_, metric)| sum(metric)),
            switches: server.switches(),
        }
    }

    /// Returns the headings of [`cells`](Self::cells), and the rule below them.
    pub(crate) fn heads() -> (String, String) {
        let counted = COUNTED.map(|(head, _)| head).join(" | ");
        let heads = format!("processor, ms | {counted} | waits of threads");
        (heads, "---|".repeat(COUNTED.len() + 2))
    }

    /// Returns the usage since `before`, per operation.
    pub(crate) fn cells(&self, before: &Self, count: f64) -> String {
        let counts = self.counts.iter().zip(&before.counts);
        let counts = counts.map(|(after, before)| format!("{:.1}", (after - before) / count));
        format!(
            "{:.2} | {} | {:.0}",
            (self.milliseconds - before.milliseconds) / count,
            counts.collect::<Vec<_>>().join(" | "),
            (self.switches - before.switches) / count,
        )
    }

    /// Returns the cells of another program, given only its CPU milliseconds,
    /// if known.
    pub(crate) fn of_another(milliseconds: Option<f64>) -> String {
        let processor = milliseconds.map_or("–".to_owned(), |taken| format!("{taken:.2}"));
        processor + &" |".repeat(COUNTED.len() + 2)
    }
}
