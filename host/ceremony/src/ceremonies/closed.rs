//! Reasons why a known link is closed.

use jiff::Timestamp;
use parafa_api_ceremony::ClosedReason;
use parafa_domain::{Ceremony, CeremonyStatus, Language, Signer, SignerStatus};

use super::Ceremonies;
use crate::error::CeremonyError;
use crate::records::Delivery;

impl Ceremonies {
    /// Returns the reason why a known link is closed, or leads only to what its
    /// signer has signed, with the signer's language. Returns `None` for an
    /// unknown token and for a link with which its signer can sign.
    pub async fn closed_link(
        &self,
        token: &str,
    ) -> Result<Option<(ClosedReason, Language)>, CeremonyError> {
        let (link, row) = match self.stored_link(token).await {
            Err(CeremonyError::NotFound) => return Ok(None),
            stored => stored?,
        };
        let mut parties = row.ceremony.signers.iter();
        let party = parties.find(|party| party.id.uuid() == link.signer);
        let Some(party) = party.filter(|_| row.erased_at.is_none()) else {
            return Ok(None);
        };
        let is_mailed = row.delivery == Delivery::Email;
        let now = self.records.store.now().await?;
        let reason = reason(&row.ceremony, party, is_mailed, now);
        Ok(reason.map(|reason| (reason, party.page_language())))
    }
}

fn reason(
    ceremony: &Ceremony,
    party: &Signer,
    is_mailed: bool,
    now: Timestamp,
) -> Option<ClosedReason> {
    match party.status {
        SignerStatus::Signed => Some(ClosedReason::Signed),
        SignerStatus::Declined => Some(ClosedReason::Declined),
        SignerStatus::Simulated => Some(ClosedReason::Simulated),
        SignerStatus::Expired => Some(ClosedReason::Expired),
        SignerStatus::Cancelled => Some(match ceremony.status {
            CeremonyStatus::Declined => ClosedReason::DeclinedByAnother,
            CeremonyStatus::Failed => ClosedReason::Failed,
            _ => ClosedReason::Cancelled,
        }),
        // The deadline's job runs some time after it has passed.
        SignerStatus::Pending | SignerStatus::Waiting
            if !ceremony.can_still_sign(party.id, now) =>
        {
            Some(ClosedReason::Expired)
        }
        SignerStatus::Waiting => Some(ClosedReason::NotYet { is_mailed }),
        SignerStatus::Pending | SignerStatus::Recorded => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use parafa_domain::{
        CeremonyId, NewCeremony, NewSigner, SignerId, SignerRole, SigningMethod, SigningOrder,
    };
    use uuid::Uuid;

    use super::*;

    const FIRST: Uuid = Uuid::from_u128(1);
    const SECOND: Uuid = Uuid::from_u128(2);

    fn start() -> Timestamp {
        "2026-03-11T09:00:00Z".parse().unwrap()
    }

    fn sequential() -> Ceremony {
        let signer = |id| NewSigner {
            id: SignerId::new(id),
            role: SignerRole::Signer,
            language: None,
            methods: [SigningMethod::SmartId].into_iter().collect(),
            identity_locked: false,
        };
        let new = NewCeremony {
            id: CeremonyId::new(Uuid::from_u128(3)),
            order: SigningOrder::Sequential,
            signers: vec![signer(FIRST), signer(SECOND)],
            expires_at: start() + SignedDuration::from_hours(1),
            soft_deadline_at: None,
        };
        Ceremony::create(new, start())
    }

    fn told(ceremony: &Ceremony, party: Uuid, now: Timestamp) -> Option<ClosedReason> {
        let party = ceremony.signer(SignerId::new(party)).unwrap();
        reason(ceremony, party, true, now)
    }

    #[test]
    fn a_link_is_closed_while_others_come_first() {
        let ceremony = sequential();

        assert_eq!(told(&ceremony, FIRST, start()), None);
        let waits = Some(ClosedReason::NotYet { is_mailed: true });
        assert_eq!(told(&ceremony, SECOND, start()), waits);
    }

    #[test]
    fn whoever_waits_behind_one_who_declines_is_told_so() {
        let mut ceremony = sequential();
        ceremony.decline(SignerId::new(FIRST), start()).unwrap();

        assert_eq!(
            told(&ceremony, FIRST, start()),
            Some(ClosedReason::Declined)
        );
        let told = told(&ceremony, SECOND, start());
        assert_eq!(told, Some(ClosedReason::DeclinedByAnother));
    }

    #[test]
    fn a_ceremony_that_fails_or_is_cancelled_closes_the_links_of_all() {
        let (mut failed, mut cancelled) = (sequential(), sequential());
        assert!(!failed.fail(start()).is_empty());
        cancelled.cancel(start()).unwrap();

        for party in [FIRST, SECOND] {
            assert_eq!(told(&failed, party, start()), Some(ClosedReason::Failed));
            let told = told(&cancelled, party, start());
            assert_eq!(told, Some(ClosedReason::Cancelled));
        }
    }

    #[test]
    fn a_deadline_closes_links_before_it_is_swept_and_after() {
        let mut ceremony = sequential();
        let late = ceremony.expires_at;
        for _ in 0..2 {
            for party in [FIRST, SECOND] {
                assert_eq!(told(&ceremony, party, late), Some(ClosedReason::Expired));
            }
            let _ = ceremony.expire(late);
        }
    }
}
