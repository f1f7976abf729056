//! Pairing of the app with the card and the signer's attempt: a code that is
//! typed or scanned once, and then the token of the app's calls.

use jiff::Timestamp;
use parafa_domain::AttemptId;
use parafa_platform::pairing_code;
use parafa_store::keys::hash_token;
use parafa_store::{MasterKey, Transaction};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::super::{Ceremonies, OpenedLink, access};
use super::running;
use crate::attempt;
use crate::error::CeremonyError;
use crate::records::{AttemptRow, CardLinkRow, CeremonyRow};

const CODE_LENGTH: usize = 8;

/// Code that a person types into the app, or that the app scans.
pub(crate) struct PairingCode(String);

impl PairingCode {
    /// Returns the code of an attempt; always the same, so that it need not be
    /// stored.
    pub(crate) fn of(master: &MasterKey, attempt: Uuid) -> Self {
        let digest = Sha256::digest(master.token("pairing", attempt, 0).reveal());
        Self(pairing_code::characters(&digest[..CODE_LENGTH]).collect())
    }

    /// Returns a typed code.
    fn typed(text: &str) -> Self {
        let typed = pairing_code::normalized(text);
        Self(typed.take(CODE_LENGTH + 1).collect())
    }

    pub(crate) fn hash(&self) -> String {
        hash_token(&self.0).to_string()
    }
}

/// Pairing data shown on the page.
#[derive(Clone, Debug)]
pub struct Pairing {
    /// The code to type.
    pub code: String,
    /// The address to scan or follow.
    pub uri: String,
    /// Time of expiry.
    pub expires_at: Timestamp,
}

/// An attempt paired with an app.
#[derive(Debug)]
pub struct Paired {
    /// The bearer token of its calls.
    pub token: String,
    /// Base address of the app's calls.
    pub base: String,
    /// The signer's link.
    pub link: OpenedLink,
}

impl Ceremonies {
    /// Returns the pairing data of an attempt that waits for a card's app.
    pub(in crate::ceremonies) fn pairing(
        &self,
        attempt: &AttemptRow,
        now: Timestamp,
    ) -> Option<Pairing> {
        let card = attempt.card.as_ref()?;
        let is_open = !attempt.phase.is_terminal() && card.certificate.is_none();
        if !is_open || card.code_hash.is_none() || now >= card.code_until {
            return None;
        }
        let PairingCode(code) = PairingCode::of(&self.records.master, attempt.id);
        Some(Pairing {
            uri: self.links.address(&format!("/c/pair?code={code}")),
            code,
            expires_at: card.code_until,
        })
    }

    /// Pairs an app with the attempt of a code, once.
    ///
    /// # Errors
    /// [`CeremonyError::NotFound`] for a code that is unknown, used or expired.
    pub async fn pair(&self, code: &str) -> Result<Paired, CeremonyError> {
        let hash = PairingCode::typed(code).hash();
        let (hash, master) = (&hash, &self.records.master);
        let paired = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let (mut attempt, _) = linked(tx, hash).await?;
                    let (now, id) = (tx.now(), attempt.id);
                    let card = attempt.card.as_mut();
                    let card = card.filter(|card| card.code_hash.as_ref() == Some(hash));
                    let card = card.filter(|card| now < card.code_until);
                    let card = card.ok_or(CeremonyError::NotFound)?;
                    card.code_hash = None;
                    let token = hash_token(master.token("card", id, 0).reveal()).to_string();
                    card.token_hash = Some(token.clone());
                    tx.delete::<CardLinkRow>(hash).await?;
                    attempt::link(tx, id, &token).await?;
                    tx.put(&attempt).await?;
                    Ok::<_, CeremonyError>(attempt)
                })
            })
            .await?;
        self.changes.announce(paired.ceremony);
        let token = master.token("card", paired.id, 0).reveal().to_owned();
        Ok(Paired {
            link: self.open_card_link(&token).await?,
            token,
            base: self.links.address("/c/card"),
        })
    }

    /// Opens the link of an app's token, as long as its attempt runs.
    pub async fn open_card_link(&self, token: &str) -> Result<OpenedLink, CeremonyError> {
        let hash = hash_token(token).to_string();
        let store = &self.records.store;
        let link = store.get::<CardLinkRow>(&hash).await?;
        let link = link.ok_or(CeremonyError::NotFound)?;
        let attempt = store.get::<AttemptRow>(&link.attempt).await?;
        let attempt = attempt.ok_or(CeremonyError::NotFound)?;
        let row = store.get::<CeremonyRow>(&attempt.ceremony).await?;
        let row = row.ok_or(CeremonyError::NotFound)?;
        let card = attempt.card.as_ref();
        let is_of_token = card.is_some_and(|card| card.token_hash.as_ref() == Some(&hash));
        if !is_of_token {
            return Err(CeremonyError::NotFound);
        }
        let access = access(&row, attempt.signer, store.now().await?);
        let opened = OpenedLink {
            row,
            signer: attempt.signer,
            access: access.ok_or(CeremonyError::NotFound)?,
            copy_until: None,
        };
        // The attempt of an app is the signer's newest, or it is over.
        let is_newest = opened.party()?.attempt == Some(AttemptId::new(attempt.id));
        is_newest.then_some(opened).ok_or(CeremonyError::NotFound)
    }
}

/// Returns the attempt for a hash, with its ceremony.
async fn linked(
    tx: &mut Transaction<'_>,
    hash: &String,
) -> Result<(AttemptRow, CeremonyRow), CeremonyError> {
    let link = tx.get::<CardLinkRow>(hash).await?;
    let link = link.ok_or(CeremonyError::NotFound)?;
    running(tx, link.attempt).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_known_however_it_is_typed() {
        let master = MasterKey::from_bytes([7; 32]);
        let code = PairingCode::of(&master, Uuid::from_u128(1));
        assert_eq!(code.0.len(), CODE_LENGTH);
        let typed = format!(" {}-{}", &code.0[..4].to_lowercase(), &code.0[4..]);
        assert_eq!(PairingCode::typed(&typed).hash(), code.hash());
        assert_eq!(PairingCode::typed("oIl").0, "011");
        let other = PairingCode::of(&master, Uuid::from_u128(2));
        assert_ne!(other.hash(), code.hash());
        let longer = PairingCode::typed(&format!("{}0", code.0));
        assert_ne!(longer.hash(), code.hash());
    }
}
