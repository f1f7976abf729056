//! The bodies of the ceremony's calls.

use parafa_api_http::decode::{self, Node, Object, Query};
use parafa_api_http::{Fault, FromBody, Problem};

use crate::api::CeremonyApi;
use crate::vocabulary::{CardAlgorithm, CardEncoding, Country, Language, SigningMethod};

/// Longest reason of a decline, in characters.
const LONGEST_REASON: usize = 500;
/// Prefix of Estonian phone numbers. A code without a country is Lithuanian, unless it comes with
/// such a number: the two countries' codes have the same form.
const ESTONIAN_NUMBERS: &str = "+372";
/// Longest text that may be a pairing code, in characters.
const LONGEST_CODE: usize = 32;
/// Longest text that may be an operation token, in characters.
const LONGEST_TOKEN: usize = 128;
/// Longest certificate of a card, in bytes.
const LONGEST_CERTIFICATE: usize = 8 * 1024;
/// Longest signature of a card, in bytes: that of an RSA key of 16384 bits.
const LONGEST_SIGNATURE: usize = 2 * 1024;

/// An attempt to be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StartAttempt {
    /// Signing method.
    pub method: SigningMethod,
    /// In the form of [`CeremonyApi::person`](crate::CeremonyApi::person); `None` for a device
    /// link.
    pub person: Option<String>,
    /// `+` and digits: of the phone that signs, for Mobile-ID.
    pub phone_number: Option<String>,
    /// Lower-case hex of the version that the signer has seen.
    pub document_sha256: Option<String>,
    /// Language in which the signer reads the page, if it is not their own.
    pub language: Option<Language>,
}

impl<C: CeremonyApi> FromBody<C> for StartAttempt {
    fn decode(api: &C, node: &Node<'_>) -> Option<Self> {
        start_attempt(node, |country, code| api.person(country, code))
    }
}

/// `person` validates national codes.
fn start_attempt(
    node: &Node<'_>,
    person: impl Fn(Country, &str) -> Option<String>,
) -> Option<StartAttempt> {
    node.object("StartAttemptRequest", |object| {
        let method = object.required("method", |node| node.one_of());
        let is_mobile_id = method == Some(SigningMethod::MobileId);
        let mut has_number = false;
        let phone_number = object.optional("phoneNumber", |node| {
            has_number = true;
            node.parsed(r"^\+[0-9]{8,15}$", "+ and 8 to 15 digits", phone_number)
        });
        let is_estonian_number =
            phone_number.is_some_and(|number| number.starts_with(ESTONIAN_NUMBERS));
        let usual = match is_mobile_id && is_estonian_number {
            true => Country::Estonia,
            false => Country::Lithuania,
        };
        let country = object.or("country", usual, |node| {
            let country = node.one_of();
            if is_mobile_id && country == Some(Country::Latvia) {
                node.fault("must be LT or EE with mobile_id");
            }
            country
        });
        let country = country.unwrap_or(usual);
        let mut is_given = false;
        let person = object.optional("personalCode", |node| {
            is_given = true;
            node.parsed("^[0-9]{6}-?[0-9]{5}$", personal_code(country), |code| {
                person(country, code)
            })
        });
        if is_mobile_id && !is_given {
            object.missing("personalCode", "is required with mobile_id");
        }
        if is_mobile_id && !has_number {
            object.missing("phoneNumber", "is required with mobile_id");
        }
        let document_sha256 = object.optional("documentSha256", |node| {
            node.parsed("^[0-9A-Fa-f]{64}$", "64 hexadecimal digits", digest)
        });
        let language = object.optional("language", |node| node.one_of());
        Some(StartAttempt {
            method: method?,
            person,
            phone_number: phone_number.map(str::to_owned),
            document_sha256,
            language,
        })
    })
}

/// A card's signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CardSignature {
    /// The value.
    pub value: Vec<u8>,
    /// Signature algorithm.
    pub algorithm: CardAlgorithm,
    /// Its form.
    pub encoding: CardEncoding,
    /// As it came with the data to be signed.
    pub operation_token: String,
}

impl<A> FromBody<A> for CardSignature {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("CardSignatureRequest", |object| {
            let value = object.required("signature", |node| node.any_base64(LONGEST_SIGNATURE));
            let algorithm = object.required("signatureAlgorithm", |node| node.one_of());
            let encoding = object.required("signatureEncoding", |node| node.one_of());
            let token = object.required("operationToken", |node| node.text(LONGEST_TOKEN));
            Some(Self {
                value: value?,
                algorithm: algorithm?,
                encoding: encoding?,
                operation_token: token?.to_owned(),
            })
        })
    }
}

