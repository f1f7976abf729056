//! What a ceremony is to be, checked for form.

use jiff::{SignedDuration, Timestamp};
use parafa_api_ceremony::SubjectNotice;
use parafa_domain::{
    Language, MethodSet, NewSigner, PersonalCode, SignerId, SignerRole, SigningOrder,
};
use parafa_store::clock::shifted;
use uuid::Uuid;

use crate::records::{Delivery, SignerPrivate};

/// How a ceremony is to be run.
#[derive(Clone, Debug)]
pub struct TermsForm {
    /// What the ceremony is called.
    pub title: String,
    /// How the links reach the signers.
    pub delivery: Delivery,
    /// In which order they sign.
    pub order: SigningOrder,
    /// Where events go.
    pub webhook_url: Option<String>,
    /// The caller's own name for it.
    pub external_id: Option<String>,
    /// Until when it can be signed.
    pub expires_in_days: u16,
    /// After how long signers are reminded.
    pub soft_deadline_in_days: Option<u16>,
    /// What the signer is told of their data, where they are compared with a
    /// register.
    pub subject_notice: Option<SubjectNotice>,
    /// The parties.
    pub signers: Vec<SignerForm>,
}

/// A party to be.
#[derive(Clone, Debug)]
pub struct SignerForm {
    /// What the party does.
    pub role: SignerRole,
    /// The party's address.
    pub email: String,
    /// The party's name.
    pub name: Option<String>,
    /// In which language the party is written.
    pub language: Option<Language>,
    /// How the party may sign.
    pub methods: MethodSet,
    /// Only the holder of this code may sign.
    pub personal_code: Option<PersonalCode>,
}

impl TermsForm {
    /// How many of the parties are to sign.
    #[must_use]
    pub fn signing_parties(&self) -> usize {
        let parties = self.signers.iter();
        let signing = parties.filter(|party| party.role == SignerRole::Signer);
        signing.count()
    }
}

impl SignerForm {
    /// The party as the state machine knows it.
    pub fn party(&self, id: Uuid) -> NewSigner {
        NewSigner {
            id: SignerId::new(id),
            role: self.role,
            language: self.language,
            methods: self.methods.clone(),
            identity_locked: self.personal_code.is_some(),
        }
    }

    /// What is sealed about the party.
    pub fn private(&self) -> SignerPrivate {
        SignerPrivate {
            email: self.email.clone(),
            name: self.name.clone(),
            personal_code: self.personal_code.clone(),
            decline_reason: None,
        }
    }
}

/// So many times 24 hours later.
pub(crate) fn days_after(now: Timestamp, days: u16) -> Timestamp {
    shifted(now, SignedDuration::from_hours(24 * i64::from(days)))
}
