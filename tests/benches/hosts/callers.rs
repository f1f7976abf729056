//! What callers saw who each ask again when they are answered.

use std::fmt::Write;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

/// How long answers took.
pub(crate) struct Times {
    /// Shortest first.
    times: Vec<Duration>,
    within: Duration,
}

impl Times {
    /// Those of answers that came within this time.
    pub(crate) fn new(mut times: Vec<Duration>, within: Duration) -> Self {
        assert!(!times.is_empty(), "nothing was answered");
        times.sort_unstable();
        Self { times, within }
    }

    /// Those of answers that were asked for one after the other.
    pub(crate) fn in_sequence(times: Vec<Duration>) -> Self {
        let within = times.iter().sum();
        Self::new(times, within)
    }

    /// So many callers for so long, each at least once; `ask` gets the number of the caller.
    pub(crate) async fn of<F>(
        callers: usize,
        within: Duration,
        ask: impl Fn(usize) -> F + Clone + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send,
    {
        let begun = Instant::now();
        let mut asking = JoinSet::new();
        for caller in 0..callers {
            let ask = ask.clone();
            asking.spawn(async move {
                let mut times = Vec::new();
                loop {
                    let asked = Instant::now();
                    ask(caller).await;
                    times.push(asked.elapsed());
                    if begun.elapsed() >= within {
                        return times;
                    }
                }
            });
        }
        let times = asking.join_all().await.into_iter().flatten().collect();
        Self::new(times, begun.elapsed())
    }

    /// How many were answered.
    pub(crate) fn count(&self) -> f64 {
        let answers = u32::try_from(self.times.len()).expect("a run is short");
        f64::from(answers)
    }

    /// Answers a second.
    pub(crate) fn rate(&self) -> f64 {
        self.count() / self.within.as_secs_f64()
    }

    /// The time within which so many of a hundred were answered, in milliseconds.
    pub(crate) fn percentile(&self, of_hundred: usize) -> f64 {
        let place = self.times.len() * of_hundred / 100;
        let time = self.times[place.min(self.times.len() - 1)];
        1e3 * time.as_secs_f64()
    }
}

/// Rows that are measured again and again, in turns.
#[derive(Default)]
pub(crate) struct Rounds(Vec<(String, Vec<Times>)>);

impl Rounds {
    /// Adds what was measured of a row, slowest first.
    pub(crate) fn add(&mut self, row: &str, times: Times) {
        let place = self.0.iter().position(|(name, _)| name == row);
        let place = place.unwrap_or_else(|| {
            self.0.push((row.to_owned(), Vec::new()));
            self.0.len() - 1
        });
        let measured = &mut self.0[place].1;
        measured.push(times);
        measured.sort_by(|one, other| one.rate().total_cmp(&other.rate()));
    }

    /// The round in the middle.
    pub(crate) fn middle(&self, row: &str) -> Option<&Times> {
        let (_, measured) = self.0.iter().find(|(name, _)| name == row)?;
        measured.get(measured.len() / 2)
    }

    /// All rows, each with its round in the middle, and with the least and most a second of all.
    pub(crate) fn table(&self, title: &str) -> String {
        let mut table = format!(
            "\n| {title} | a second | least | most | median ms | p99 ms |\n|---|---|---|---|---|---|\n"
        );
        for (name, measured) in &self.0 {
            let middle = &measured[measured.len() / 2];
            let digits = if middle.rate() < 100.0 { 1 } else { 0 };
            // A text takes it always.
            let _ = writeln!(
                table,
                "| {name} | {:.digits$} | {:.digits$} | {:.digits$} | {:.2} | {:.2} |",
                middle.rate(),
                measured[0].rate(),
                measured[measured.len() - 1].rate(),
                middle.percentile(50),
                middle.percentile(99),
            );
        }
        table
    }
}
