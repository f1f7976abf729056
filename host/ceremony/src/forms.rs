//! Ceremonies as requested, checked for form.

use jiff::{SignedDuration, Timestamp};
use parafa_api_ceremony::SubjectNotice;
use parafa_domain::{
    Language, MethodSet, NewSigner, PersonalCode, SignerId, SignerRole, SigningOrder,
};
use parafa_store::clock::shifted;
use uuid::Uuid;

use crate::records::{Delivery, SignerPrivate};

/// Terms of a ceremony.
#[derive(Clone, Debug)]
pub struct TermsForm {
    /// The title.
    pub title: String,
    /// Delivery of the links to the signers.
    pub delivery: Delivery,
    /// Order of signing.
    pub order: SigningOrder,
    /// Address for events.
    pub webhook_url: Option<String>,
    /// The caller's own id.
    pub external_id: Option<String>,
    /// Days until the deadline.
    pub expires_in_days: u16,
    /// Days until signers are reminded.
    pub soft_deadline_in_days: Option<u16>,
    /// Privacy notice for the signer, where they are compared with a register.
    pub subject_notice: Option<SubjectNotice>,
    /// The parties.
    pub signers: Vec<SignerForm>,
}

/// A requested party.
#[derive(Clone, Debug)]
pub struct SignerForm {
    /// The party's role.
    pub role: SignerRole,
    /// The party's address.
    pub email: String,
    /// The party's name.
    pub name: Option<String>,
    /// Language of letters to the party.
    pub language: Option<Language>,
    /// Allowed methods.
    pub methods: MethodSet,
    /// Code of the only person who may sign.
    pub personal_code: Option<PersonalCode>,
}

impl TermsForm {
    /// Counts the parties who are to sign.
    #[must_use]
    pub fn parties_to_sign(&self) -> usize {
        let parties = self.signers.iter();
        let to_sign = parties.filter(|party| party.role == SignerRole::Signer);
        to_sign.count()
    }
}

impl SignerForm {
    /// Returns the party for the state machine.
    pub fn party(&self, id: Uuid) -> NewSigner {
        NewSigner {
            id: SignerId::new(id),
            role: self.role,
            language: self.language,
            methods: self.methods.clone(),
            identity_locked: self.personal_code.is_some(),
        }
    }

    /// Returns the party's private data, to be sealed.
    pub fn private(&self) -> SignerPrivate {
        SignerPrivate {
            email: self.email.clone(),
            name: self.name.clone(),
            personal_code: self.personal_code.clone(),
            decline_reason: None,
        }
    }
}

/// Returns the time this many times 24 hours later.
pub(crate) fn days_after(now: Timestamp, days: u16) -> Timestamp {
    shifted(now, SignedDuration::from_hours(24 * i64::from(days)))
}
