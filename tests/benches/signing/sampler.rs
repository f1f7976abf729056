use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Rounds before anything counts.
const WARM_UP: usize = 3;
/// Rounds that count, whatever they take.
const LEAST_ROUNDS: usize = 15;
/// Rounds that count at most.
const MOST_ROUNDS: usize = 2000;

/// How long the rounds of a group may take beyond that.
const BUDGET: Duration = Duration::from_secs(8);

/// What cases took, by their name.
pub(crate) type Measured = BTreeMap<&'static str, Times>;

/// Something that is timed, under the name of its column.
pub(crate) struct Case<'a> {
    name: &'static str,
    run: Box<dyn FnMut() + 'a>,
}

/// What the runs of a case took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// The shortest run: what the work itself takes.
    pub(crate) min: Duration,
    /// Half of the runs took longer.
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

/// Which cases are timed: those of whose name, such as `1 MiB/embed`, this is
/// a part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter(pub(crate) String);

/// Runs every case of `group` once in each round until the budget is spent, so
/// that whatever else the machine does meets all of them alike.
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
