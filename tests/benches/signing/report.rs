use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::Duration;

use crate::AT_ONCE;
use crate::pyhanko;
use crate::sampler::{Measured, Times};

/// Measurements of one document.
pub(crate) struct MeasuredDocument {
    pub(crate) name: &'static str,
    pub(crate) document_bytes: usize,
    /// Times by column.
    pub(crate) times: Measured,
    /// Linear memory of the guest, by operation.
    pub(crate) peak_bytes: BTreeMap<&'static str, usize>,
}

const OPERATIONS: [&str; 4] = ["inspect", "prepare", "embed", "verify"];

/// Prints the processor and the load of the machine.
pub(crate) fn machine() {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(": "))
            .map_or("", |(_, value)| value)
    };
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!(
        "{} x {}, SHA extensions: {}, load before: {}",
        thread::available_parallelism().map_or(1, usize::from),
        field("model name"),
        field("flags").split(' ').any(|flag| flag == "sha_ni"),
        load.split(' ').next().unwrap_or_default(),
    );
}

/// Prints the cost of a call itself, in microseconds.
pub(crate) fn calls(measured: &Measured) {
    println!("\n| call | min µs | median µs |\n|---|---|---|");
    for (name, times) in measured {
        println!(
            "| {name} | {:.1} | {:.1} |",
            micros(times.min),
            micros(times.median)
        );
    }
}

/// Prints the tables of all documents, and the aims.
pub(crate) fn documents(measured: &[MeasuredDocument], pyhanko: &pyhanko::Measured) {
    println!("\nmin / median in milliseconds; known: the host has hashed the document before");
    println!("\n| document | | inspect | prepare | embed | verify |\n|---|---|---|---|---|---|");
    for size in measured {
        println!(
            "| {} | SHA-256 once | {} | | | |",
            size.name,
            size.shown(&["sha256"])
        );
        let native = OPERATIONS.map(|operation| size.shown(&[&format!("native {operation}")]));
        println!("| | native | {} |", native.join(" | "));
        let component = OPERATIONS.map(|operation| size.shown(&[operation]));
        println!("| | component | {} |", component.join(" | "));
        let known = OPERATIONS.map(|operation| size.shown(&[&format!("known {operation}")]));
        println!("| | component, known | {} |", known.join(" | "));
        if let Some((prepare, embed)) = pyhanko.get(size.name) {
            println!("| | pyHanko (median) | | {prepare:.2} | {embed:.2} | |");
        }
    }

    println!(
        "\n| document | guest memory in KiB: inspect | prepare | embed | verify | largest / document |\n|---|---|---|---|---|---|"
    );
    for size in measured {
        let peaks = OPERATIONS.map(|operation| (size.peak_bytes[operation] / 1024).to_string());
        let largest = size.peak_bytes.values().max().copied().unwrap_or(0);
        println!(
            "| {} | {} | {:.2} |",
            size.name,
            peaks.join(" | "),
            ratio(largest, size.document_bytes)
        );
    }

    println!(
        "\n| document | {AT_ONCE} calls of prepare at once, ms: native | component | throughput of native |\n|---|---|---|---|"
    );
    for size in measured {
        let throughput = size
            .median(&["native at once"])
            .zip(size.median(&["at once"]))
            .map_or_else(nothing, |(native, own)| {
                format!("{:.0} %", 100.0 * native / own)
            });
        println!(
            "| {} | {} | {} | {throughput} |",
            size.name,
            size.shown(&["native at once"]),
            size.shown(&["at once"]),
        );
    }

    println!(
        "\n| document | prepare + embed, ms: hashed twice | hashed once | known | 3 x SHA-256 + 2 ms |\n|---|---|---|---|---|"
    );
    for size in measured {
        let aim = |sha256: f64| 3.0 * sha256 + 2.0;
        let aims = size
            .min(&["sha256"])
            .zip(size.median(&["sha256"]))
            .map_or_else(nothing, |(min, median)| {
                format!("{:.2} / {:.2}", aim(min), aim(median))
            });
        println!(
            "| {} | {} | {} | {} | {aims} |",
            size.name,
            size.shown(&["prepare", "embed"]),
            size.shown(&["prepare", "known embed"]),
            size.shown(&["known prepare", "known embed"]),
        );
    }
}

impl MeasuredDocument {
    /// Formats the sum of these columns.
    fn shown(&self, columns: &[&str]) -> String {
        self.min(columns)
            .zip(self.median(columns))
            .map_or_else(nothing, |(min, median)| format!("{min:.2} / {median:.2}"))
    }

    fn min(&self, columns: &[&str]) -> Option<f64> {
        self.sum(columns, |times| times.min)
    }

    fn median(&self, columns: &[&str]) -> Option<f64> {
        self.sum(columns, |times| times.median)
    }

    fn sum(&self, columns: &[&str], of: impl Fn(&Times) -> Duration) -> Option<f64> {
        let times = columns.iter().map(|column| self.times.get(column));
        times.map(|times| Some(millis(of(times?)))).sum()
    }
}

/// Returns the placeholder for a case that was not run.
fn nothing() -> String {
    "-".to_owned()
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a megabyte more or less does not show"
)]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
