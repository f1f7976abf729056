//! Response times of callers that each send the next request after the last
//! answer.

use std::fmt::Write;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

/// Response times.
pub(crate) struct Times {
    /// Times, shortest first.
    times: Vec<Duration>,
    within: Duration,
}

impl Times {
    /// Records the times of answers received within this time.
    pub(crate) fn new(mut times: Vec<Duration>, within: Duration) -> Self {
        assert!(!times.is_empty(), "nothing was answered");
        times.sort_unstable();
        Self { times, within }
    }

    /// Records the times of sequential requests.
    pub(crate) fn in_sequence(times: Vec<Duration>) -> Self {
        let within = times.iter().sum();
        Self::new(times, within)
    }

    /// Runs this many callers for this time, each at least once; `ask` gets the
    /// number of the caller.
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

    /// Returns the number of answers.
    pub(crate) fn count(&self) -> f64 {
        let answers = u32::try_from(self.times.len()).expect("a run is short");
        f64::from(answers)
    }

    /// Returns the answers per second.
    pub(crate) fn rate(&self) -> f64 {
        self.count() / self.within.as_secs_f64()
    }

    /// Returns a percentile of the response times, in milliseconds.
    pub(crate) fn percentile(&self, of_hundred: usize) -> f64 {
        let place = self.times.len() * of_hundred / 100;
        let time = self.times[place.min(self.times.len() - 1)];
        1e3 * time.as_secs_f64()
    }
}

/// Rows measured repeatedly, in turns.
#[derive(Default)]
pub(crate) struct Rounds(Vec<(String, Vec<Times>)>);

impl Rounds {
    /// Adds a measurement of a row; the row's measurements are sorted from the
    /// slowest to the fastest.
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

    /// Returns the median round.
    pub(crate) fn middle(&self, row: &str) -> Option<&Times> {
        let (_, measured) = self.0.iter().find(|(name, _)| name == row)?;
        measured.get(measured.len() / 2)
    }

    /// Returns a table of all rows with their median round, and with the lowest
    /// and highest rate.
    pub(crate) fn table(&self, title: &str) -> String {
        let mut table = format!(
            "\n| {title} | a second | least | most | median ms | p99 ms |\n|---|---|---|---|---|---|\n"
        );
        for (name, measured) in &self.0 {
            let middle = &measured[measured.len() / 2];
            let digits = if middle.rate() < 100.0 { 1 } else { 0 };
            // Writing to a string never fails.
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
