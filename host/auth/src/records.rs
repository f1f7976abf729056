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

/// Purpose of the key that seals requests' private parts.
const PURPOSE: &str = "authentication-request";

/// A relying party.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ProviderRow {
    /// The id of its key.
    pub id: Uuid,
    /// A name for operators.
    pub name: String,
    /// Its workspace, if it has one.
    pub tenant: Option<Uuid>,
    /// The origins for which it may authenticate people.
    pub audiences: Vec<String>,
    /// The allowed methods.
    pub methods: Vec<AuthenticationMethod>,
    /// The allowed encodings of cards' signatures, by name.
    pub encodings: Vec<String>,
    /// Receives assertions.
    pub asserts: bool,
    /// Hash of its key's secret.
    pub secret_hash: String,
    /// The previous secret, while it still works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_secret: Option<TokenGrant>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the key's revocation.
    pub revoked_at: Option<Timestamp>,
}

plain_table!(ProviderRow: "auth_providers" by Uuid, |row| row.id);

/// A request to authenticate a person. It is deleted an hour after its deadline.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RequestRow {
    /// The id.
    pub id: Uuid,
    /// The relying party.
    pub provider: Uuid,
    /// The origin for which the person authenticates.
    pub audience: String,
    /// Nonce that makes its challenge unique.
    pub nonce: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Its state.
    pub state: Authentication,
    /// Grant of its client's token.
    pub client_token: Option<TokenGrant>,
    /// Grant of the code for which a client gets that token.
    pub pairing: Option<TokenGrant>,
    /// Code that the person compares with the device; for a card, once its
    /// certificate is accepted.
    pub verification_code: Option<String>,
    /// Keyed digest of the person whose device is prompted.
    pub person: Option<String>,
    /// A [`PrivatePart`].
    pub private: Sealed,
}

/// A secret's grant, with its expiry.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TokenGrant {
    /// Its hash.
    pub hash: String,
    /// The first moment at which it no longer works.
    pub expires_at: Timestamp,
}

/// Personal data of a request.
#[derive(Clone, Default, Deserialize, Serialize)]
pub struct PrivatePart {
    /// Expected holder of the certificate: an ETSI semantics identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Nonce that the provider expects in the assertion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rp_nonce: Option<String>,
    /// The phone to prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// The session at the provider that prompts it, until it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<ProviderSession>,
    /// The open device link, for a person who is not prompted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_link: Option<OpenDeviceLink>,
    /// The device's answer, when it counts only once the app has returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AuthenticationProof>,
    /// The verifier with which the app has returned from the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned_with: Option<String>,
    /// The card's certificate: DER in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// The proof of an authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// An open device link.
#[derive(Clone, Deserialize, Serialize)]
pub struct OpenDeviceLink {
    /// The session from which its links are derived.
    pub session: ProviderSession,
    /// Opening time, on which the codes to scan depend.
    pub opened_at: Timestamp,
    /// Address for the person's browser when the app has returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_url: Option<String>,
}

/// Proof that a person has authenticated.
#[derive(Clone, Deserialize, Serialize)]
pub struct Proof {
    /// The signature, in base64.
    pub sig: String,
    /// The certificate's holder.
    pub cert: views::Certificate,
    /// The assertion: the proof as a JWT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assertion: Option<String>,
}

impl PrivatePart {
    /// Seals it for the request with this id.
    ///
    /// # Errors
    /// Random bytes that are unavailable.
    pub fn seal(&self, master: &MasterKey, request: Uuid) -> Result<Sealed, KeyError> {
        let key = master.sealing_key(PURPOSE);
        key.seal_json(request.as_bytes(), self)
    }
}

impl RequestRow {
    /// Opens its personal data.
    ///
    /// # Errors
    /// When the master key does not open it.
    pub fn open(&self, master: &MasterKey) -> Result<PrivatePart, PlatformError> {
        let key = master.sealing_key(PURPOSE);
        Ok(key.open_json(self.id.as_bytes(), &self.private)?)
    }
}

/// Index of requests by the hash of their client's token.
pub const REQUEST_BY_CLIENT_TOKEN: Index<RequestRow, String> =
    Index::unique("by_client_token", |row| {
        let grant = row.client_token.iter();
        grant.map(|grant| grant.hash.clone()).collect()
    });

/// Index of requests by the hash of their pairing code.
pub const REQUEST_BY_PAIRING: Index<RequestRow, String> = Index::unique("by_pairing", |row| {
    let grant = row.pairing.iter();
    grant.map(|grant| grant.hash.clone()).collect()
});

/// Index of the requests to one person's device, including recently ended ones.
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

/// The keys of assertions, in a single row.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct AssertionKeysRow {
    /// Name of the row.
    pub name: String,
    /// The keys, the newest first.
    pub keys: Vec<AssertionKeyPart>,
}

/// One key of assertions.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct AssertionKeyPart {
    /// Its public half, with its name.
    pub public: views::JsonWebKey,
    /// The key pair as a JSON Web Key, sealed.
    pub sealed: Sealed,
    /// Time of publication.
    pub created_at: Timestamp,
    /// Time from which it is to be replaced.
    pub retired_at: Option<Timestamp>,
    /// Signs before all caches can have it, in place of a revoked key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signs_at_once: bool,
}

plain_table!(AssertionKeysRow: "auth_assertion_keys" by String, |row| row.name.clone());
