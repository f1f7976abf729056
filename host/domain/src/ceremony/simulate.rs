use jiff::Timestamp;

use super::{Ceremony, CeremonyEvent, CeremonyStatus, CompletionMode, Signer, SignerStatus};
use crate::SignerId;

/// An outcome simulated in the sandbox.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Simulation {
    /// All open signers count as having signed.
    Complete,
    /// One signer who can sign now declines.
    Decline {
        /// The signer who declines; the first who can sign now if `None`.
        signer: Option<SignerId>,
    },
    /// The deadline passes.
    Expire,
}

/// Reason why nothing can be simulated.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CannotSimulate {
    /// The named party cannot sign now.
    #[error("the named party is not a signer who can sign now")]
    SignerNotOpen,
    /// The ceremony has ended.
    #[error("the signing has ended")]
    SigningEnded,
}

impl Ceremony {
    /// Ends a pending ceremony of the sandbox with the given outcome, without any signature.
    ///
    /// # Errors
    /// [`CannotSimulate`]; nothing has changed then.
    pub fn simulate(
        &mut self,
        simulation: Simulation,
        now: Timestamp,
    ) -> Result<Vec<CeremonyEvent>, CannotSimulate> {
        if !self.is_live(now) {
            return Err(CannotSimulate::SigningEnded);
        }
        match simulation {
            Simulation::Complete => {
                for signer in self
                    .signers
                    .iter_mut()
                    .filter(|party| party.status.is_open())
                {
                    signer.status = SignerStatus::Simulated;
                    signer.simulated_at = Some(now);
                }
                self.complete(CompletionMode::SandboxSimulation, now);
                Ok(vec![CeremonyEvent::Completed])
            }
            Simulation::Decline { signer } => self.simulate_decline(signer, now),
            Simulation::Expire => {
                self.close(CeremonyStatus::Expired, SignerStatus::Expired, now);
                Ok(vec![CeremonyEvent::Expired])
            }
        }
    }

    fn simulate_decline(
        &mut self,
        named: Option<SignerId>,
        now: Timestamp,
    ) -> Result<Vec<CeremonyEvent>, CannotSimulate> {
        let is_named = |party: &Signer| named.is_none_or(|id| id == party.id);
        let decliner = self
            .signers
            .iter_mut()
            .find(|party| party.status == SignerStatus::Pending && is_named(party))
            .ok_or(CannotSimulate::SignerNotOpen)?;
        decliner.status = SignerStatus::Declined;
        decliner.declined_at = Some(now);
        let id = decliner.id;
        self.close(CeremonyStatus::Declined, SignerStatus::Cancelled, now);
        Ok(vec![
            CeremonyEvent::SignerDeclined(id),
            CeremonyEvent::Declined,
        ])
    }
}
