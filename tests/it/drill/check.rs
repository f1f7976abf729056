use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::{JoinError, JoinSet};

use super::scoreboard::Scoreboard;
use crate::acknowledged::{Breach, Entry, Ledger, Subject, Told, judge};
use crate::errands::Town;
use crate::support::demo::Demo;
use crate::support::outside::Hook;

/// Looks at the same time.
const AT_ONCE: usize = 8;
/// Time in which an authentication is checked: it is forgotten after an hour.
const REMEMBERED: Duration = Duration::from_secs(50 * 60);
/// Time in which repeated deliveries of an event are recorded.
const REPEATED: Duration = Duration::from_secs(300);
/// Time limit for the repetition of events.
const EVENTS: Duration = Duration::from_secs(300);
/// Pause between two checks of receivers.
const PAUSE: Duration = Duration::from_secs(2);

/// Compares entries with a host's reports.
pub(super) async fn look(
    town: &Arc<Town>,
    ledger: &Arc<Ledger>,
    entries: Vec<Entry>,
    board: &mut Scoreboard,
) {
    let mut looks = JoinSet::new();
    for entry in entries.into_iter().filter(is_remembered) {
        if looks.len() == AT_ONCE
            && let Some(look) = looks.join_next().await
        {
            note(look, board);
        }
        let (town, ledger) = (town.clone(), ledger.clone());
        looks.spawn(async move {
            let sight = town.sight(&entry).await?;
            judge(&entry, &ledger.entry(&entry.id), &sight)
        });
    }
    while let Some(look) = looks.join_next().await {
        note(look, board);
    }
}

fn note(look: Result<Option<Breach>, JoinError>, board: &mut Scoreboard) {
    board.looks += 1;
    match look {
        Ok(breach) => board.breaches(breach),
        Err(error) => board.broken_off.push(format!("a look: {error}")),
    }
}

fn is_remembered(entry: &Entry) -> bool {
    match entry.subject {
        Subject::Authentication { .. } => is_within(entry, REMEMBERED),
        Subject::Signing | Subject::Order { .. } => true,
        Subject::Question { .. } => false,
    }
}

fn is_within(entry: &Entry, time: Duration) -> bool {
    entry.at.is_some_and(|at| at.elapsed() < time)
}

/// Reads the deliveries of entries that changed a short while ago or that lack events: the world
/// remembers deliveries for a limited time.
pub(super) async fn hear(told: &mut Told, world: &Demo, entries: &[Entry]) {
    let is_awaited = |entry: &&Entry| {
        is_within(entry, REPEATED) || !told.untold(std::slice::from_ref(*entry)).is_empty()
    };
    let awaited = entries.iter().filter(is_awaited);
    let addresses = awaited.filter_map(|entry| entry.hook.as_deref());
    let names = addresses.filter_map(|address| address.rsplit('/').next());
    let names: BTreeSet<&str> = names.collect();
    for name in names {
        for delivery in Hook::new(world, name).deliveries(0).await {
            told.note(&delivery);
        }
    }
}

/// Reads deliveries until no event is missing, or the time is up.
pub(super) async fn hear_all(told: &mut Told, world: &Demo, entries: &[Entry]) {
    let begun = Instant::now();
    loop {
        hear(told, world, entries).await;
        if told.untold(entries).is_empty() || begun.elapsed() > EVENTS {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acknowledged::{BreachKind, Step};
    use crate::errands::Hosts;
    use crate::signing_api::account::NOBODY;

    #[tokio::test]
    async fn an_acknowledged_signing_that_a_host_does_not_have_is_lost() {
        let world = Arc::new(Demo::start());
        let hosts = Hosts::at([world.world.base_url.clone()]);
        let ledger = Arc::<Ledger>::default();
        let town = Arc::new(Town::new(&world, &hosts, &ledger));
        let signing = world.signing().create_plain().await.signing_id.to_string();
        ledger.begin(&signing, Subject::Signing, None, Step::Created);
        let mut board = Scoreboard::default();
        look(&town, &ledger, ledger.entries(), &mut board).await;
        assert_eq!((board.looks, board.found(BreachKind::Lost)), (1, 0));

        ledger.begin(NOBODY, Subject::Signing, None, Step::Created);
        look(&town, &ledger, ledger.entries(), &mut board).await;

        assert_eq!((board.looks, board.found(BreachKind::Lost)), (3, 1));
    }
}
