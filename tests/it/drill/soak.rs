//! A mixed load for hours, below the hosts' capacity. It checks that memory, descriptors, disk and
//! times stay level.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::block_in_place;

use super::deployment::Deployment;
use super::load::Load;
use super::plan::Plan;
use super::rounds::town;
use crate::acknowledged::Ledger;
use crate::errands::{Conditions, Town};

const MINUTE: Duration = Duration::from_secs(60);
/// Concurrent people who measure the capacity in errands a second.
const PEOPLE: usize = 24;
/// Share of the capacity in the load.
const SHARE: f64 = 0.8;
/// Greatest relative growth over the last two thirds, and that of times, which differ from minute
/// to minute.
const GROWTH: f64 = 0.1;
const GROWTH_OF_TIMES: f64 = 0.5;
const MEBIBYTE: f64 = 1024.0 * 1024.0;
/// Least share of the requested errands that must begin and end.
const CARRIED: f64 = 0.95;
/// Fewest minutes for a verdict.
const FEWEST: usize = 6;

/// Measurements of a host after a minute.
struct Minute {
    errands: u64,
    /// Memory, in MiB.
    resident: f64,
    descriptors: f64,
    /// Records and documents, in MiB.
    data: f64,
    /// Records alone.
    records: f64,
    /// Median and 99th percentile of each kind of call, in milliseconds.
    times: BTreeMap<&'static str, (f64, f64)>,
}

/// The measurements, and whether each stays level.
pub(super) struct Verdict {
    rows: Vec<(String, String, bool)>,
}

/// Runs errands at a steady rate and prints a row a minute.
pub(super) async fn run(plan: &Plan) -> Verdict {
    let deployment = Deployment::start(plan);
    let ledger = Arc::<Ledger>::default();
    let town = Arc::new(town(&deployment, &ledger, Conditions::Deaths));
    let hooks = &deployment.world.world.world.hooks;
    let rate = match plan.rate {
        Some(rate) => rate,
        None => SHARE * capacity(&town, hooks, plan.seed).await,
    };
    println!("{rate:.2} errands a second");
    let mut load = Load::prepare(&town, hooks, plan.seed.wrapping_add(1));
    load.begin_at_rate(rate);
    let mut minutes: Vec<Minute> = Vec::new();
    for number in 1..=plan.minutes.unwrap_or(1) {
        tokio::time::sleep(MINUTE).await;
        let minute = block_in_place(|| Minute::of(&deployment, &town, load.done()));
        println!("minute {number}: {minute}");
        minutes.push(minute);
    }
    let broken_off = load.end().await;
    Verdict::of(&minutes, rate, broken_off.len())
}

/// Measures the capacity in errands a second by a minute of many people.
async fn capacity(town: &Arc<Town>, hooks: &str, seed: u64) -> f64 {
    let mut load = Load::prepare(town, hooks, seed);
    load.begin(PEOPLE);
    // All errands of the start begin at once.
    tokio::time::sleep(MINUTE).await;
    let before = load.done();
    tokio::time::sleep(MINUTE).await;
    let errands = load.done() - before;
    load.end().await;
    town.times().take();
    errands as f64 / MINUTE.as_secs_f64()
}

impl Minute {
    fn of(deployment: &Deployment, town: &Town, errands: u64) -> Self {
        let process = deployment.hosts[0].process();
        let (data, records) = deployment.sizes();
        let descriptors = fs::read_dir(format!("/proc/{process}/fd"));
        let times = town.times().take();
        Self {
            errands,
            resident: resident(process) as f64 / MEBIBYTE,
            descriptors: descriptors.map_or(0, Iterator::count) as f64,
            data: data as f64 / MEBIBYTE,
            records: records as f64 / MEBIBYTE,
            times: times
                .into_iter()
                .map(|(kind, times)| (kind, (percentile(&times, 50), percentile(&times, 99))))
                .collect(),
        }
    }
}

/// Returns the memory of a process, in bytes.
fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("the host runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    1024 * kib.expect("a size").parse::<u64>().expect("a number")
}

/// Returns a percentile of the times, in milliseconds.
fn percentile(times: &[Duration], of_hundred: usize) -> f64 {
    let place = (times.len() * of_hundred).div_ceil(100).saturating_sub(1);
    let time = times.get(place).copied().unwrap_or_default();
    1000.0 * time.as_secs_f64()
}

