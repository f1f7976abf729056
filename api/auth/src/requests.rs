//! Input of calls.

use std::time::Duration;

use parafa_api_http::decode::{Node, Object};
use parafa_api_http::{FromBody, FromQuery};
use serde::Deserialize;
use serde_json::json;

use crate::vocabulary::AuthenticationMethod;

/// Longest origin, in characters.
const LONGEST_ORIGIN: usize = 300;
/// Longest nonce of a provider's, in characters.
const LONGEST_NONCE: usize = 255;
/// Longest certificate, in bytes.
const LONGEST_CERTIFICATE: usize = 8 * 1024;
/// Longest signature, in bytes: one of RSA with 8192 bits.
const LONGEST_SIGNATURE: usize = 1024;
/// Longest token or code, in characters.
const LONGEST_TOKEN: usize = 128;
/// Longest name of an algorithm or encoding, in characters.
const LONGEST_NAME: usize = 32;
/// Longest wait for a change, in milliseconds.
const LONGEST_WAIT: u16 = 30_000;
const PERSONAL_CODE_DIGITS: usize = 11;
/// Longest address that a browser is sent to, in characters.
const LONGEST_ADDRESS: usize = 1000;
const ADDRESS: &str = "^https?://[!-\"$-~]+$";
const PHONE_NUMBER: &str = "^\\+[0-9]{8,30}$";

/// The body of `POST /v1/auth/requests`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CreateAuthentication {
    /// The origin that the person authenticates for.
    pub audience: String,
    /// Method of authentication.
    pub method: NewMethod,
    /// URL to which the person's browser goes after the app came back from a device link: one of
    /// the audience.
    pub return_url: Option<String>,
    /// Nonce of the provider, repeated in the assertion.
    pub nonce: Option<String>,
}

/// Method of an authentication, with the person.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum NewMethod {
    /// With a card in a reader.
    Physical {
        /// Personal code that the card must have, if given.
        personal_code: Option<String>,
    },
    /// With a card over NFC.
    Nfc {
        /// Personal code that the card must have, if given.
        personal_code: Option<String>,
    },
    /// With Smart-ID.
    SmartId {
        /// Personal code of the person to ask; without one, anybody who follows a device link.
        personal_code: Option<String>,
    },
    /// With Mobile-ID.
    MobileId {
        /// Personal code of the person to ask.
        personal_code: String,
        /// Phone number, with the country code.
        phone_number: String,
    },
}

impl NewMethod {
    /// The method without its particulars.
    #[must_use]
    pub fn method(&self) -> AuthenticationMethod {
        match self {
            Self::Physical { .. } => AuthenticationMethod::Physical,
            Self::Nfc { .. } => AuthenticationMethod::Nfc,
            Self::SmartId { .. } => AuthenticationMethod::SmartId,
            Self::MobileId { .. } => AuthenticationMethod::MobileId,
        }
    }
}

impl<A> FromBody<A> for CreateAuthentication {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("CreateAuthenticationRequest", |object| {
            let audience = object.required("audience", |node| {
                node.described("An origin on the provider's allow-list, written exactly as it is there, such as https://shop.example.")
                    .visible_text(LONGEST_ORIGIN)
            });
            let method: Option<AuthenticationMethod> =
                object.required("method", |node| node.one_of());
            let mut has_code = false;
            let code = object.optional("personalCode", |node| {
                has_code = true;
                node.described("The Lithuanian personal code of the person who has to authenticate; required for mobile_id. With it, smart_id notifies that person's device. Without it, the answer has a device link for anyone who scans or follows it.")
                    .digits(PERSONAL_CODE_DIGITS)
                    .map(str::to_owned)
            });
            let mut has_number = false;
            let number = object.optional("phoneNumber", |node| {
                has_number = true;
                if method.is_some_and(|method| method != AuthenticationMethod::MobileId) {
                    node.fault("must not be given for this method");
                    return None;
                }
                node.described("The phone number with its country code; required for mobile_id, and only allowed there.")
                    .parsed(PHONE_NUMBER, "a + and 8 to 30 digits", phone_number)
            });
            let is_by_link = !has_code
                && method.is_none_or(|method| method == AuthenticationMethod::SmartId);
            let return_url = object.optional("returnUrl", |node| {
                node.described("The page to which the app returns the person's browser after sameDevice; for smart_id without personalCode. An address of the audience without a fragment; the parameters requestId and returnCode are added to it.")
                    .parsed(ADDRESS, "an address of the audience, for smart_id without personalCode", |text| {
                        let audience = audience.filter(|audience| is_by_link && is_of(audience, text));
                        audience.map(|_| text.to_owned())
                    })
            });
            let nonce = object.optional("nonce", |node| {
                node.described("A value of the provider's choice; returned as rp_nonce in the assertion.")
                    .visible_text(LONGEST_NONCE)
                    .map(str::to_owned)
            });
            object.keyword("allOf", conditions());
            if method == Some(AuthenticationMethod::MobileId) {
                for (name, is_given) in [("personalCode", has_code), ("phoneNumber", has_number)] {
                    if !is_given {
                        object.missing(name, "is required for this method");
                    }
                }
            }
            Some(Self {
                audience: audience?.to_owned(),
                return_url,
                nonce,
                method: match method? {
                    AuthenticationMethod::Physical => NewMethod::Physical { personal_code: code },
                    AuthenticationMethod::Nfc => NewMethod::Nfc { personal_code: code },
                    AuthenticationMethod::SmartId => NewMethod::SmartId { personal_code: code },
                    AuthenticationMethod::MobileId => NewMethod::MobileId {
                        personal_code: code?,
                        phone_number: number?,
                    },
                },
            })
        })
    }
}

