//! Model of one ceremony's turns, claims, attempts, retractions and erasures, small enough that
//! every state is explored; `docs/reliability.md` describes its scope.

mod conformance;
mod hosts;
mod moves;
mod state;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use parafa_domain::{CeremonyStatus, SignerStatus};

use self::moves::{Model, Move};
use self::state::{Failure, Guard, Kind, Maker, Rules, State, Step};

/// Breaches of the rules.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Breach {
    /// Two signatures on one version.
    TwoOnOneBase,
    /// A version that was not made from the previous one.
    NoLine,
    /// A signer who has not signed exactly once, or a finished attempt without a version.
    NotOnce,
    /// A version that came after the end.
    AfterTheEnd,
    /// An attempt that ended twice.
    EndedTwice,
    /// An accepted signature that is missing, without a retraction or erasure.
    Lost,
    /// An attempt that can no longer end.
    Endless,
}

/// A breach, with the moves that led there and the state.
type Trace = Box<(Breach, Vec<Move>, State)>;

fn breach(before: &State, after: &State) -> Option<Breach> {
    let versions: Vec<_> = after.versions().collect();
    let is_signature = |by: Maker| matches!(by, Maker::Attempt(_));
    let signatures: Vec<_> = versions.iter().filter(|one| is_signature(one.by)).collect();
    for (n, one) in signatures.iter().enumerate() {
        if signatures[..n].iter().any(|other| other.base == one.base) {
            return Some(Breach::TwoOnOneBase);
        }
    }
    let mut places = versions.iter().enumerate().skip(1);
    if places.any(|(place, version)| version.base + 1 != place) {
        return Some(Breach::NoLine);
    }
    for n in [0, 1] {
        let made = signatures.iter().filter(|one| one.by == Maker::Attempt(n));
        let is_done = after.attempts[n].is_some_and(|attempt| attempt.step == Step::Done);
        let has_signed = after.signers[n] == SignerStatus::Signed;
        if made.count() != usize::from(is_done) || is_done != has_signed {
            return Some(Breach::NotOnce);
        }
    }
    let had_ended = before.status != CeremonyStatus::Pending || before.is_erased;
    if had_ended && is_signature_added(before, after) {
        return Some(Breach::AfterTheEnd);
    }
    let mut attempts = before.attempts.iter().zip(&after.attempts).enumerate();
    attempts.find_map(|(n, (was, is))| {
        let (was, is) = ((*was)?, (*is)?);
        let has_changed = was.step.has_ended() && was.step != is.step;
        let was_accepted =
            was.step == Step::Finish || (was.has_come && before.has_device_signed(n));
        let is_lost = match is.step {
            Step::Failed(Failure::Cancelled) => after.status != CeremonyStatus::Cancelled,
            Step::Failed(_) => true,
            _ => false,
        };
        if has_changed {
            return Some(Breach::EndedTwice);
        }
        (was_accepted && is_lost).then_some(Breach::Lost)
    })
}

fn is_signature_added(before: &State, after: &State) -> bool {
    let signatures = |state: &State| {
        let versions = state.versions();
        versions
            .filter(|version| version.by != Maker::Archive)
            .count()
    };
    signatures(before) < signatures(after)
}

/// Explores all states, nearest first, until a breach; if one is `wanted`, until that one.
fn explored(rules: Rules, wanted: Option<Breach>) -> Result<(), Trace> {
    let model = Model::new(rules);
    let first = State::first(&model.rules).plain(&model.rules);
    let mut known = HashMap::from([(first, 0)]);
    let mut states = vec![first];
    let mut came_from: Vec<Option<(usize, Move)>> = vec![None];
    let mut led_by_itself: Vec<Vec<usize>> = vec![Vec::new()];
    let path = |came_from: &[Option<(usize, Move)>], mut at: usize| {
        let mut path = Vec::new();
        while let Some((before, by)) = came_from[at] {
            path.push(by);
            at = before;
        }
        path.reverse();
        path
    };
    let mut next = 0;
    while let Some(state) = states.get(next).copied() {
        for (by, after) in model.moves(&state) {
            let found = breach(&state, &after);
            if let Some(breach) = found.filter(|found| wanted.is_none_or(|it| it == *found)) {
                let mut path = path(&came_from, next);
                path.push(by);
                return Err(Box::new((breach, path, after)));
            }
            let place = match known.entry(after) {
                Entry::Occupied(place) => *place.get(),
                Entry::Vacant(free) => {
                    free.insert(states.len());
                    states.push(after);
                    came_from.push(Some((next, by)));
                    led_by_itself.push(Vec::new());
                    states.len() - 1
                }
            };
            if by.comes_by_itself() {
                led_by_itself[place].push(next);
            }
        }
        next += 1;
    }
    let mut ends: Vec<bool> = states
        .iter()
        .map(|it| it.running().next().is_none())
        .collect();
    let mut open: Vec<usize> = (0..states.len()).filter(|place| ends[*place]).collect();
    while let Some(place) = open.pop() {
        for before in &led_by_itself[place] {
            if !ends[*before] {
                ends[*before] = true;
                open.push(*before);
            }
        }
    }
    match ends.iter().position(|ends| !ends) {
        Some(stuck) => {
            let path = path(&came_from, stuck);
            Err(Box::new((Breach::Endless, path, states[stuck])))
        }
        None => Ok(()),
    }
}

