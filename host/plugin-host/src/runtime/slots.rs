//! Limits of concurrent calls, in all and of one plugin, and the order of waiting ones.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::{CallPriority, Urgency};

/// Most turns of more urgent calls while a less urgent one waits that could have run. The next turn
/// is the least urgent one's.
const PASSED_OVER_AT_MOST: u32 = 8;

/// The slots of a host, one for each concurrent call.
#[derive(Debug)]
pub(crate) struct Slots {
    room: Room,
    per_plugin: usize,
}

/// One plugin's share of the slots: three quarters, so that a plugin whose calls do not end leaves
/// some to the others.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    room: Room,
    plugin: u64,
    /// The plugin's number of slots.
    count: usize,
}

/// A taken slot, freed on drop.
#[derive(Debug)]
pub(crate) struct Slot {
    room: Room,
    call: u64,
}

/// A place in the queue, given up on drop.
struct QueuePlace<'r> {
    room: &'r Room,
    call: u64,
}

/// The running and waiting calls. Clones share state.
#[derive(Clone, Debug)]
struct Room(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    count: usize,
    processors: usize,
    /// Plugins and calls are numbered in order of arrival.
    last_number: u64,
    running: BTreeMap<u64, Call>,
    waiting: BTreeMap<u64, Waiting>,
    /// The last turn of each party that runs or waits.
    turns: HashMap<Option<u128>, u64>,
    last_turn: u64,
    /// Turns since the last less urgent call that could have run.
    passed_over: u32,
}

#[derive(Clone, Copy, Debug)]
struct Call {
    plugin: u64,
    /// Slots of the plugin's own.
    plugin_count: usize,
    priority: CallPriority,
}

#[derive(Debug)]
struct Waiting {
    call: Call,
    told: oneshot::Sender<Slot>,
}

impl Slots {
    pub(crate) fn new(count: usize, processors: usize) -> Self {
        let state = State {
            count,
            processors,
            last_number: 0,
            running: BTreeMap::new(),
            waiting: BTreeMap::new(),
            turns: HashMap::new(),
            last_turn: 0,
            passed_over: 0,
        };
        Self {
            room: Room(Arc::new(Mutex::new(state))),
            per_plugin: (count - count.div_ceil(4)).max(1),
        }
    }

    /// Creates the share of another plugin.
    pub(crate) fn share(&self) -> Share {
        Share {
            room: self.room.clone(),
            plugin: self.room.lock().number(),
            count: self.per_plugin,
        }
    }
}

impl Share {
    /// Waits for a slot. Dropping the future leaves the queue.
    pub(crate) async fn take(&self, priority: CallPriority) -> Slot {
        let (told, mut slot) = oneshot::channel();
        let call = Call {
            plugin: self.plugin,
            plugin_count: self.count,
            priority,
        };
        let _place = self.room.enter(Waiting { call, told });
        let slot = (&mut slot).await;
        slot.expect("whoever waits is told before they are forgotten")
    }

    /// Returns true if at least two slots are free, or one if there is only one.
    pub(crate) fn has_slot_to_spare(&self) -> bool {
        let wanted = self.count.min(2);
        let state = self.room.lock();
        let own = state.running_where(|call| call.plugin == self.plugin);
        self.count.saturating_sub(own) >= wanted
            && state.count.saturating_sub(state.running.len()) >= wanted
    }
}

