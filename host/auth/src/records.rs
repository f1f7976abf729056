//! The rows of authentications. Names of tables and members are kept for ever.

use jiff::Timestamp;
use parafa_api_auth::views;
use parafa_domain::{Authentication, AuthenticationMethod};
use parafa_eid::{AuthenticationProof, ProviderSession};
use parafa_platform::PlatformError;
use parafa_store::keys::KeyError;
use parafa_store::{
    AnyIndex, Content, Index, MasterKey, Sealed, Table, TableDeclaration, TableName, plain_table,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// All tables of this crate.
pub const TABLES: &[TableDeclaration] = &[
    TableDeclaration::of::<AssertionKeysRow>(),
    TableDeclaration::of::<ProviderRow>(),
    TableDeclaration::of::<RequestRow>(),
];

/// What the private part of requests is sealed for.
const PURPOSE: &str = "authentication-request";

/// A relying party.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ProviderRow {
    /// The id of its key.
    pub id: Uuid,
    /// A name for operators.
    pub name: String,
    /// The workspace that it belongs to, if to one.
    pub tenant: Option<Uuid>,
    /// The origins that it may have people authenticate for.
    pub audiences: Vec<String>,
    /// How they may.
    pub methods: Vec<AuthenticationMethod>,
    /// The encodings in which signatures of cards may come, by their names.
    pub encodings: Vec<String>,
    /// Whether it gets assertions.
    pub asserts: bool,
    /// Hash of its key's secret.
    pub secret_hash: String,
    /// The secret before it, while that still works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_secret: Option<TokenGrant>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Since when its key does not work any more.
    pub revoked_at: Option<Timestamp>,
}

plain_table!(ProviderRow: "auth_providers" by Uuid, |row| row.id);

/// A request to authenticate somebody. It goes an hour after its time.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RequestRow {
    /// The id.
    pub id: Uuid,
    /// Whose it is.
    pub provider: Uuid,
    /// The origin that the person authenticates for.
    pub audience: String,
    /// What makes its challenge the only one.
    pub nonce: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// How far it is.
    pub state: Authentication,
    /// The token that its client has.
    pub client_token: Option<TokenGrant>,
    /// The code that a client can have it for.
    pub pairing: Option<TokenGrant>,
    /// What the person compares with their device; of a card once its certificate
    /// is accepted.
    pub verification_code: Option<String>,
    /// Keyed digest of the person whose device is asked.
    pub person: Option<String>,
    /// A [`PrivatePart`].
    pub private: Sealed,
}

/// A secret that somebody was given, and until when it works.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TokenGrant {
    /// Its hash.
    pub hash: String,
    /// The first moment at which it does not work any more.
    pub expires_at: Timestamp,
}

/// What a request knows of a person.
#[derive(Clone, Default, Deserialize, Serialize)]
pub struct PrivatePart {
    /// Whose certificate it has to be: an ETSI semantics identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What the provider wants to find in the assertion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rp_nonce: Option<String>,
    /// The phone that is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// The session of the provider who asks it, until it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<ProviderSession>,
    /// The link by which whoever follows it comes, where nobody is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_link: Option<OpenDeviceLink>,
    /// What the device has answered, when it counts only once the app has come
    /// back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AuthenticationProof>,
    /// The verifier with which the app has come back from the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned_with: Option<String>,
    /// The card's certificate: DER in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// What became known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// A device link that is open.
#[derive(Clone, Deserialize, Serialize)]
pub struct OpenDeviceLink {
    /// What its links are made of.
    pub session: ProviderSession,
    /// Codes to scan say how long it has been open.
    pub opened_at: Timestamp,
    /// Where the person's browser goes when the app has come back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_url: Option<String>,
}

/// That a person has authenticated.
#[derive(Clone, Deserialize, Serialize)]
pub struct Proof {
    /// The signature: base64.
    pub sig: String,
    /// Who.
    pub cert: views::Certificate,
    /// The same as a JWT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assertion: Option<String>,
}

impl PrivatePart {
    /// Of the request with this id.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn seal(&self, master: &MasterKey, request: Uuid) -> Result<Sealed, KeyError> {
        let key = master.sealing_key(PURPOSE);
        key.seal_json(request.as_bytes(), self)
    }
}

impl RequestRow {
    /// What it knows of a person.
    ///
    /// # Errors
    /// When the master key does not open it.
    pub fn open(&self, master: &MasterKey) -> Result<PrivatePart, PlatformError> {
        let key = master.sealing_key(PURPOSE);
        Ok(key.open_json(self.id.as_bytes(), &self.private)?)
    }
}

/// Finds a request by the hash of its client's token.
pub const REQUEST_BY_CLIENT_TOKEN: Index<RequestRow, String> =
    Index::unique("by_client_token", |row| {
        let grant = row.client_token.iter();
        grant.map(|grant| grant.hash.clone()).collect()
    });

/// Finds a request by the hash of its pairing code.
pub const REQUEST_BY_PAIRING: Index<RequestRow, String> = Index::unique("by_pairing", |row| {
    let grant = row.pairing.iter();
    grant.map(|grant| grant.hash.clone()).collect()
});

/// The requests that ask the device of one person, also those that have ended
/// of late.
pub const REQUESTS_TO_PERSON: Index<RequestRow, String> = Index::many("to_person", |row| {
    let person = row.person.iter();
    person.cloned().collect()
});

impl Table for RequestRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("auth_requests");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[
            &REQUEST_BY_CLIENT_TOKEN,
            &REQUEST_BY_PAIRING,
            &REQUESTS_TO_PERSON,
        ]
    }
}

/// The keys of assertions: one row.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct AssertionKeysRow {
    /// What the row is called.
    pub name: String,
    /// The one that signs first.
    pub keys: Vec<AssertionKeyPart>,
}

/// One key of assertions.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct AssertionKeyPart {
    /// Its public half, with its name.
    pub public: views::JsonWebKey,
    /// The key pair as a JSON Web Key, sealed.
    pub sealed: Sealed,
    /// Since when it is published.
    pub created_at: Timestamp,
    /// Since when another one is to sign in its place.
    pub retired_at: Option<Timestamp>,
    /// Whether it signs before everybody can know it, in the place of one that
    /// was revoked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signs_at_once: bool,
}

plain_table!(AssertionKeysRow: "auth_assertion_keys" by String, |row| row.name.clone());