const PROMPTS: Rules = Rules {
    kinds: [Kind::Prompted; 2],
    ahead: [0, 0],
    faults: 0,
    spoilers: 0,
    term: 1,
    is_deaf: false,
    unchecked: &[],
};

#[track_caller]
fn assert_holds(rules: Rules) {
    if let Err(found) = explored(rules, None) {
        let (breach, path, state) = *found;
        panic!("{breach:?} by {path:?}: {state:?}");
    }
}

/// Asserts that the wanted breach occurs without these checks.
#[track_caller]
fn assert_breaks(rules: Rules, unchecked: &'static [Guard], wanted: Breach) {
    let found = explored(Rules { unchecked, ..rules }, Some(wanted));
    let found = found.err().map(|found| found.0);
    assert_eq!(found, Some(wanted), "without {unchecked:?}");
}

#[test]
fn hosts_that_die_or_come_late_lose_and_double_nothing() {
    for kinds in [[Kind::Prompted, Kind::Prompted], [Kind::Card, Kind::Linked]] {
        assert_holds(Rules {
            kinds,
            faults: 1,
            ..PROMPTS
        });
    }
}

#[test]
fn whoever_retracts_erases_declines_gives_up_or_archives_loses_and_doubles_nothing() {
    for kinds in [[Kind::Linked, Kind::Prompted], [Kind::Card, Kind::Prompted]] {
        assert_holds(Rules {
            kinds,
            spoilers: 1,
            ..PROMPTS
        });
    }
}

#[test]
fn hosts_whose_clocks_differ_lose_and_double_nothing() {
    assert_holds(Rules {
        kinds: [Kind::Card, Kind::Prompted],
        ahead: [0, 1],
        ..PROMPTS
    });
}

#[test]
fn without_turns_and_bases_two_sign_one_version() {
    let both = &[Guard::Turn, Guard::Base, Guard::SignedBase];
    assert_breaks(PROMPTS, both, Breach::TwoOnOneBase);
}

#[test]
fn without_turns_a_signature_is_made_of_a_version_that_another_has_signed_meanwhile() {
    assert_breaks(PROMPTS, &[Guard::Turn], Breach::Lost);
}

#[test]
fn without_a_look_at_the_base_an_archive_is_signed_away() {
    let one = Rules {
        spoilers: 1,
        ..PROMPTS
    };
    assert_breaks(one, &[Guard::Base, Guard::SignedBase], Breach::NoLine);
    assert_breaks(one, &[Guard::SignedBase], Breach::Lost);
}

#[test]
fn a_turn_that_lapsed_after_the_device_had_signed_would_lose_the_signature() {
    assert_breaks(PROMPTS, &[Guard::Hold], Breach::Lost);
}

#[test]
fn a_step_that_ended_what_it_had_not_seen_would_lose_a_signature() {
    for kinds in [[Kind::Card, Kind::Prompted], [Kind::Linked, Kind::Prompted]] {
        let rules = Rules { kinds, ..PROMPTS };
        assert_breaks(rules, &[Guard::Unseen], Breach::Lost);
    }
}

#[test]
fn what_an_app_has_come_back_with_could_be_given_up_if_nobody_looked() {
    let rules = Rules {
        kinds: [Kind::Linked, Kind::Prompted],
        spoilers: 1,
        ..PROMPTS
    };
    assert_breaks(rules, &[Guard::Accepted], Breach::Lost);
}

#[test]
fn a_claim_that_nobody_looks_at_leaves_steps_undone_and_without_the_steps_number_ends_them() {
    let rules = Rules {
        faults: 1,
        ..PROMPTS
    };
    assert_breaks(rules, &[Guard::Claim], Breach::Endless);
    assert_breaks(rules, &[Guard::Claim, Guard::Step], Breach::Lost);
}
