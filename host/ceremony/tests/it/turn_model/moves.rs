//! What may happen in a state. The turn and the ceremony are moved by the code's own functions;
//! what the transactions around them do is said anew.

use parafa_domain::{CannotBegin, Ceremony, CeremonyStatus, SignerStatus, SigningMethod, Turn};

use super::state::{
    Attempt, Ceremonies, DEADLINE, Device, Failure, Guard, Job, Kind, LAST_TICK, Maker, Rules,
    State, Step, TERM, Version, Work, at, attempt_id, signer_id,
};

/// Something that happens at once; numbers are of signers, but where a host is named.
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
    /// The same, and it has waited for the app's return for too long.
    ClaimTooLate {
        host: usize,
        attempt: usize,
    },
    /// The same of a job whose host is at work for longer than its lease.
    TakeOver {
        host: usize,
        attempt: usize,
    },
    /// It stores what the step has come to. Whether it is told so makes no difference to what it
    /// does next, which it reads from the rows.
    Store {
        host: usize,
    },
    /// It dies before it stores anything, but after it has asked whom it was to ask.
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

    /// Whether it happens though nobody acts, and nothing fails.
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

    /// All that may happen next.
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
            offer(Move::ComeBack(n), self.come_back(state, n));
            offer(Move::GiveUp(n), self.give_up(state, n));
        }
        for (host, now) in [(0, first), (1, second)] {
            if state.hosts[host].is_some() {
                let asked = self.asked(state, host);
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

    /// A transaction that changes the ceremony, if it does, and ends the attempts of those who
    /// cannot sign any more.
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

    /// Changes the ceremony for an attempt that is supposed to have the turn.
    fn change<T, E>(
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
            Kind::Card => (Step::AwaitCard, now + TERM),
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

    fn take_turn(&self, state: &mut State, n: usize, now: u8) -> Result<(), CannotBegin> {
        let mut ceremony = self.ceremonies.of(state);
        if !self.rules.checks(Guard::Turn) {
            ceremony.turn = None;
        }
        ceremony.take_turn(attempt_id(n), at(now), at(now + TERM))?;
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
            // What has ended is erased as well.
            let _ = ceremony.end_for_erasure(at(now));
            true
        });
        erased.map(|erased| State {
            is_erased: true,
            ..erased
        })
    }

    /// Adds a version while nobody signs.
    fn archive(&self, state: &State, now: u8) -> Option<State> {
        let is_free = self.ceremonies.of(state).current_turn(at(now)).is_none();
        let mut next = *state;
        next.add_if_room(Version {
            by: Maker::Archive,
            base: state.newest(),
        });
        (is_free && !state.is_erased).then_some(next)
    }

    /// The card's app sends a certificate, with which the attempt takes its turn.
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

    /// The card's app sends a signature. While a host is at work on the attempt, that has to take
    /// it up.
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

    fn come_back(&self, state: &State, n: usize) -> Option<State> {
        let attempt = running(state, n, Step::AwaitReturn)?;
        let mut next = *state;
        edit(&mut next, n, |attempt| {
            attempt.has_come = true;
            hasten(attempt);
        });
        (!attempt.has_come).then_some(next)
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

    /// A host reads the rows, and sees whether it is worth going on.
    fn claimed(
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

    fn goes_on(&self, state: &State, n: usize) -> bool {
        if !self.rules.checks(Guard::Turn) {
            return state.status == CeremonyStatus::Pending;
        }
        let awaits_turn = state.attempts[n].is_some_and(|attempt| attempt.awaits_turn);
        state.has_turn(n) || (awaits_turn && state.signers[n] == SignerStatus::Pending)
    }

    /// The same with the device asked by the step that a host is at.
    fn asked(&self, state: &State, host: usize) -> State {
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

    /// What a step has come to is stored, if it still counts.
    fn stored(&self, state: &State, host: usize, now: u8) -> State {
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

    /// The same step again, when what it waits for comes or will not come any more.
    fn wait(&self, state: &mut State, n: usize, now: u8) {
        let turn_until = state.turn.map_or(now, |turn| turn.until);
        let is_card = self.rules.kinds[n] == Kind::Card;
        edit(state, n, |attempt| {
            let due = match attempt.step {
                _ if attempt.has_come => now,
                Step::AwaitSignature if is_card => turn_until,
                Step::AwaitCard | Step::AwaitReturn => now + TERM,
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
                Err(CannotBegin::Busy { .. }) => {
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
                let until = asks_card.then(|| at(now + TERM));
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

    fn device_signed(&self, state: &mut State, n: usize, now: u8) -> bool {
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

    fn fail(&self, state: &mut State, n: usize, failure: Failure) {
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

fn sign_on_device(state: &State, n: usize) -> Option<State> {
    let asked = state.attempts[n].filter(|attempt| attempt.device == Device::Asked);
    let mut next = *state;
    next.attempts[n] = Some(Attempt {
        device: Device::Signed,
        ..asked?
    });
    Some(next)
}

/// A step that finds that what it waits for has not come in time.
fn too_late(claimed: State, host: usize) -> Option<State> {
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

fn running(state: &State, n: usize, step: Step) -> Option<Attempt> {
    state.attempts[n].filter(|attempt| attempt.step == step)
}

/// Ends the attempts of signers who cannot sign any more.
fn settle(state: &mut State) {
    for n in [0, 1] {
        let may_sign = state.signers[n].is_open() || state.has_turn(n);
        let is_running = state.attempts[n].is_some_and(|attempt| !attempt.step.has_ended());
        if is_running && !may_sign {
            end(state, n, Step::Failed(Failure::Cancelled));
        }
    }
}

fn end(state: &mut State, n: usize, step: Step) {
    edit(state, n, |attempt| {
        attempt.step = step;
        attempt.job = Job::Gone;
    });
}

fn edit(state: &mut State, n: usize, change: impl FnOnce(&mut Attempt)) {
    if let Some(attempt) = &mut state.attempts[n] {
        change(attempt);
    }
}

fn hasten(attempt: &mut Attempt) {
    if let Job::Due(due) = &mut attempt.job {
        *due = 0;
    }
}

fn due_at(tick: u8) -> Job {
    Job::Due(tick.min(LAST_TICK))
}
