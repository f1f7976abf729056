//! Moves possible in a state. The turn and the ceremony are changed by the code's own functions;
//! the transactions around them are modelled.

use parafa_domain::{CannotBegin, Ceremony, SigningMethod, Turn};

use super::hosts::{asked, too_late};
use super::state::{
    Attempt, Ceremonies, Device, Failure, Guard, Job, Kind, LAST_TICK, Maker, Rules, State, Step,
    Version, at, attempt_id, signer_id,
};

/// An atomic move; numbers identify signers, unless a host is named.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Move {
    Tick,
    Start(usize),
    SeePage(usize),
    LeavePage(usize),
    HandOverCertificate(usize),
    SignOnDevice(usize),
    HandOverSignature(usize),
    ComeBack(usize),
    GiveUp(usize),
    Decline(usize),
    Cancel,
    Erase,
    Archive,
    Expire,
    /// A host begins a step: it reads the rows.
    Claim {
        host: usize,
        attempt: usize,
    },
    /// A host begins a step after too long a wait for the app's return.
    ClaimTooLate {
        host: usize,
        attempt: usize,
    },
    /// A host takes over a job whose host has worked longer than its lease.
    TakeOver {
        host: usize,
        attempt: usize,
    },
    /// A host stores the outcome of a step. Whether the host gets the answer does not matter,
    /// since its next step reads the rows.
    Store {
        host: usize,
    },
    /// A host dies before it stores anything, but after its prompt.
    Die {
        host: usize,
    },
}

impl Move {
    fn is_fault(self) -> bool {
        matches!(self, Self::TakeOver { .. } | Self::Die { .. })
    }

    fn is_spoiler(self) -> bool {
        use Move::{Archive, Cancel, Decline, Erase, GiveUp};

        matches!(self, Archive | Cancel | Decline(_) | Erase | GiveUp(_))
    }

    /// Returns whether the move happens without actions and failures.
    pub(super) fn comes_by_itself(self) -> bool {
        use Move::{Claim, ClaimTooLate, Expire, Store, Tick};

        matches!(
            self,
            Claim { .. } | ClaimTooLate { .. } | Expire | Store { .. } | Tick
        )
    }
}

pub(super) struct Model {
    pub(super) rules: Rules,
    ceremonies: Ceremonies,
}

