//! Moves of hosts: they read the rows, do a step, and store its outcome.

use parafa_domain::{CannotBegin, CeremonyStatus, SignerStatus, SigningMethod};

use super::moves::{Model, due_at, edit, end, settle};
use super::state::{
    Attempt, DEADLINE, Device, Failure, Guard, Job, Kind, Maker, State, Step, Version, Work, at,
    attempt_id,
};

impl Model {
    /// Reads the rows on a host, and decides whether the step is still needed.
    pub(super) fn claimed(
        &self,
        state: &State,
        (host, now): (usize, u8),
        (n, row): (usize, Attempt),
    ) -> State {
        let mut next = *state;
        edit(&mut next, n, |attempt| {
            attempt.job = Job::Claimed(Some(host));
        });
        next.hosts[host] = Some(Work {
            attempt: n,
            step: row.step,
            has_come: row.has_come,
            over: self.over(state, n, now),
        });
        next
    }

    fn over(&self, state: &State, n: usize, now: u8) -> Option<Failure> {
        if !self.goes_on(state, n) {
            return Some(loss(state, n));
        }
        if state.has_device_signed(n) {
            return None;
        }
        if now >= DEADLINE {
            return Some(Failure::Cancelled);
        }
        let own = state.turn.filter(|turn| turn.of == n);
        let is_late = own.is_some_and(|turn| now >= turn.until);
        is_late.then_some(Failure::Timeout)
    }

    pub(super) fn goes_on(&self, state: &State, n: usize) -> bool {
        if !self.rules.checks(Guard::Turn) {
            return state.status == CeremonyStatus::Pending;
        }
        let awaits_turn = state.attempts[n].is_some_and(|attempt| attempt.awaits_turn);
        state.has_turn(n) || (awaits_turn && state.signers[n] == SignerStatus::Pending)
    }

    /// Stores the outcome of a step, if it still counts.
    pub(super) fn stored(&self, state: &State, host: usize, now: u8) -> State {
        let mut next = *state;
        let Some(work) = next.hosts[host].take() else {
            return next;
        };
        let n = work.attempt;
        let Some(attempt) = next.attempts[n] else {
            return next;
        };
        if self.rules.checks(Guard::Claim) && attempt.job != Job::Claimed(Some(host)) {
            return next;
        }
        if self.rules.checks(Guard::Step) && attempt.step != work.step {
            edit(&mut next, n, |attempt| attempt.job = Job::Gone);
            return next;
        }
        if let Some(failure) = work.over {
            let is_unseen = attempt.has_come && !work.has_come && state.has_device_signed(n);
            if is_unseen && self.rules.checks(Guard::Unseen) {
                edit(&mut next, n, |attempt| attempt.job = Job::Due(now));
            } else {
                self.fail(&mut next, n, failure);
            }
            return next;
        }
        if !self.goes_on(state, n) {
            self.fail(&mut next, n, loss(state, n));
            return next;
        }
        let is_card = self.rules.kinds[n] == Kind::Card;
        let is_answered = match work.step {
            Step::AwaitCard | Step::AwaitReturn => work.has_come,
            Step::AwaitSignature if is_card => work.has_come,
            Step::Certificate => !self.rules.is_deaf,
            Step::AwaitSignature => attempt.device == Device::Signed,
            _ => true,
        };
        if !is_answered {
            self.wait(&mut next, n, now);
        } else if work.step == Step::Finish {
            self.sign(&mut next, n, now);
        } else {
            self.go_on(&mut next, n, self.after(work.step, n), now);
        }
        next
    }

    fn after(&self, step: Step, n: usize) -> Step {
        match (step, self.rules.kinds[n]) {
            (Step::AwaitCard | Step::Certificate, _) => Step::Prepare,
            (Step::Prepare, Kind::Linked | Kind::Prompted) => Step::Ask,
            (Step::Prepare, Kind::Card) | (Step::Ask, _) => Step::AwaitSignature,
            (Step::AwaitSignature, Kind::Linked) => Step::AwaitReturn,
            _ => Step::Finish,
        }
    }

