//! What is asked for, checked for form.

use bytes::Bytes;
use parafa_domain::{
    Language, MethodSet, NewSigner, PersonalCode, SignerId, SignerRole, SigningOrder,
};
use uuid::Uuid;

use crate::records::{Delivery, SignerPrivate};

/// A signing to be.
#[derive(Debug)]
pub struct SigningForm {
    /// Where the document comes from.
    pub source: SourceForm,
    /// Who signs, how and until when.
    pub terms: TermsForm,
}

/// What is to be signed.
#[derive(Debug)]
pub enum SourceForm {
    /// One document.
    Document(DocumentForm),
    /// Files to be composed into a container.
    Container(Vec<DocumentForm>),
}

/// A batch to be: a signing for each document.
#[derive(Debug)]
pub struct BatchForm {
    /// The documents, each of which becomes a signing.
    pub documents: Vec<DocumentForm>,
    /// Who signs, how and until when.
    pub terms: TermsForm,
}

/// A document to be signed.
#[derive(Clone, Debug)]
pub struct DocumentForm {
    /// The file name.
    pub name: String,
    /// Lower-case extension of the name, without the dot.
    pub extension: String,
    /// Where the bytes, or the token, stand in the request, as a JSON pointer.
    pub pointer: String,
    /// Where the wish to flatten stands, or would.
    pub flatten_pointer: String,
    /// The bytes.
    pub content: ContentForm,
    /// Whether the form is to be drawn into the pages first.
    pub flatten: bool,
}

/// Where a document's bytes come from.
#[derive(Clone, Debug)]
pub enum ContentForm {
    /// Its bytes are in the request.
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
pub struct TermsForm {
    /// What the signing is called.
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
    pub language: Language,
    /// How the party may sign.
    pub methods: MethodSet,
    /// Only the holder of this code may sign.
    pub personal_code: Option<PersonalCode>,
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