/// Conditions on each method's members, in JSON Schema.
fn conditions() -> serde_json::Value {
    let of = |name: &str| {
        let method = json!({"type": "string", "const": name});
        json!({"properties": {"method": method}, "required": ["method"]})
    };
    json!([
        {
            "if": of("mobile_id"),
            "then": {"required": ["personalCode", "phoneNumber"]},
            "else": {"properties": {"phoneNumber": false}},
        },
        {"if": of("smart_id"), "else": {"properties": {"returnUrl": false}}},
        {"not": {"required": ["personalCode", "returnUrl"]}},
    ])
}

/// Returns true if a URL belongs to an origin.
fn is_of(origin: &str, address: &str) -> bool {
    let is_visible = |byte: u8| byte.is_ascii_graphic() && byte != b'#';
    let path = address.strip_prefix(origin);
    address.len() <= LONGEST_ADDRESS
        && address.bytes().all(is_visible)
        && path.is_some_and(|path| path.is_empty() || path.starts_with(['/', '?']))
}

fn phone_number(text: &str) -> Option<String> {
    let digits = text.strip_prefix('+')?;
    let sound =
        (8..=30).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    sound.then(|| text.to_owned())
}

/// The query of `GET /v1/auth/requests/{requestId}`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PollQuery {
    /// Time to wait for another status.
    pub wait: Duration,
}

impl FromQuery for PollQuery {
    fn decode(query: &mut Object<'_>) -> Option<Self> {
        let wait = query.or("waitMs", 0, |node| {
            node.described("Milliseconds to wait for a change of the status.")
                .integer(0..=LONGEST_WAIT)
        });
        Some(Self {
            wait: Duration::from_millis(wait?.into()),
        })
    }
}

/// The body of `POST /v1/auth/{requestId}/certificate`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CertificateSubmission {
    /// The card's authentication certificate, DER if it is one.
    pub certificate: Vec<u8>,
}

impl<A> FromBody<A> for CertificateSubmission {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("CertificateRequest", |object| {
            let certificate = object.required("certificate", |node| {
                node.described("The card's authentication certificate, DER in base64.")
                    .any_base64(LONGEST_CERTIFICATE)
            });
            certificate.map(|certificate| Self { certificate })
        })
    }
}

/// The body of `POST /v1/auth/{requestId}/complete`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CompletionRequest {
    /// The signature.
    pub signature: Vec<u8>,
    /// Name of the signature's algorithm, not checked.
    pub algorithm: String,
    /// Name of the signature's encoding, not checked.
    pub encoding: String,
    /// The token of the certificate step.
    pub operation_token: String,
}

impl<A> FromBody<A> for CompletionRequest {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("CompletionRequest", |object| {
            let signature = object.required("signature", |node| {
                node.described("The card's signature, in base64.")
                    .any_base64(LONGEST_SIGNATURE)
            });
            let algorithm = object.required("signatureAlgorithm", |node| {
                node.described("ES256 (ECDSA with SHA-256 on the certificate's curve: P-256, P-384 or P-521), RS256 or PS256.")
                    .visible_text(LONGEST_NAME)
            });
            let encoding = object.required("signatureEncoding", |node| {
                node.described("P1363 or DER for ES256, RAW for RSA.")
                    .visible_text(LONGEST_NAME)
            });
            let operation_token = object.required("operationToken", |node| {
                node.described("The single-use token of the certificate step.")
                    .visible_text(LONGEST_TOKEN)
            });
            Some(Self {
                signature: signature?,
                algorithm: algorithm?.to_owned(),
                encoding: encoding?.to_owned(),
                operation_token: operation_token?.to_owned(),
            })
        })
    }
}

/// The body of `POST /v1/auth/pairings`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PairingRequest {
    /// Code shown on a page.
    pub code: String,
}

impl<A> FromBody<A> for PairingRequest {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("PairingRequest", |object| {
            let code = object.required("code", |node| {
                node.described("The code of the pairing hint, once.")
                    .visible_text(LONGEST_TOKEN)
            });
            code.map(|code| Self {
                code: code.to_owned(),
            })
        })
    }
}

/// Parameters that Smart-ID's app adds to its callback URL.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(default, rename_all = "camelCase")]
pub struct AppReturn {
    /// The URL's own unguessable value.
    pub value: String,
    /// Proves that the app knows the session's secret.
    pub session_secret_digest: String,
    /// Verifier to which the app's answer is bound; empty if it has no valid one.
    pub user_challenge_verifier: String,
}