impl Room {
    fn enter(&self, waiting: Waiting) -> QueuePlace<'_> {
        let call = {
            let mut state = self.lock();
            let call = state.number();
            state.waiting.insert(call, waiting);
            call
        };
        self.admit();
        QueuePlace { room: self, call }
    }

    /// Gives free slots to the next waiting calls.
    fn admit(&self) {
        loop {
            let Some((call, waiting)) = self.lock().next() else {
                return;
            };
            let room = self.clone();
            // If the receiver is gone, the slot is freed at once.
            let _ = waiting.told.send(Slot { room, call });
        }
    }

    // Poisoning is ignored: no code panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Takes the next call from the queue, if one can begin.
    fn next(&mut self) -> Option<(u64, Waiting)> {
        let able = || {
            let waiting = self.waiting.iter();
            waiting.filter(|(_, waiting)| self.has_room_for(&waiting.call))
        };
        // In order of arrival.
        let mut urgencies = able().map(|(_, waiting)| waiting.call.priority.urgency);
        let most = able()
            .map(|(_, waiting)| waiting.call.priority.urgency)
            .min()?;
        let longest = urgencies.find(|urgency| *urgency > most);
        let urgency = match longest {
            Some(longest) if self.passed_over >= PASSED_OVER_AT_MOST => longest,
            _ => most,
        };
        let (number, _) = able()
            .filter(|(_, waiting)| waiting.call.priority.urgency == urgency)
            .min_by_key(|(number, waiting)| {
                let turn = self.turns.get(&waiting.call.priority.party);
                (turn.copied().unwrap_or_default(), **number)
            })?;
        let number = *number;
        let waiting = self.waiting.remove(&number)?;
        self.passed_over = if longest.is_none() || urgency != most {
            0
        } else {
            self.passed_over + 1
        };
        self.last_turn += 1;
        let party = waiting.call.priority.party;
        self.turns.insert(party, self.last_turn);
        self.running.insert(number, waiting.call);
        Some((number, waiting))
    }

    /// Returns true if a call can begin.
    fn has_room_for(&self, call: &Call) -> bool {
        let CallPriority { urgency, party } = call.priority;
        let own = |other: &Call| other.plugin == call.plugin;
        let is_partys = |other: &Call| {
            other.priority.party == party && other.priority.urgency != Urgency::Signing
        };
        let is_background = |other: &Call| other.priority.urgency == Urgency::Background;
        self.running.len() < self.count
            && self.running_where(own) < call.plugin_count
            && (urgency == Urgency::Signing || party.is_none() || self.leaves_some(call, is_partys))
            && (urgency != Urgency::Background || self.leaves_some(call, is_background))
    }

    /// Returns true if another call like this one leaves a slot to others. This holds for all slots
    /// and for the plugin's, if there is more than one. Such calls also take no more slots than
    /// there are processors: further ones would only slow others down.
    fn leaves_some(&self, call: &Call, is_like_it: impl Fn(&Call) -> bool) -> bool {
        let most = |count: usize| count.saturating_sub(1).min(self.processors).max(1);
        let own = |other: &Call| other.plugin == call.plugin && is_like_it(other);
        self.running_where(&is_like_it) < most(self.count)
            && self.running_where(own) < most(call.plugin_count)
    }

    fn running_where(&self, counts: impl Fn(&Call) -> bool) -> usize {
        self.running.values().filter(|call| counts(call)).count()
    }

    /// Forgets a party without running or waiting calls.
    fn forget(&mut self, party: Option<u128>) {
        let running = self.running.values();
        let mut calls = running.chain(self.waiting.values().map(|waiting| &waiting.call));
        if !calls.any(|call| call.priority.party == party) {
            self.turns.remove(&party);
        }
    }
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        let mut state = self.room.lock();
        if let Some(waiting) = state.waiting.remove(&self.call) {
            state.forget(waiting.call.priority.party);
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.room.lock();
        if let Some(call) = state.running.remove(&self.call) {
            state.forget(call.priority.party);
        }
        drop(state);
        self.room.admit();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use futures::FutureExt;

    use super::*;

    const OURS: u128 = 1;
    const THEIRS: u128 = 2;
    /// More processors than slots.
    const MANY: usize = 64;

    const ANYBODY: CallPriority = CallPriority {
        urgency: Urgency::Usual,
        party: None,
    };

    fn signing(party: u128) -> CallPriority {
        CallPriority::new(Urgency::Signing, party)
    }

    fn usual(party: u128) -> CallPriority {
        CallPriority::new(Urgency::Usual, party)
    }

    fn background(party: u128) -> CallPriority {
        CallPriority::new(Urgency::Background, party)
    }

    /// Takes all slots that are free.
    fn fill(share: &Share, priority: CallPriority) -> Vec<Slot> {
        std::iter::from_fn(|| share.take(priority).now_or_never()).collect()
    }

    type Taking<'s> = Pin<Box<dyn Future<Output = Slot> + 's>>;

    /// Begins to wait, which must not end at once.
    fn wait(share: &Share, priority: CallPriority) -> Taking<'_> {
        let mut taking: Taking<'_> = Box::pin(share.take(priority));
        assert!(given(&mut taking).is_none(), "{priority:?}");
        taking
    }

    fn given(taking: &mut Taking<'_>) -> Option<Slot> {
        let mut context = Context::from_waker(Waker::noop());
        match taking.as_mut().poll(&mut context) {
            Poll::Ready(slot) => Some(slot),
            Poll::Pending => None,
        }
    }

    /// Ends one call after another, beginning with `running`, and returns the order in which
    /// waiting calls get slots.
    fn order(running: Vec<Slot>, mut waiting: Vec<Taking<'_>>) -> Vec<usize> {
        let mut running = std::collections::VecDeque::from(running);
        let mut order = Vec::new();
        let mut numbers: Vec<_> = (0..waiting.len()).collect();
        while let Some(ended) = running.pop_front() {
            drop(ended);
            while let Some((at, slot)) = waiting
                .iter_mut()
                .enumerate()
                .find_map(|(at, taking)| Some((at, given(taking)?)))
            {
                drop(waiting.remove(at));
                order.push(numbers.remove(at));
                running.push_back(slot);
            }
        }
        assert!(waiting.is_empty(), "somebody waits for nothing");
        order
    }

    #[test]
    fn one_plugin_leaves_slots_to_the_others() {
        for (count, of_one) in [(1, 1), (2, 1), (4, 3), (16, 12)] {
            let slots = Slots::new(count, MANY);
            let (greedy, modest) = (slots.share(), slots.share());

            let taken = fill(&greedy, ANYBODY);

            assert_eq!(taken.len(), of_one, "{count}");
            let left = modest.take(ANYBODY).now_or_never();
            assert_eq!(left.is_some(), count > 1, "{count}");
        }
    }

    #[test]
    fn the_last_slot_is_spared_only_where_there_is_no_other() {
        for (count, spared) in [(1, 1), (2, 1), (4, 2), (16, 11)] {
            let share = Slots::new(count, MANY).share();

            let mut taken = Vec::new();
            while share.has_slot_to_spare() {
                taken.extend(share.take(ANYBODY).now_or_never());
            }

            assert_eq!(taken.len(), spared, "{count}");
        }
    }

    #[test]
    fn a_party_leaves_a_slot_to_others_but_for_signing() {
        for (count, of_party, of_plugin) in [(1, 1, 1), (2, 1, 1), (4, 2, 3), (16, 11, 12)] {
            for priority in [usual(OURS), background(OURS)] {
                let share = Slots::new(count, MANY).share();
                let taken = fill(&share, priority);
                assert_eq!(taken.len(), of_party, "{count}");

                let left = fill(&share, usual(THEIRS));

                assert_eq!(left.len(), of_plugin - of_party, "{count}");
            }
            let share = Slots::new(count, MANY).share();
            assert_eq!(fill(&share, signing(OURS)).len(), of_plugin, "{count}");
        }
    }

    #[test]
    fn a_party_leaves_a_slot_to_others_whatever_plugins_it_calls() {
        let slots = Slots::new(4, MANY);
        let (one, other) = (slots.share(), slots.share());
        let mut taken = fill(&one, usual(OURS));

        taken.extend(fill(&other, usual(OURS)));

        assert_eq!(taken.len(), 3);
        assert!(other.take(usual(THEIRS)).now_or_never().is_some());
    }

    #[test]
    fn background_of_any_number_of_parties_leaves_a_slot_to_the_rest() {
        let share = Slots::new(4, MANY).share();
        let taken: Vec<_> = (10..20)
            .filter_map(|party| share.take(background(party)).now_or_never())
            .collect();
        assert_eq!(taken.len(), 2);

        assert!(share.take(usual(THEIRS)).now_or_never().is_some());
    }

    #[test]
    fn a_party_keeps_no_more_slots_busy_than_there_are_processors_but_for_signing() {
        for (priority, most) in [(usual(OURS), 2), (background(OURS), 2), (signing(OURS), 12)] {
            let share = Slots::new(16, 2).share();

            assert_eq!(fill(&share, priority).len(), most, "{priority:?}");
        }
        let share = Slots::new(16, 2).share();
        let background: Vec<_> = (10..20)
            .filter_map(|party| share.take(background(party)).now_or_never())
            .collect();
        assert_eq!(background.len(), 2, "nor does all background");
    }

    #[test]
    fn the_most_urgent_call_has_the_next_turn() {
        let share = Slots::new(1, MANY).share();
        let running = fill(&share, background(OURS));
        let waiting = [background(OURS), usual(OURS), signing(OURS), usual(THEIRS)];

        let waiting = waiting.map(|priority| wait(&share, priority));

        // The first of the two parties has had its turn with the third.
        assert_eq!(order(running, waiting.into()), [2, 3, 1, 0]);
    }

    #[test]
    fn parties_have_their_turns_one_after_the_other_however_many_calls_they_make() {
        let share = Slots::new(1, MANY).share();
        let running = fill(&share, background(OURS));
        let mut waiting: Vec<_> = (0..30).map(|_| wait(&share, background(OURS))).collect();
        waiting.extend(
            [background(THEIRS), background(THEIRS), background(3)]
                .map(|priority| wait(&share, priority)),
        );

        let order = order(running, waiting);

        assert_eq!(order[..6], [30, 32, 0, 31, 1, 2]);
    }

    #[test]
    fn whoever_can_wait_does_not_wait_for_ever() {
        let share = Slots::new(1, MANY).share();
        let running = fill(&share, usual(OURS));
        let mut waiting = vec![wait(&share, background(THEIRS))];
        waiting.extend((0..20).map(|_| wait(&share, signing(OURS))));

        let order = order(running, waiting);

        let turn = order.iter().position(|number| *number == 0);
        assert_eq!(turn, Some(PASSED_OVER_AT_MOST as usize));
    }

    #[test]
    fn who_came_first_of_the_less_urgent_is_the_next_that_is_not_passed_over() {
        let share = Slots::new(1, MANY).share();
        let running = fill(&share, usual(OURS));
        let mut waiting = vec![wait(&share, usual(THEIRS))];
        waiting.extend((0..5).map(|_| wait(&share, background(THEIRS))));
        waiting.extend((0..40).map(|_| wait(&share, signing(OURS))));

        let order = order(running, waiting);

        let turn = order.iter().position(|number| *number == 0);
        assert_eq!(turn, Some(PASSED_OVER_AT_MOST as usize));
    }

    #[test]
    fn whoever_goes_away_leaves_their_place_and_their_slot() {
        let share = Slots::new(1, MANY).share();
        let running = fill(&share, usual(OURS));
        let gone = wait(&share, usual(THEIRS));
        let mut told = wait(&share, usual(THEIRS));
        let mut last = wait(&share, usual(THEIRS));

        drop(gone);
        drop(running);
        // The future was given the slot and is not polled.
        assert!(given(&mut last).is_none());
        let unlooked = std::mem::replace(&mut told, Box::pin(std::future::pending()));
        drop(unlooked);

        assert!(given(&mut last).is_some());
        drop(last);
        let state = share.room.lock();
        assert!(state.running.is_empty() && state.waiting.is_empty());
        assert!(state.turns.is_empty(), "parties are forgotten");
    }

    #[test]
    fn whoever_is_able_to_call_does_not_wait_for_those_that_are_not() {
        let slots = Slots::new(4, MANY);
        let (busy, idle) = (slots.share(), slots.share());
        let _running = fill(&busy, usual(OURS));
        let _waiting = pin!(wait(&busy, usual(OURS)));

        assert!(busy.take(background(THEIRS)).now_or_never().is_some());
        assert!(idle.take(background(THEIRS)).now_or_never().is_some());
    }
}