impl Model {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            ceremonies: Ceremonies::default(),
        }
    }

    /// Returns all possible moves.
    pub(super) fn moves(&self, state: &State) -> Vec<(Move, State)> {
        let mut moves = Vec::new();
        let mut offer = |by: Move, next: Option<State>| {
            let Some(mut next) = next else { return };
            let (faults, spoilers) = (u8::from(by.is_fault()), u8::from(by.is_spoiler()));
            if state.faults < faults || state.spoilers < spoilers {
                return;
            }
            next.faults -= faults;
            next.spoilers -= spoilers;
            let next = next.plain(&self.rules);
            if next != *state {
                moves.push((by, next));
            }
        };
        if state.now < LAST_TICK {
            let now = state.now + 1;
            offer(Move::Tick, Some(State { now, ..*state }));
        }
        let [first, second] = self.rules.ahead.map(|ahead| state.now + ahead);
        let clocks = [first, second].into_iter();
        for now in clocks.take(1 + usize::from(first != second)) {
            for n in [0, 1] {
                offer(Move::Start(n), self.start(state, n, now));
                offer(Move::SeePage(n), self.see_page(state, n, now));
                let handed_over = self.hand_over_certificate(state, n, now);
                offer(Move::HandOverCertificate(n), handed_over);
                let handed_over = self.hand_over_signature(state, n, now);
                offer(Move::HandOverSignature(n), handed_over);
                let declined = self.call(state, |ceremony| {
                    ceremony.decline(signer_id(n), at(now)).is_ok()
                });
                offer(Move::Decline(n), declined);
            }
            let cancelled = self.call(state, |ceremony| ceremony.cancel(at(now)).is_ok());
            offer(Move::Cancel, cancelled);
            offer(Move::Erase, self.erase(state, now));
            offer(Move::Archive, self.archive(state, now));
            let expired = self.call(state, |ceremony| !ceremony.expire(at(now)).is_empty());
            offer(Move::Expire, expired);
        }
        for n in [0, 1] {
            offer(Move::LeavePage(n), leave_page(state, n));
            offer(Move::SignOnDevice(n), sign_on_device(state, n));
            offer(Move::ComeBack(n), come_back(state, n));
            offer(Move::GiveUp(n), self.give_up(state, n));
        }
        for (host, now) in [(0, first), (1, second)] {
            if state.hosts[host].is_some() {
                let asked = asked(state, host);
                offer(Move::Store { host }, Some(self.stored(&asked, host, now)));
                let mut died = asked;
                died.hosts[host] = None;
                offer(Move::Die { host }, Some(died));
                continue;
            }
            for (attempt, row) in state.running() {
                let claimed = self.claimed(state, (host, now), (attempt, row));
                match row.job {
                    Job::Gone => {}
                    Job::Due(due) if now < due => {}
                    Job::Claimed(Some(_)) => offer(Move::TakeOver { host, attempt }, Some(claimed)),
                    Job::Due(_) | Job::Claimed(None) => {
                        offer(Move::Claim { host, attempt }, Some(claimed));
                        let late = too_late(claimed, host);
                        offer(Move::ClaimTooLate { host, attempt }, late);
                    }
                }
            }
        }
        moves
    }

    /// Applies a transaction that changes the ceremony, and ends the attempts of those who can no
    /// longer sign.
    fn call(&self, state: &State, change: impl FnOnce(&mut Ceremony) -> bool) -> Option<State> {
        if state.is_erased {
            return None;
        }
        let mut next = *state;
        let mut ceremony = self.ceremonies.of(state);
        if !change(&mut ceremony) {
            return None;
        }
        next.take_over(&ceremony);
        settle(&mut next);
        Some(next)
    }

    /// Changes the ceremony for an attempt that should have the turn.
    pub(super) fn change<T, E>(
        &self,
        state: &mut State,
        n: usize,
        change: impl FnOnce(&mut Ceremony) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut ceremony = self.ceremonies.of(state);
        if !self.rules.checks(Guard::Turn) {
            ceremony.turn = Some(Turn {
                attempt: attempt_id(n),
                signer: signer_id(n),
                until: at(LAST_TICK),
                present_until: None,
                device_signed: false,
            });
        }
        let changed = change(&mut ceremony)?;
        state.take_over(&ceremony);
        Ok(changed)
    }

    fn start(&self, state: &State, n: usize, now: u8) -> Option<State> {
        if state.attempts[n].is_some() || state.is_erased {
            return None;
        }
        let mut next = *state;
        let mut ceremony = self.ceremonies.of(state);
        let (signer, attempt) = (signer_id(n), attempt_id(n));
        ceremony
            .begin_attempt(signer, attempt, SigningMethod::SmartId, at(now))
            .ok()?;
        next.take_over(&ceremony);
        let (step, due) = match self.rules.kinds[n] {
            Kind::Card => (Step::AwaitCard, now + self.rules.term),
            Kind::Linked | Kind::Prompted => (Step::Certificate, now),
        };
        next.attempts[n] = Some(Attempt {
            step,
            base: next.newest(),
            awaits_turn: true,
            has_come: false,
            device: Device::Idle,
            job: due_at(due),
        });
        if self.rules.kinds[n] == Kind::Prompted {
            self.take_turn(&mut next, n, now).ok()?;
        }
        Some(next)
    }

    pub(super) fn take_turn(
        &self,
        state: &mut State,
        n: usize,
        now: u8,
    ) -> Result<(), CannotBegin> {
        let mut ceremony = self.ceremonies.of(state);
        if !self.rules.checks(Guard::Turn) {
            ceremony.turn = None;
        }
        ceremony.take_turn(attempt_id(n), at(now), at(now + self.rules.term))?;
        state.take_over(&ceremony);
        let base = state.newest();
        edit(state, n, |attempt| {
            attempt.awaits_turn = false;
            attempt.base = base;
        });
        Ok(())
    }

    fn see_page(&self, state: &State, n: usize, now: u8) -> Option<State> {
        self.call(state, |ceremony| {
            let is_noted = ceremony.wants_presence(signer_id(n), at(now));
            ceremony.note_presence(signer_id(n), at(now));
            is_noted
        })
    }

    fn erase(&self, state: &State, now: u8) -> Option<State> {
        let erased = self.call(state, |ceremony| {
            // An ended ceremony is erased as well.
            let _ = ceremony.end_for_erasure(at(now));
            true
        });
        erased.map(|erased| State {
            is_erased: true,
            ..erased
        })
    }

    /// Adds a version while no signer has the turn.
    fn archive(&self, state: &State, now: u8) -> Option<State> {
        let is_free = self.ceremonies.of(state).current_turn(at(now)).is_none();
        let mut next = *state;
        next.add_if_room(Version {
            by: Maker::Archive,
            base: state.newest(),
        });
        (is_free && !state.is_erased).then_some(next)
    }

    /// Submits the card's certificate, with which the attempt takes its turn.
    fn hand_over_certificate(&self, state: &State, n: usize, now: u8) -> Option<State> {
        let attempt = running(state, n, Step::AwaitCard)?;
        if attempt.has_come || !self.goes_on(state, n) {
            return None;
        }
        let mut next = *state;
        self.take_turn(&mut next, n, now).ok()?;
        edit(&mut next, n, |attempt| {
            attempt.has_come = true;
            hasten(attempt);
        });
        Some(next)
    }

    /// Submits the card's signature. A host that works on the attempt must take it up.
    fn hand_over_signature(&self, state: &State, n: usize, now: u8) -> Option<State> {
        let attempt = running(state, n, Step::AwaitSignature)?;
        let is_card = self.rules.kinds[n] == Kind::Card;
        let has_signed = is_card && attempt.device == Device::Signed && !attempt.has_come;
        if !has_signed || !self.goes_on(state, n) {
            return None;
        }
        let mut next = *state;
        if self.rules.checks(Guard::SignedBase) && attempt.base != state.newest() {
            self.fail(&mut next, n, Failure::DocumentChanged);
            return Some(next);
        }
        if !self.device_signed(&mut next, n, now) {
            return None;
        }
        edit(&mut next, n, |attempt| {
            if let Job::Due(_) = attempt.job {
                attempt.step = Step::Finish;
                hasten(attempt);
            } else {
                attempt.has_come = true;
            }
        });
        Some(next)
    }

    fn give_up(&self, state: &State, n: usize) -> Option<State> {
        let (_, attempt) = state.running().find(|(of, _)| *of == n)?;
        let is_card = self.rules.kinds[n] == Kind::Card;
        let is_accepted = attempt.has_come
            && state.has_device_signed(n)
            && (is_card || self.rules.checks(Guard::Accepted));
        if is_accepted || attempt.step == Step::Finish {
            return None;
        }
        let mut next = *state;
        self.fail(&mut next, n, Failure::Cancelled);
        Some(next)
    }

    pub(super) fn fail(&self, state: &mut State, n: usize, failure: Failure) {
        let mut ceremony = self.ceremonies.of(state);
        ceremony.end_turn(attempt_id(n));
        state.take_over(&ceremony);
        end(state, n, Step::Failed(failure));
        settle(state);
    }
}

