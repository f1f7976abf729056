//! Order of deliveries: one line for each receiver of each workspace, so that a slow receiver
//! delays no other.
//!
//! Deliveries in a line stay unclaimed at their positions in the lane, and cost no commit. Only
//! positions are kept here; a new process reads them again.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use parafa_store::clock::shifted;
use parafa_store::jobs::LanePosition;
use uuid::Uuid;

use super::DELIVERIES_AT_ONCE;

/// Deliveries under way of one workspace to one host.
const IN_LINE: usize = 4;
/// Deliveries under way of one workspace.
const OF_WORKSPACE: usize = 16;
/// Maximum number of deliveries under way to one host: half of all, so that a host shared by many
/// workspaces leaves the rest to others.
const TO_RECEIVER: usize = DELIVERIES_AT_ONCE / 2;
/// Share of the deliveries to one host that is reserved for workspaces with none under way to it.
const TO_RECEIVER_FOR_FIRST: usize = TO_RECEIVER / 2;
/// Share of all deliveries that is reserved for workspaces with none under way.
const FOR_FIRST: usize = DELIVERIES_AT_ONCE / 4;
/// Delay with which a due job may become visible: it is due at the beginning of a transaction and
/// visible once that is committed.
const SEEN_LATE: SignedDuration = SignedDuration::from_secs(2);
/// Interval of reading all positions again, to find those committed later than [`SEEN_LATE`].
const LOOK_AT_ALL: SignedDuration = SignedDuration::from_secs(30);

/// Deliveries that wait for each other.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(super) struct Line {
    workspace: Uuid,
    /// Host of the receiver, whatever the port.
    receiver: String,
}

impl Line {
    pub(super) fn new(workspace: Uuid, receiver: &str) -> Self {
        Self {
            workspace,
            // A trailing dot names the same host.
            receiver: receiver.trim_end_matches('.').to_ascii_lowercase(),
        }
    }

    /// The line of events without a known receiver.
    pub(super) fn nowhere() -> Self {
        Self::new(Uuid::nil(), "")
    }
}

/// All lines. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Lines(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    workspaces: BTreeMap<Uuid, Waiting>,
    /// The workspace that had the last turn.
    last: Uuid,
    /// Waiting deliveries.
    known: HashSet<LanePosition>,
    under_way: UnderWay,
    /// Position up to which all due deliveries are known.
    seen: Option<LanePosition>,
    /// Time of the last complete reading.
    looked_at_all: Timestamp,
}

/// Waiting deliveries of a workspace.
#[derive(Default)]
struct Waiting {
    receivers: BTreeMap<String, BTreeSet<LanePosition>>,
    /// The receiver that had the last turn.
    last: String,
}

/// Number of deliveries under way.
#[derive(Default)]
struct UnderWay {
    all: usize,
    of_workspace: HashMap<Uuid, usize>,
    to_receiver: HashMap<String, usize>,
    in_line: HashMap<Line, usize>,
}

/// Turn of one delivery; dropping it allows the next.
pub(super) struct Turn {
    lines: Lines,
    line: Line,
}

impl Lines {
    /// Position after which the reading at `now` begins.
    pub(super) fn begin_look(&self, now: Timestamp) -> LanePosition {
        let mut state = self.lock();
        let since = now.duration_since(state.looked_at_all);
        if since >= LOOK_AT_ALL || state.seen.is_none() {
            state.looked_at_all = now;
            state.seen = None;
        }
        state.seen.unwrap_or(LanePosition::FIRST)
    }

    /// Positions whose line is not known yet.
    pub(super) fn unknown(&self, places: &[LanePosition]) -> Vec<LanePosition> {
        let state = self.lock();
        let places = places.iter().filter(|place| !state.known.contains(place));
        places.copied().collect()
    }

    /// All due deliveries up to `place` are known.
    pub(super) fn seen(&self, place: LanePosition) {
        self.lock().seen = Some(place);
    }

    /// All deliveries due at `now` are known.
    pub(super) fn seen_all(&self, now: Timestamp) {
        self.seen(LanePosition::before(shifted(now, -SEEN_LATE)));
    }

    /// The next reading begins at the first position.
    pub(super) fn look_at_all(&self) {
        self.lock().seen = None;
    }

    /// Forgets all waiting deliveries: their positions may have changed.
    pub(super) fn forget(&self) {
        let mut state = self.lock();
        state.workspaces.clear();
        state.known.clear();
        state.seen = None;
    }

    /// Puts a delivery in its line.
    pub(super) fn stand(&self, line: Line, place: LanePosition) {
        let mut state = self.lock();
        if state.known.insert(place) {
            let waiting = state.workspaces.entry(line.workspace).or_default();
            waiting
                .receivers
                .entry(line.receiver)
                .or_default()
                .insert(place);
        }
    }

    /// Number of deliveries waiting in lines.
    pub(super) fn waiting(&self) -> usize {
        self.lock().known.len()
    }

