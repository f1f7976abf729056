//! Views of answers.

use jiff::Timestamp;
use parafa_api_http::Created;
use parafa_api_http::views::timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::api::AuthenticationId;
use crate::envelope::ErrorBody;
use crate::vocabulary::{AuthenticationMethod, AuthenticationStatus};

/// A request that was created.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreatedAuthentication {
    /// Its id.
    pub request_id: AuthenticationId,
    /// Its status.
    pub status: AuthenticationStatus,
    /// The method of authentication.
    pub method: AuthenticationMethod,
    /// Time of expiry.
    #[serde(serialize_with = "timestamp::serialize")]
    pub expires_at: Timestamp,
    /// The token for the client's calls; for `physical`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_token: Option<String>,
    /// The hint that pairs an app with the request; for `nfc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairing: Option<Pairing>,
    /// The code that the person compares with their device; for `mobile_id`, and for
    /// `smart_id` with a personal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification_code: Option<String>,
    /// The link to the person's app; for `smart_id` without a personal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_link: Option<DeviceLink>,
}

impl Created for CreatedAuthentication {
    const IDS: &'static [(&'static str, &'static str)] =
        &[("requestId", "$response.body#/requestId")];

    fn address(&self) -> Option<Uuid> {
        Some(self.request_id.0)
    }
}

/// A hint that pairs an app with a request.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pairing {
    /// The code, which works once.
    pub code: String,
    /// The code as a link, for a button or a QR code.
    pub uri: String,
    /// Time of expiry.
    #[serde(serialize_with = "timestamp::serialize")]
    pub expires_at: Timestamp,
}

/// A link from a request to a person's app.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceLink {
    /// The text of a QR code to scan with a phone. It changes every second: read the
    /// request again, and show the latest.
    pub qr: String,
    /// The address that opens the app on the device that shows the page, if the app can
    /// return to this service from it. It does not change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_device: Option<String>,
}

/// A request, with its outcome once it has ended.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Authentication {
    /// Its id.
    pub request_id: AuthenticationId,
    /// Its status.
    pub status: AuthenticationStatus,
    /// The method of authentication.
    pub method: AuthenticationMethod,
    /// Time of expiry.
    #[serde(serialize_with = "timestamp::serialize")]
    pub expires_at: Timestamp,
    /// The code that the person compares with their device; with a card, once its
    /// certificate is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification_code: Option<String>,
    /// The link to the person's app, until the app has answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_link: Option<DeviceLink>,
    /// The code that the person's browser brought to `returnUrl`, once completed on the
    /// device that shows the page. Log in only the browser that brings it, in the
    /// session that the request was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_code: Option<String>,
    /// The signature, once completed: base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sig: Option<String>,
    /// The person who authenticated, once completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cert: Option<Certificate>,
    /// The result as a signed JWT; absent if the provider gets no assertions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assertion: Option<String>,
    /// The reason, once failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorBody>,
}

/// The data that the card has to sign.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DataToBeSigned {
    /// The request.
    pub request_id: AuthenticationId,
    /// The data to be signed: 144 bytes in base64. The client hashes the bytes
    /// and gives the digest to the card.
    pub dtbs: String,
    /// The OID of the hash algorithm: SHA-256.
    pub dtbs_hash_alg_oid: &'static str,
    /// The token that completes the request, once.
    pub operation_token: String,
    /// The inputs of the data, besides the certificate and the request's id.
    pub challenge: Challenge,
    /// Holder of the certificate.
    pub cert: CertificateHolder,
    /// Four digits of the data to be signed, for people to compare.
    pub verification_code: String,
}

/// The inputs of the data to be signed.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Challenge {
    /// The profile of the data to be signed.
    pub profile: String,
    /// The audience that the person authenticates for.
    pub audience: String,
    /// A value that makes them unique.
    pub nonce: String,
}

/// Holder of a certificate.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CertificateHolder {
    /// The subject, as it stands in the certificate.
    pub subject: Subject,
}

/// Attributes of a certificate's subject (X.520), unchanged; missing ones are left out.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// serialNumber: the person's identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial_number: Option<String>,
    /// givenName.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_name: Option<String>,
    /// surname.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sn: Option<String>,
    /// commonName.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cn: Option<String>,
    /// countryName.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<String>,
}

/// A person's certificate.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Certificate {
    /// The subject, as it stands in the certificate.
    pub subject: Subject,
    /// The certificate itself: DER in base64.
    pub der: String,
}

/// A person who is authenticated.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CompletedAuthentication {
    /// Always `completed`.
    pub status: AuthenticationStatus,
    /// The method by which the person authenticated.
    pub method: AuthenticationMethod,
    /// The signature: base64.
    pub sig: String,
    /// The person's certificate.
    pub cert: Certificate,
    /// The result as a signed JWT; absent if the provider gets no assertions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assertion: Option<String>,
}

/// The token for an app's calls.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PairedClient {
    /// The request.
    pub request_id: AuthenticationId,
    /// The token.
    pub client_token: String,
    /// The provider that the person authenticates for, by its registered name.
    pub provider: String,
    /// The origin that the person authenticates for.
    pub audience: String,
}

/// The metadata with which OpenID Connect libraries verify assertions (OpenID Connect
/// Discovery 1.0, 3). There is no authorization endpoint: a call of the API creates a
/// request.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct OpenIdConfiguration {
    /// The `iss` of assertions.
    pub issuer: String,
    /// The address of the keys that verify them.
    pub jwks_uri: String,
    /// `id_token`.
    pub response_types_supported: Vec<&'static str>,
    /// `public`: a person's `sub` is the same for every provider.
    pub subject_types_supported: Vec<&'static str>,
    /// `ES256`.
    pub id_token_signing_alg_values_supported: Vec<&'static str>,
    /// The claims that assertions may have.
    pub claims_supported: Vec<&'static str>,
}

/// The keys that verify assertions (RFC 7517, 5).
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct JsonWebKeySet {
    /// The current signing key comes first.
    pub keys: Vec<JsonWebKey>,
}

/// A public key on P-256 (RFC 7518, 6.2).
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct JsonWebKey {
    /// `EC`.
    pub kty: String,
    /// `P-256`.
    pub crv: String,
    /// The first coordinate.
    pub x: String,
    /// The second one.
    pub y: String,
    /// `sig`.
    pub r#use: String,
    /// `ES256`.
    pub alg: String,
    /// The `kid` of assertions: the key's thumbprint (RFC 7638).
    pub kid: String,
}