fn leave_page(state: &State, n: usize) -> Option<State> {
    let mut next = *state;
    let turn = next.turn.as_mut().filter(|turn| turn.of == n)?;
    let present_until = turn.present_until.as_mut()?;
    *present_until = 0;
    Some(next)
}

fn come_back(state: &State, n: usize) -> Option<State> {
    let attempt = running(state, n, Step::AwaitReturn)?;
    let mut next = *state;
    edit(&mut next, n, |attempt| {
        attempt.has_come = true;
        hasten(attempt);
    });
    (!attempt.has_come).then_some(next)
}

fn sign_on_device(state: &State, n: usize) -> Option<State> {
    let asked = state.attempts[n].filter(|attempt| attempt.device == Device::Asked);
    let mut next = *state;
    next.attempts[n] = Some(Attempt {
        device: Device::Signed,
        ..asked?
    });
    Some(next)
}

fn running(state: &State, n: usize, step: Step) -> Option<Attempt> {
    state.attempts[n].filter(|attempt| attempt.step == step)
}

/// Ends the attempts of signers who can no longer sign.
pub(super) fn settle(state: &mut State) {
    for n in [0, 1] {
        let may_sign = state.signers[n].is_open() || state.has_turn(n);
        let is_running = state.attempts[n].is_some_and(|attempt| !attempt.step.has_ended());
        if is_running && !may_sign {
            end(state, n, Step::Failed(Failure::Cancelled));
        }
    }
}

pub(super) fn end(state: &mut State, n: usize, step: Step) {
    edit(state, n, |attempt| {
        attempt.step = step;
        attempt.job = Job::Gone;
    });
}

pub(super) fn edit(state: &mut State, n: usize, change: impl FnOnce(&mut Attempt)) {
    if let Some(attempt) = &mut state.attempts[n] {
        change(attempt);
    }
}

fn hasten(attempt: &mut Attempt) {
    if let Job::Due(due) = &mut attempt.job {
        *due = 0;
    }
}

pub(super) fn due_at(tick: u8) -> Job {
    Job::Due(tick.min(LAST_TICK))
}