    /// The next deliveries, at most `most`: round robin over workspaces, and over the receivers of
    /// each.
    pub(super) fn next(&self, most: usize) -> Vec<(LanePosition, Turn)> {
        let mut state = self.lock();
        let next = std::iter::from_fn(|| {
            let (place, line) = state.next()?;
            state.under_way.begin(&line);
            let lines = self.clone();
            Some((place, Turn { lines, line }))
        });
        next.take(most).collect()
    }

    // No code panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes the first delivery of the next line.
    fn next(&mut self) -> Option<(LanePosition, Line)> {
        let line = self.line_with_room()?;
        let Line {
            workspace,
            receiver,
        } = &line;
        let waiting = self.workspaces.get_mut(workspace)?;
        let places = waiting.receivers.get_mut(receiver)?;
        let place = places.pop_first()?;
        if places.is_empty() {
            waiting.receivers.remove(receiver);
        }
        waiting.last.clone_from(receiver);
        if waiting.receivers.is_empty() {
            self.workspaces.remove(workspace);
        }
        self.last = *workspace;
        self.known.remove(&place);
        Some((place, line))
    }

    fn line_with_room(&self) -> Option<Line> {
        let workspaces = turned(&self.workspaces, &self.last);
        let mut with_room = workspaces.filter(|(id, _)| self.under_way.has_room_of(**id));
        with_room.find_map(|(workspace, waiting)| {
            let mut lines = turned(&waiting.receivers, &waiting.last)
                .map(|(receiver, _)| Line::new(*workspace, receiver));
            lines.find(|line| self.under_way.has_room_in(line))
        })
    }
}

/// Entries of a map, starting after `last` and wrapping around to it.
fn turned<'m, K: Ord, V>(
    map: &'m BTreeMap<K, V>,
    last: &K,
) -> impl Iterator<Item = (&'m K, &'m V)> {
    map.range((Excluded(last), Unbounded))
        .chain(map.range(..=last))
}

impl UnderWay {
    fn has_room_of(&self, workspace: Uuid) -> bool {
        let own = count(&self.of_workspace, &workspace);
        let kept = if own == 0 { 0 } else { FOR_FIRST };
        own < OF_WORKSPACE && self.all < DELIVERIES_AT_ONCE - kept
    }

    fn has_room_in(&self, line: &Line) -> bool {
        let own = count(&self.in_line, line);
        let kept = if own == 0 { 0 } else { TO_RECEIVER_FOR_FIRST };
        own < IN_LINE && count(&self.to_receiver, &line.receiver) < TO_RECEIVER - kept
    }

    fn begin(&mut self, line: &Line) {
        self.all += 1;
        *self.of_workspace.entry(line.workspace).or_default() += 1;
        *self.to_receiver.entry(line.receiver.clone()).or_default() += 1;
        *self.in_line.entry(line.clone()).or_default() += 1;
    }

    fn end(&mut self, line: &Line) {
        self.all = self.all.saturating_sub(1);
        count_down(&mut self.of_workspace, &line.workspace);
        count_down(&mut self.to_receiver, &line.receiver);
        count_down(&mut self.in_line, line);
    }
}

fn count<K: Eq + Hash>(counts: &HashMap<K, usize>, key: &K) -> usize {
    counts.get(key).copied().unwrap_or_default()
}

