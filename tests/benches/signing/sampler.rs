use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Number of uncounted rounds at the beginning.
const WARM_UP: usize = 3;
/// Minimum number of counted rounds, regardless of their time.
const LEAST_ROUNDS: usize = 15;
/// Maximum number of counted rounds.
const MOST_ROUNDS: usize = 2000;

/// Time budget for the rounds of a group beyond the minimum.
const BUDGET: Duration = Duration::from_secs(8);

/// Times of cases, by name.
pub(crate) type Measured = BTreeMap<&'static str, Times>;

/// A timed operation, with the name of its column.
pub(crate) struct Case<'a> {
    name: &'static str,
    run: Box<dyn FnMut() + 'a>,
}

/// Times of a case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// Shortest run: the time of the work itself.
    pub(crate) min: Duration,
    /// Median of the runs.
    pub(crate) median: Duration,
}

impl<'a> Case<'a> {
    pub(crate) fn new<T>(name: &'static str, mut run: impl FnMut() -> T + 'a) -> Self {
        let run = Box::new(move || {
            std::hint::black_box(run());
        });
        Self { name, run }
    }
}

/// Selects the cases to time: those whose name, such as `1 MiB/embed`, contains
/// this.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter(pub(crate) String);

/// Runs every case of `group` once per round until the budget is spent, so that
/// other load on the machine affects all cases alike.
pub(crate) fn sample(group: &str, mut cases: Vec<Case<'_>>, filter: &Filter) -> Measured {
    cases.retain(|case| format!("{group}/{}", case.name).contains(&filter.0));
    let mut taken = vec![Vec::new(); cases.len()];
    for _ in 0..WARM_UP {
        for case in &mut cases {
            (case.run)();
        }
    }
    let begun = Instant::now();
    for round in 0..MOST_ROUNDS {
        if round >= LEAST_ROUNDS && begun.elapsed() > BUDGET {
            break;
        }
        for (case, taken) in cases.iter_mut().zip(&mut taken) {
            let begun = Instant::now();
            (case.run)();
            taken.push(begun.elapsed());
        }
    }
    cases
        .iter()
        .zip(taken)
        .map(|(case, taken)| (case.name, Times::of(taken)))
        .collect()
}

impl Times {
    fn of(mut taken: Vec<Duration>) -> Self {
        taken.sort_unstable();
        Self {
            min: taken[0],
            median: taken[taken.len() / 2],
        }
    }
}
