//! What is asked for, checked for form.

use bytes::Bytes;
use parafa_domain::{
    Language, MethodSet, NewSigner, PersonalCode, SignerId, SignerRole, SigningOrder,
};
use uuid::Uuid;

use crate::records::{Delivery, SignerPrivate};

/// A signing to be.
#[derive(Debug)]
pub(crate) struct SigningForm {
    pub(crate) source: SourceForm,
    pub(crate) terms: TermsForm,
}

/// What is to be signed.
#[derive(Debug)]
pub(crate) enum SourceForm {
    Document(DocumentForm),
    /// Files to be composed into a container.
    Container(Vec<DocumentForm>),
}

/// A batch to be: a signing for each document.
#[derive(Debug)]
pub(crate) struct BatchForm {
    pub(crate) documents: Vec<DocumentForm>,
    pub(crate) terms: TermsForm,
}

/// A document to be signed.
#[derive(Clone, Debug)]
pub(crate) struct DocumentForm {
    pub(crate) name: String,
    /// Lower-case extension of the name, without the dot.
    pub(crate) extension: String,
    /// Where the bytes, or the token, stand in the request, as a JSON pointer.
    pub(crate) pointer: String,
    /// Where the wish to flatten stands, or would.
    pub(crate) flatten_pointer: String,
    pub(crate) content: ContentForm,
    /// Whether the form is to be drawn into the pages first.
    pub(crate) flatten: bool,
}

/// Where a document's bytes come from.
#[derive(Clone, Debug)]
pub(crate) enum ContentForm {
    Inline(Bytes),
    /// A stored file.
    File(Uuid),
}

/// Where the name of a file stands in a request: beside its bytes, or their
/// token.
pub(super) fn name_pointer(bytes_pointer: &str) -> String {
    let (parent, _) = bytes_pointer.rsplit_once('/').unwrap_or_default();
    format!("{parent}/name")
}

/// How a signing is to be run.
#[derive(Clone, Debug)]
pub(crate) struct TermsForm {
    pub(crate) title: String,
    pub(crate) delivery: Delivery,
    pub(crate) order: SigningOrder,
    pub(crate) webhook_url: Option<String>,
    pub(crate) external_id: Option<String>,
    pub(crate) expires_in_days: u16,
    pub(crate) soft_deadline_in_days: Option<u16>,
    pub(crate) signers: Vec<SignerForm>,
}

/// A party to be.
#[derive(Clone, Debug)]
pub(crate) struct SignerForm {
    pub(crate) role: SignerRole,
    pub(crate) email: String,
    pub(crate) name: Option<String>,
    pub(crate) language: Language,
    pub(crate) methods: MethodSet,
    pub(crate) personal_code: Option<PersonalCode>,
}

impl SignerForm {
    /// The party as the state machine knows it.
    pub(super) fn party(&self, id: Uuid) -> NewSigner {
        NewSigner {
            id: SignerId::new(id),
            role: self.role,
            language: self.language,
            methods: self.methods.clone(),
            identity_locked: self.personal_code.is_some(),
        }
    }

    /// What is sealed about the party.
    pub(super) fn private(&self) -> SignerPrivate {
        SignerPrivate {
            email: self.email.clone(),
            name: self.name.clone(),
            personal_code: self.personal_code.clone(),
            decline_reason: None,
        }
    }
}
