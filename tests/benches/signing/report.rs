use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::Duration;

use crate::AT_ONCE;
use crate::pyhanko;
use crate::sampler::Times;

/// Calls that do next to nothing, by name.
pub(crate) type MeasuredCalls = Vec<(&'static str, Times)>;

/// Everything about one size of document.
pub(crate) struct MeasuredSize {
    pub(crate) name: &'static str,
    pub(crate) document_bytes: usize,
    /// By column.
    pub(crate) times: BTreeMap<&'static str, Times>,
    /// The guest's linear memory, by operation.
    pub(crate) peak_bytes: BTreeMap<&'static str, usize>,
}

const OPERATIONS: [&str; 4] = ["inspect", "prepare", "embed", "verify"];

/// What the times are of: the processor and what else may run on it.
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

/// The cost of a call itself, in microseconds.
pub(crate) fn calls(measured: &MeasuredCalls) {
    println!("\n| call | min µs | median µs |\n|---|---|---|");
    for (name, times) in measured {
        println!(
            "| {name} | {:.1} | {:.1} |",
            micros(times.min),
            micros(times.median)
        );
    }
}

/// The tables of all sizes, and what was aimed at.
pub(crate) fn sizes(measured: &[MeasuredSize], pyhanko: &pyhanko::Measured) {
    println!("\nmin / median in milliseconds; known: the host has hashed the document before");
    println!("\n| document | | inspect | prepare | embed | verify |\n|---|---|---|---|---|---|");
    for size in measured {
        println!(
            "| {} | SHA-256 once | {} | | | |",
            size.name,
            size.shown("sha256")
        );
        let native = OPERATIONS.map(|operation| size.shown(&format!("native {operation}")));
        println!("| | native | {} |", native.join(" | "));
        let component = OPERATIONS.map(|operation| size.shown(operation));
        println!("| | component | {} |", component.join(" | "));
        let known = OPERATIONS.map(|operation| size.shown(&format!("known {operation}")));
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
        println!(
            "| {} | {} | {} | {:.0} % |",
            size.name,
            size.shown("native at once"),
            size.shown("at once"),
            100.0 * size.median("native at once") / size.median("at once")
        );
    }

    println!(
        "\n| document | prepare + embed, ms | known | 3 x SHA-256 + 2 ms |\n|---|---|---|---|"
    );
    for size in measured {
        let both = |known: &str, of: fn(&Times) -> Duration| {
            ["prepare", "embed"]
                .map(|operation| millis(of(&size.times[&*format!("{known}{operation}")])))
                .iter()
                .sum::<f64>()
        };
        let shown = |known| {
            format!(
                "{:.2} / {:.2}",
                both(known, |times| times.min),
                both(known, |times| times.median)
            )
        };
        let sha256 = size.times["sha256"];
        println!(
            "| {} | {} | {} | {:.2} / {:.2} |",
            size.name,
            shown(""),
            shown("known "),
            3.0 * millis(sha256.min) + 2.0,
            3.0 * millis(sha256.median) + 2.0
        );
    }
}

impl MeasuredSize {
    fn shown(&self, column: &str) -> String {
        self.times.get(column).map_or_else(String::new, |times| {
            format!("{:.2} / {:.2}", millis(times.min), millis(times.median))
        })
    }

    fn median(&self, column: &str) -> f64 {
        millis(self.times[column].median)
    }
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