/// The code that pairs an app.
pub(crate) struct PairingCode(pub(crate) String);

impl<A> FromBody<A> for PairingCode {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("PairingRequest", |object| {
            let code = object.required("code", |node| node.text(LONGEST_CODE));
            Some(Self(code?.to_owned()))
        })
    }
}

/// A card's certificate, DER.
pub(crate) struct CertificateSubmission(pub(crate) Vec<u8>);

impl<A> FromBody<A> for CertificateSubmission {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("CardCertificateRequest", |object| {
            let der = object.required("certificate", |node| node.any_base64(LONGEST_CERTIFICATE));
            der.map(Self)
        })
    }
}

/// Reason for declining, if given.
pub(crate) struct DeclineReason(pub(crate) Option<String>);

impl<A> FromBody<A> for DeclineReason {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("DeclineRequest", |object| Some(Self(reason(object))))
    }
}

/// Decodes the form that a browser submits without scripts. The language of the answer is in the
/// URL.
pub(crate) fn decline_form(body: &[u8]) -> Result<Option<String>, Problem> {
    let form = std::str::from_utf8(body)
        .map_err(|_| Problem::validation(vec![Fault::new("", "is not text in UTF-8")]))?;
    // Browsers end lines of forms by both characters (RFC 7578, 4.1).
    let form = form.replace("%0D%0A", "%0A");
    decode::query(&Query::parse(&form), None, |form| Some(reason(form)))
}

fn reason(object: &mut Object<'_>) -> Option<String> {
    let reason = object.optional("reason", |node| node.lines(LONGEST_REASON));
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    reason.map(str::to_owned)
}

fn personal_code(country: Country) -> &'static str {
    match country {
        Country::Lithuania | Country::Estonia => "11 digits, the last of them a check digit",
        Country::Latvia => "11 digits, with or without a hyphen after the sixth",
    }
}