impl Verdict {
    fn of(minutes: &[Minute], rate: f64, broken_off: usize) -> Self {
        let last = &minutes[minutes.len() / 3..];
        let carried = carried(last);
        let mut rows = vec![(
            "errands a second".to_owned(),
            format!("{carried:.2} of {rate:.2}"),
            carried >= CARRIED * rate,
        )];
        let mut level = |what: &str, values: Vec<f64>, most: f64| {
            let grown = growth(&values);
            let is_level = values.len() >= FEWEST && grown <= most;
            let found = format!("{:+.1} % (at most {:.0} %)", 100.0 * grown, 100.0 * most);
            rows.push((what.to_owned(), found, is_level));
        };
        let of = |value: fn(&Minute) -> f64| -> Vec<f64> { last.iter().map(value).collect() };
        level("memory", of(|minute| minute.resident), GROWTH);
        level("descriptors", of(|minute| minute.descriptors), GROWTH);
        // Both keep all data, so only the growth by each errand must stay level.
        let data = added_by_errand(last, |minute| minute.data);
        level("data that an errand adds", data, GROWTH_OF_TIMES);
        let records = added_by_errand(last, |minute| minute.records);
        level("records that an errand adds", records, GROWTH_OF_TIMES);
        let kinds = last.iter().flat_map(|minute| minute.times.keys());
        let kinds: BTreeSet<_> = kinds.collect();
        for kind in kinds {
            let times = last.iter().filter_map(|minute| minute.times.get(*kind));
            let medians = times.map(|(median, _)| *median).collect();
            level(&format!("median of {kind}"), medians, GROWTH_OF_TIMES);
        }
        let count = broken_off.to_string();
        rows.push((
            "errands that were broken off".to_owned(),
            count,
            broken_off == 0,
        ));
        Self { rows }
    }

    /// Returns true if everything stays level.
    pub(super) fn holds(&self) -> bool {
        self.rows.iter().all(|(_, _, holds)| *holds)
    }
}

/// Returns the number of ended errands a second.
fn carried(minutes: &[Minute]) -> f64 {
    let of_minutes = minutes.windows(2);
    let seconds = MINUTE.as_secs_f64() * of_minutes.len() as f64;
    let errands: u64 = of_minutes
        .map(|pair| pair[1].errands - pair[0].errands)
        .sum();
    errands as f64 / seconds.max(1.0)
}

/// Returns the growth by each errand in KiB, minute by minute.
fn added_by_errand(minutes: &[Minute], size: fn(&Minute) -> f64) -> Vec<f64> {
    let added = minutes.windows(2).map(|pair| {
        let errands = pair[1].errands.saturating_sub(pair[0].errands).max(1);
        1024.0 * (size(&pair[1]) - size(&pair[0])) / errands as f64
    });
    added.collect()
}

/// Returns the growth from the first to the last value by linear regression, as a share of their
/// mean.
fn growth(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 || mean <= 0.0 {
        return 0.0;
    }
    let middle = (count - 1.0) / 2.0;
    let (mut together, mut spread) = (0.0, 0.0);
    for (place, value) in values.iter().enumerate() {
        let from_middle = place as f64 - middle;
        together += from_middle * (value - mean);
        spread += from_middle * from_middle;
    }
    together / spread * (count - 1.0) / mean
}

impl fmt::Display for Minute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} errands, {:.0} MiB of memory, {:.0} descriptors, {:.1} MiB of data, {:.1} of \
             them records; p50/p99 in ms:",
            self.errands, self.resident, self.descriptors, self.data, self.records
        )?;
        for (kind, (median, longest)) in &self.times {
            write!(f, " {kind} {median:.1}/{longest:.1}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| what | over the last two thirds | |\n| --- | --- | --- |"
        )?;
        for (what, found, is_level) in &self.rows {
            let verdict = if *is_level { "level" } else { "**not level**" };
            writeln!(f, "| {what} | {found} | {verdict} |")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rate of errands in these minutes.
    const RATE: f64 = 100.0 / 60.0;

    /// Returns minutes in which memory grows by this much each.
    fn minutes(growing: f64) -> Vec<Minute> {
        let minute = |number: u32| Minute {
            errands: 100 * u64::from(number),
            resident: 200.0 + growing * f64::from(number),
            descriptors: 40.0,
            data: 3.0 * f64::from(number),
            records: f64::from(number),
            times: BTreeMap::from([("create", (5.0, 9.0))]),
        };
        (1..=30).map(minute).collect()
    }

    #[test]
    fn what_grows_minute_by_minute_is_not_level() {
        let level = Verdict::of(&minutes(0.0), RATE, 0);
        assert!(level.holds(), "{level}");

        let grows = Verdict::of(&minutes(10.0), RATE, 0);

        assert!(!grows.holds(), "{grows}");
        assert!(grows.to_string().contains("| memory | +"), "{grows}");
    }

    #[test]
    fn a_load_that_is_not_carried_is_no_soak() {
        let verdict = Verdict::of(&minutes(0.0), 2.0 * RATE, 0);

        assert!(!verdict.holds(), "{verdict}");
    }

    #[test]
    fn a_few_minutes_say_nothing() {
        let verdict = Verdict::of(&minutes(0.0)[..6], RATE, 0);

        assert!(!verdict.holds(), "{verdict}");
    }
}
