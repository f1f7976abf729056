use parafa_issuing::KeyKind;
use serde::{Deserialize, Serialize};

/// A person of the demo world who can be asked to sign.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Persona {
    /// Short name for `demo … --as`.
    pub id: String,
    /// Given name and surname.
    pub name: String,
    /// ISO 3166-1 alpha-2 country of the personal code.
    pub country: String,
    /// National personal code, without a prefix.
    pub personal_code: String,
    /// Number of the phone, for Mobile-ID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// Number of the Smart-ID account or of the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_number: Option<String>,
    /// The ways in which the persona signs.
    pub methods: Vec<Method>,
    /// Kind of the signing key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_type: Option<KeyType>,
    /// Outcome of asking.
    pub outcome: Outcome,
}

/// A way to sign.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Smart-ID.
    SmartId,
    /// Mobile-ID.
    MobileId,
    /// An identity card over NFC.
    Nfc,
}

/// The kind of a signing key.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum KeyType {
    /// On the curve P-256.
    #[serde(rename = "P-256")]
    P256,
    /// On the curve P-384.
    #[serde(rename = "P-384")]
    P384,
    /// On the curve P-521.
    #[serde(rename = "P-521")]
    P521,
    /// RSA with a modulus of 2048 bits.
    #[serde(rename = "RSA-2048")]
    Rsa2048,
    /// RSA with a modulus of 3072 bits.
    #[serde(rename = "RSA-3072")]
    Rsa3072,
    /// RSA with a modulus of 4096 bits.
    #[serde(rename = "RSA-4096")]
    Rsa4096,
}

impl KeyType {
    pub(crate) fn spec(self) -> KeyKind {
        match self {
            Self::P256 => KeyKind::P256,
            Self::P384 => KeyKind::P384,
            Self::P521 => KeyKind::P521,
            Self::Rsa2048 => KeyKind::Rsa(2048),
            Self::Rsa3072 => KeyKind::Rsa(3072),
            Self::Rsa4096 => KeyKind::Rsa(4096),
        }
    }
}

/// Outcome of asking a persona to sign.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A good signature with a qualified certificate.
    Signs,
    /// The person refuses.
    UserRefused,
    /// The person does not answer.
    Timeout,
    /// The person chooses a wrong verification code.
    WrongCode,
    /// The person has no account.
    NoAccount,
    /// The person's phone or SIM fails.
    DeviceError,
    /// The person's certificate is not qualified.
    NotQualified,
    /// The certificate is revoked.
    Revoked,
    /// The certificate is past its validity.
    Expired,
    /// The person's code is another country's.
    Foreign,
    /// The certificate chains to an untrusted root.
    Untrusted,
}