    /// Repeats the step when its event comes, or the wait ends.
    fn wait(&self, state: &mut State, n: usize, now: u8) {
        let turn_until = state.turn.map_or(now, |turn| turn.until);
        let is_card = self.rules.kinds[n] == Kind::Card;
        edit(state, n, |attempt| {
            let due = match attempt.step {
                _ if attempt.has_come => now,
                Step::AwaitSignature if is_card => turn_until,
                Step::AwaitCard | Step::AwaitReturn => now + self.rules.term,
                _ => now,
            };
            attempt.job = due_at(due);
        });
    }

    fn go_on(&self, state: &mut State, n: usize, step: Step, now: u8) {
        let Some(attempt) = state.attempts[n] else {
            return;
        };
        if attempt.awaits_turn {
            match self.take_turn(state, n, now) {
                Ok(()) => {}
                Err(CannotBegin::Busy) => {
                    edit(state, n, |attempt| attempt.job = Job::Due(now));
                    return;
                }
                Err(_) => return self.fail(state, n, Failure::Cancelled),
            }
        }
        let holds_signature = matches!(step, Step::AwaitReturn | Step::Finish);
        let guard = match holds_signature {
            true => Guard::SignedBase,
            false => Guard::Base,
        };
        let base = state.attempts[n].map(|attempt| attempt.base);
        if self.rules.checks(guard) && base != Some(state.newest()) {
            return self.fail(state, n, Failure::DocumentChanged);
        }
        let is_card = self.rules.kinds[n] == Kind::Card;
        let asks_card = is_card && step == Step::AwaitSignature;
        let is_kept = match step {
            Step::AwaitReturn | Step::Finish => self.device_signed(state, n, now),
            Step::Ask | Step::AwaitSignature => {
                let until = asks_card.then(|| at(now + self.rules.term));
                let asked = self.change(state, n, |ceremony| {
                    ceremony.ask_device(attempt_id(n), until)
                });
                asked.is_ok()
            }
            _ => true,
        };
        if !is_kept {
            return self.fail(state, n, Failure::Cancelled);
        }
        let turn_until = state.turn.map_or(now, |turn| turn.until);
        edit(state, n, |attempt| {
            attempt.step = step;
            attempt.has_come = false;
            attempt.job = Job::Due(now);
            if asks_card {
                attempt.device = Device::Asked;
                attempt.job = due_at(turn_until);
            }
        });
    }

    pub(super) fn device_signed(&self, state: &mut State, n: usize, now: u8) -> bool {
        let signed = self.change(state, n, |ceremony| {
            ceremony.device_signed(attempt_id(n), at(now))
        });
        if !self.rules.checks(Guard::Hold)
            && let Some(turn) = &mut state.turn
        {
            turn.device_signed = false;
        }
        signed.is_ok()
    }

    fn sign(&self, state: &mut State, n: usize, now: u8) {
        let Some(attempt) = state.attempts[n] else {
            return;
        };
        if self.rules.checks(Guard::Base) && attempt.base != state.newest() {
            return self.fail(state, n, Failure::DocumentChanged);
        }
        let signed = self.change(state, n, |ceremony| {
            ceremony.sign(attempt_id(n), SigningMethod::SmartId, at(now))
        });
        if signed.is_err() {
            return self.fail(state, n, Failure::Cancelled);
        }
        state.add_if_room(Version {
            by: Maker::Attempt(n),
            base: attempt.base,
        });
        end(state, n, Step::Done);
        settle(state);
    }
}

/// Returns the state after a host's step has prompted the device.
pub(super) fn asked(state: &State, host: usize) -> State {
    let mut next = *state;
    if let Some(work) = state.hosts[host]
        && work.step == Step::Ask
        && work.over.is_none()
    {
        edit(&mut next, work.attempt, |attempt| {
            if attempt.device == Device::Idle {
                attempt.device = Device::Asked;
            }
        });
    }
    next
}

/// Returns the step of a host that finds its wait over.
pub(super) fn too_late(claimed: State, host: usize) -> Option<State> {
    let work = claimed.hosts[host]?;
    let waits = work.step == Step::AwaitReturn && !work.has_come && work.over.is_none();
    let mut late = claimed;
    late.hosts[host] = Some(Work {
        over: Some(Failure::Timeout),
        ..work
    });
    waits.then_some(late)
}

fn loss(state: &State, n: usize) -> Failure {
    match state.signers[n] {
        SignerStatus::Pending => Failure::SigningInProgress,
        _ => Failure::Cancelled,
    }
}