fn phone_number(text: &str) -> Option<&str> {
    let digits = text.strip_prefix('+')?;
    let is_sound =
        (8..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_sound.then_some(text)
}

fn digest(text: &str) -> Option<String> {
    let is_sound = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_sound.then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked<T>(body: &str, decode: impl FnOnce(&Node<'_>) -> Option<T>) -> Result<T, Problem> {
        decode::body(body.as_bytes(), &Query::parse(""), None, |node| {
            decode(&node)
        })
    }

    fn start(body: &str) -> Result<StartAttempt, Problem> {
        asked(body, |node| {
            start_attempt(node, |country, code| {
                (code != "33309240164").then(|| format!("PNO{}-{code}", country.as_str()))
            })
        })
    }

    fn certificate(body: &str) -> Result<Vec<u8>, Problem> {
        asked(body, |node| CertificateSubmission::decode(&(), node)).map(|submitted| submitted.0)
    }

    fn signature(body: &str) -> Result<CardSignature, Problem> {
        asked(body, |node| CardSignature::decode(&(), node))
    }

    fn decline(body: &str) -> Result<Option<String>, Problem> {
        asked(body, |node| DeclineReason::decode(&(), node)).map(|reason| reason.0)
    }

    fn pointers(body: &str) -> Vec<String> {
        let problem = start(body).unwrap_err();
        problem
            .errors()
            .iter()
            .map(|fault| fault.pointer.clone())
            .collect()
    }

    #[test]
    fn a_sound_request_names_its_person() {
        let started = start(r#"{"method":"smart_id","personalCode":"40504040001"}"#).unwrap();

        assert_eq!(started.person.as_deref(), Some("PNOLT-40504040001"));
        let start =
            start(r#"{"method":"smart_id","personalCode":"01010110006","country":"LV"}"#).unwrap();
        assert_eq!(start.person.as_deref(), Some("PNOLV-01010110006"));
    }

    #[test]
    fn the_language_of_the_page_comes_along() {
        let english = start(r#"{"method":"smart_id","language":"en"}"#).unwrap();

        assert_eq!(english.language, Some(Language::En));
        assert_eq!(start(r#"{"method":"smart_id"}"#).unwrap().language, None);
        let unknown = r#"{"method":"smart_id","language":"de"}"#;
        assert_eq!(pointers(unknown), ["/language"]);
    }

    #[test]
    fn mobile_id_needs_a_number_and_a_code_of_two_countries() {
        let body =
            r#"{"method":"mobile_id","personalCode":"40504040001","phoneNumber":"+37060000666"}"#;
        let started = start(body).unwrap();
        assert_eq!(started.person.as_deref(), Some("PNOLT-40504040001"));
        assert_eq!(started.phone_number.as_deref(), Some("+37060000666"));

        let bare = r#"{"method":"mobile_id"}"#;
        assert_eq!(pointers(bare), ["/personalCode", "/phoneNumber"]);
        let malformed =
            r#"{"method":"mobile_id","personalCode":"33309240164","phoneNumber":"8600"}"#;
        assert_eq!(pointers(malformed), ["/personalCode", "/phoneNumber"]);
        let latvian = body.replace('{', r#"{"country":"LV","#);
        assert_eq!(pointers(&latvian), ["/country"]);
    }

    #[test]
    fn a_code_without_a_country_is_estonian_with_an_estonian_number_alone() {
        let person = |members: &str| {
            let body = format!(r#"{{"personalCode":"40504040001",{members}}}"#);
            start(&body).unwrap().person.unwrap()
        };
        let (estonian, other) = (
            r#""phoneNumber":"+37268000769""#,
            r#""phoneNumber":"+37060000666""#,
        );
        let (mobile_id, smart_id) = (r#""method":"mobile_id""#, r#""method":"smart_id""#);

        assert_eq!(
            person(&format!("{mobile_id},{estonian}")),
            "PNOEE-40504040001"
        );
        for members in [
            format!("{mobile_id},{other}"),
            format!(r#"{mobile_id},{estonian},"country":"LT""#),
            format!("{smart_id},{estonian}"),
        ] {
            assert_eq!(person(&members), "PNOLT-40504040001", "{members}");
        }
    }

    #[test]
    fn every_fault_is_named_in_the_order_of_the_body() {
        let body = r#"{"country":"DE","x/y":1,"phoneNumber":"861234567","personalCode":"33309240164","documentSha256":"00"}"#;

        assert_eq!(
            pointers(body),
            [
                "/country",
                "/x~1y",
                "/phoneNumber",
                "/personalCode",
                "/documentSha256",
                "/method"
            ]
        );
    }

    #[test]
    fn what_is_no_object_is_refused_as_a_whole() {
        assert_eq!(pointers("[]"), [""]);
        assert_eq!(pointers("{"), [""]);
    }

    #[test]
    fn a_card_s_octets_come_in_any_base64() {
        for base64 in ["+/8=", "+/8", "-_8=", "-_8", "+/\\r\\n8=\\n"] {
            let body = format!(r#"{{"certificate":"{base64}"}}"#);
            let der = certificate(&body).unwrap();
            assert_eq!(der, [0xFB, 0xFF], "{base64}");
        }
        for base64 in ["", "a", "+_8=", "==", "a b"] {
            let body = format!(r#"{{"certificate":"{base64}"}}"#);
            let refused = certificate(&body).unwrap_err();
            assert_eq!(refused.errors()[0].pointer, "/certificate", "{base64}");
        }
    }

    #[test]
    fn a_card_s_signature_names_how_it_was_made() {
        let body = r#"{"signature":"AQI=","signatureAlgorithm":"ES256","signatureEncoding":"P1363","operationToken":"t"}"#;
        let signed = signature(body).unwrap();
        assert_eq!(signed.value, [1, 2]);
        assert_eq!(signed.algorithm, CardAlgorithm::Es256);

        let body = r#"{"signature":"AQI=","signatureAlgorithm":"ES384","signatureEncoding":"BER"}"#;
        let refused = signature(body).unwrap_err();
        let pointers: Vec<_> = refused
            .errors()
            .iter()
            .map(|fault| &fault.pointer)
            .collect();
        let expected = [
            "/signatureAlgorithm",
            "/signatureEncoding",
            "/operationToken",
        ];
        assert_eq!(pointers, expected);
    }

    #[test]
    fn a_reason_is_optional_and_bounded() {
        assert_eq!(decline("{}").unwrap(), None);
        assert_eq!(decline(r#"{"reason":"  "}"#).unwrap(), None);
        assert_eq!(decline(r#"{"reason":" no "}"#).unwrap(), Some("no".into()));
        assert!(decline(&format!(r#"{{"reason":"{}"}}"#, "x".repeat(501))).is_err());
    }

    #[test]
    fn a_reason_may_have_lines_and_nothing_that_turns_them() {
        let lines = decline(r#"{"reason":"no\n\tmoney"}"#).unwrap();
        assert_eq!(lines.as_deref(), Some("no\n\tmoney"));
        for unfit in [
            r"\u0000", r"\u001b", r"\u0085", r"\u2028", r"\u202e", r"\u2069",
        ] {
            let body = format!(r#"{{"reason":"a{unfit}b"}}"#);
            let problem = decline(&body).unwrap_err();
            assert_eq!(problem.errors()[0].pointer, "/reason", "{unfit}");
        }
    }
}