/// Entries at zero are removed.
fn count_down<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(key);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.lines.lock().under_way.end(&self.line);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;
    const OURS: Uuid = Uuid::from_u128(1);
    const THEIRS: Uuid = Uuid::from_u128(2);

    /// Position of a job due at that millisecond.
    fn place(millisecond: i64) -> LanePosition {
        LanePosition::before(shifted(NOW, SignedDuration::from_millis(millisecond)))
    }

    /// Adds this many deliveries to a line.
    fn stand(lines: &Lines, workspace: Uuid, receiver: &str, count: usize) {
        static LAST: AtomicI64 = AtomicI64::new(0);

        for _ in 0..count {
            let number = LAST.fetch_add(1, Ordering::Relaxed);
            lines.stand(Line::new(workspace, receiver), place(number));
        }
    }

    fn begun(lines: &Lines) -> Vec<Turn> {
        let next = lines.next(usize::MAX);
        next.into_iter().map(|(_, turn)| turn).collect()
    }

    fn of(turns: &[Turn], workspace: Uuid) -> usize {
        let turns = turns.iter().filter(|turn| turn.line.workspace == workspace);
        turns.count()
    }

    #[test]
    fn a_busy_receiver_has_others_of_its_workspace_wait_and_those_of_no_other() {
        let lines = Lines::default();
        stand(&lines, OURS, "slow.example", 10_000);
        let ours = begun(&lines);
        assert_eq!(ours.len(), IN_LINE);

        stand(&lines, THEIRS, "Slow.Example", 1);

        let theirs = begun(&lines);
        assert_eq!(theirs.len(), 1);
        assert_eq!(theirs[0].line.workspace, THEIRS);
        assert_eq!(lines.waiting(), 10_000 - IN_LINE);
    }

    #[test]
    fn another_receiver_has_a_line_of_its_own() {
        let lines = Lines::default();
        stand(&lines, OURS, "slow.example", 10);
        let _slow = begun(&lines);

        stand(&lines, OURS, "other.example", 1);

        assert_eq!(begun(&lines).len(), 1);
    }

    #[test]
    fn a_workspace_of_which_many_receivers_are_busy_waits_and_no_other_does() {
        let lines = Lines::default();
        for number in 0..100 {
            stand(&lines, OURS, &format!("slow-{number}.example"), 10);
        }
        let ours = begun(&lines);
        assert_eq!(ours.len(), OF_WORKSPACE);

        stand(&lines, THEIRS, "other.example", 1);

        assert_eq!(of(&begun(&lines), THEIRS), 1);
    }

    #[test]
    fn a_host_that_many_share_is_divided_among_them() {
        let lines = Lines::default();
        for number in 10..40 {
            stand(&lines, Uuid::from_u128(number), "shared.example", 100);
        }
        let mut turns = begun(&lines);
        for number in 10..40 {
            let own = of(&turns, Uuid::from_u128(number));
            assert!((1..=2).contains(&own), "{own}");
        }

        stand(&lines, THEIRS, "shared.example", 1);
        turns.extend(begun(&lines));
        assert_eq!(
            of(&turns, THEIRS),
            1,
            "a share is kept for whoever has none"
        );

        stand(&lines, OURS, "other.example", 1);
        assert_eq!(of(&begun(&lines), OURS), 1, "and other hosts have theirs");
    }

    #[test]
    fn workspaces_that_take_all_they_may_leave_turns_to_those_that_have_none() {
        let lines = Lines::default();
        for number in 10..30 {
            for receiver in 0..10 {
                let receiver = format!("slow-{number}-{receiver}.example");
                stand(&lines, Uuid::from_u128(number), &receiver, 10);
            }
        }
        let turns = begun(&lines);
        assert_eq!(turns.len(), DELIVERIES_AT_ONCE - FOR_FIRST);

        stand(&lines, THEIRS, "other.example", 2);

        assert_eq!(of(&begun(&lines), THEIRS), 1);
    }

    #[test]
    fn few_turns_go_to_every_workspace_and_receiver_one_after_the_other() {
        let lines = Lines::default();
        stand(&lines, OURS, "a.example", 100);
        stand(&lines, OURS, "b.example", 100);
        stand(&lines, THEIRS, "a.example", 100);

        let turns: Vec<_> = (0..8)
            .filter_map(|_| lines.next(1).pop())
            .map(|(_, turn)| turn)
            .collect();

        assert_eq!((of(&turns, OURS), of(&turns, THEIRS)), (4, 4));
        let to_a = turns
            .iter()
            .filter(|turn| turn.line.receiver == "a.example");
        assert_eq!(to_a.count(), 2 + 4);
    }

    #[test]
    fn whoever_waits_longest_in_a_line_is_next() {
        let lines = Lines::default();
        for millisecond in [30, 10, 20] {
            lines.stand(Line::new(OURS, "a.example"), place(millisecond));
        }

        let places: Vec<_> = lines.next(3).iter().map(|(place, _)| *place).collect();

        assert_eq!(places, [place(10), place(20), place(30)]);
    }

    #[test]
    fn a_turn_that_ends_lets_the_next_one_in_and_leaves_nothing() {
        let lines = Lines::default();
        stand(&lines, OURS, "a.example", 10);
        let mut turns = begun(&lines);
        assert!(begun(&lines).is_empty());

        turns.pop();

        turns.extend(begun(&lines));
        assert_eq!(turns.len(), IN_LINE);
        lines.forget();
        drop(turns);
        let state = lines.lock();
        assert_eq!(state.under_way.all, 0);
        assert!(state.under_way.in_line.is_empty() && state.under_way.to_receiver.is_empty());
        assert!(state.under_way.of_workspace.is_empty() && state.workspaces.is_empty());
    }

    #[test]
    fn a_place_that_is_seen_twice_is_known_and_stands_in_line_once() {
        let lines = Lines::default();
        let seen = [place(1), place(2)];
        assert_eq!(lines.unknown(&seen), seen);
        for place in [seen[0], seen[0], seen[1]] {
            lines.stand(Line::new(OURS, "a.example"), place);
        }

        assert!(lines.unknown(&seen).is_empty());
        assert_eq!(lines.next(10).len(), 2);
        assert_eq!(
            lines.unknown(&seen),
            seen,
            "what has had its turn is forgotten"
        );
    }

    #[test]
    fn a_look_begins_a_little_before_the_last_one_and_now_and_then_at_the_first_place() {
        let lines = Lines::default();
        assert_eq!(lines.begin_look(NOW), LanePosition::FIRST);
        lines.seen(place(7));
        assert_eq!(lines.begin_look(NOW), place(7), "it goes on");
        lines.seen_all(NOW);

        let soon = shifted(NOW, SignedDuration::from_secs(1));
        assert_eq!(
            lines.begin_look(soon),
            LanePosition::before(shifted(NOW, -SEEN_LATE))
        );
        assert_eq!(
            lines.begin_look(shifted(NOW, LOOK_AT_ALL)),
            LanePosition::FIRST
        );

        lines.seen_all(soon);
        lines.forget();
        assert_eq!(lines.begin_look(soon), LanePosition::FIRST);
    }
}
