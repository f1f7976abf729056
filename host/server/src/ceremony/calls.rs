//! The bodies of the ceremony's calls.

use parafa_api_http::Problem;
use parafa_api_http::decode::{self, Node, Query};
use parafa_api_signing::requests::LONGEST_REASON;
use parafa_domain::{PersonalCode, SigningMethod};

use crate::workflow::ceremony::StartAttempt;

/// The body of `POST …/attempts`, with all faults of the request if it has any.
pub(super) fn start_attempt(body: &[u8], query: &Query) -> Result<StartAttempt, Problem> {
    decode::body(body, query, None, |node| {
        node.object("StartAttemptRequest", |object| {
            let method = object.required("method", |node| {
                let methods = "^(nfc|smart_id|mobile_id)$";
                node.parsed(methods, "one of nfc, smart_id, mobile_id", |name| {
                    name.parse::<SigningMethod>().ok()
                })
            });
            let country = object.optional("country", |node| {
                node.parsed("^(LT|LV|EE)$", "one of LT, LV, EE", Country::named)
            });
            let country = country.unwrap_or(Country::Lithuania);
            let person = object.optional("personalCode", |node| person(&node, country));
            object.optional("phoneNumber", |node| {
                node.parsed(r"^\+[0-9]{8,15}$", "+ and 8 to 15 digits", phone_number)
            });
            let document_sha256 = object.optional("documentSha256", |node| {
                node.parsed("^[0-9A-Fa-f]{64}$", "64 hexadecimal digits", digest)
            });
            Some(StartAttempt {
                method: method?,
                person,
                document_sha256,
            })
        })
    })
}

/// The body of `POST …/decline`: the reason, if any.
pub(super) fn decline(body: &[u8], query: &Query) -> Result<Option<String>, Problem> {
    let body = match body.trim_ascii() {
        [] => b"{}",
        body => body,
    };
    let reason = decode::body(body, query, None, |node| {
        node.object("DeclineRequest", |object| {
            Some(
                object
                    .optional("reason", |node| node.lines(LONGEST_REASON))
                    .map(str::to_owned),
            )
        })
    })?;
    Ok(reason
        .map(|reason| reason.trim().to_owned())
        .filter(|reason| !reason.is_empty()))
}

fn person(node: &Node<'_>, country: Country) -> Option<String> {
    let digits = "^[0-9]{6}-?[0-9]{5}$";
    node.parsed(digits, country.personal_code(), |code| country.person(code))
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

#[derive(Clone, Copy)]
enum Country {
    Estonia,
    Latvia,
    Lithuania,
}

impl Country {
    fn named(name: &str) -> Option<Self> {
        match name {
            "LT" => Some(Self::Lithuania),
            "LV" => Some(Self::Latvia),
            "EE" => Some(Self::Estonia),
            _ => None,
        }
    }

    /// The ETSI EN 319 412-1 semantics identifier of a national code.
    fn person(self, code: &str) -> Option<String> {
        match self {
            Self::Lithuania | Self::Estonia => {
                let parsed = code.parse::<PersonalCode>().ok()?;
                let country = if matches!(self, Self::Estonia) {
                    "EE"
                } else {
                    "LT"
                };
                parsed
                    .has_valid_check_digit()
                    .then(|| format!("PNO{country}-{code}"))
            }
            Self::Latvia => {
                let digits: String = code.chars().filter(|character| *character != '-').collect();
                let is_sound =
                    digits.len() == 11 && digits.bytes().all(|byte| byte.is_ascii_digit());
                let placed = !code.contains('-') || code.find('-') == Some(6) && code.len() == 12;
                (is_sound && placed).then(|| format!("PNOLV-{}-{}", &digits[..6], &digits[6..]))
            }
        }
    }

    fn personal_code(self) -> &'static str {
        match self {
            Self::Lithuania | Self::Estonia => {
                "11 digits, of which the last is the check digit of the others"
            }
            Self::Latvia => "11 digits, with or without a hyphen after the sixth",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(body: &str) -> Result<StartAttempt, Problem> {
        start_attempt(body.as_bytes(), &Query::parse(""))
    }

    fn decline(body: &[u8]) -> Result<Option<String>, Problem> {
        super::decline(body, &Query::parse(""))
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
        assert_eq!(start.person.as_deref(), Some("PNOLV-010101-10006"));
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
    fn a_reason_is_optional_and_bounded() {
        assert_eq!(decline(b"").unwrap(), None);
        assert_eq!(decline(br#"{"reason":"  "}"#).unwrap(), None);
        assert_eq!(decline(br#"{"reason":" no "}"#).unwrap(), Some("no".into()));
        assert!(decline(format!(r#"{{"reason":"{}"}}"#, "x".repeat(501)).as_bytes()).is_err());
    }

    #[test]
    fn a_reason_may_have_lines_and_no_control_characters_or_direction_marks() {
        let lines = decline(br#"{"reason":"no\n\tmoney"}"#).unwrap();
        assert_eq!(lines.as_deref(), Some("no\n\tmoney"));
        for unfit in [r"\u0000", r"\u001b", r"\u0085", r"\u202e", r"\u2069"] {
            let body = format!(r#"{{"reason":"a{unfit}b"}}"#);
            let problem = decline(body.as_bytes()).unwrap_err();
            assert_eq!(problem.errors()[0].pointer, "/reason", "{unfit}");
        }
    }
}
