//! The bodies of the ceremony's calls.

use parafa_api_signing::requests::LONGEST_REASON;
use parafa_api_signing::{Fault, Problem, UNFIT_FOR_LINES, disturbs_lines};
use parafa_domain::{PersonalCode, SigningMethod};
use parafa_signing::ceremony::StartAttempt;
use serde_json::{Map, Value};

/// The body of `POST …/attempts`, with all its faults if it has any.
pub(super) fn start_attempt(body: &[u8]) -> Result<StartAttempt, Problem> {
    let mut members = Members::parse(
        body,
        &[
            "method",
            "personalCode",
            "phoneNumber",
            "country",
            "documentSha256",
        ],
    )?;
    let method = members.text("method");
    let code = members.text("personalCode");
    let country = members.text("country");
    let phone = members.text("phoneNumber");
    let document_sha256 = members.text("documentSha256");

    let method = match method.as_deref().map(str::parse::<SigningMethod>) {
        Some(Ok(method)) => Some(method),
        Some(Err(_)) => members.fault("method", "must be one of nfc, smart_id, mobile_id"),
        None => members.missing("method"),
    };
    let country = match country.as_deref() {
        None | Some("LT") => Country::Lithuania,
        Some("EE") => Country::Estonia,
        Some("LV") => Country::Latvia,
        Some(_) => {
            members.fault::<()>("country", "must be one of LT, LV, EE");
            Country::Lithuania
        }
    };
    let person = code.and_then(|code| match country.person(&code) {
        Some(person) => Some(person),
        None => members.fault("personalCode", country.code_fault()),
    });
    if phone
        .as_deref()
        .is_some_and(|phone| !is_phone_number(phone))
    {
        members.fault::<()>("phoneNumber", "must be + and 8 to 15 digits");
    }
    let digest_is_sound =
        |digest: &str| digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    if document_sha256
        .as_deref()
        .is_some_and(|digest| !digest_is_sound(digest))
    {
        members.fault::<()>("documentSha256", "must be 64 hexadecimal digits");
    }
    let method = members.finish(method)?;
    Ok(StartAttempt {
        method,
        person,
        document_sha256: document_sha256.map(|digest| digest.to_ascii_lowercase()),
    })
}

/// The body of `POST …/decline`: the reason, if any.
pub(super) fn decline(body: &[u8]) -> Result<Option<String>, Problem> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let mut members = Members::parse(body, &["reason"])?;
    let reason = members.text("reason");
    if reason
        .as_deref()
        .is_some_and(|reason| reason.chars().count() > LONGEST_REASON)
    {
        members.fault::<()>(
            "reason",
            format!("must have at most {LONGEST_REASON} characters"),
        );
    }
    if reason.as_deref().is_some_and(disturbs_lines) {
        members.fault::<()>("reason", UNFIT_FOR_LINES);
    }
    members.finish(Some(()))?;
    Ok(reason
        .map(|reason| reason.trim().to_owned())
        .filter(|reason| !reason.is_empty()))
}

#[derive(Clone, Copy)]
enum Country {
    Estonia,
    Latvia,
    Lithuania,
}

impl Country {
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

    fn code_fault(self) -> &'static str {
        match self {
            Self::Lithuania | Self::Estonia => {
                "must be 11 digits, of which the last is the check digit of the others"
            }
            Self::Latvia => "must be 11 digits, with or without a hyphen after the sixth",
        }
    }
}

fn is_phone_number(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|digits| {
        (8..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The members of a JSON object, with the faults found so far.
struct Members {
    object: Map<String, Value>,
    faults: Vec<(usize, Fault)>,
}

impl Members {
    fn parse(body: &[u8], known: &[&str]) -> Result<Self, Problem> {
        let object = match serde_json::from_slice(body) {
            Ok(Value::Object(object)) => object,
            Ok(_) => {
                return Err(Problem::validation(vec![Fault::new(
                    "",
                    "must be an object",
                )]));
            }
            Err(_) => return Err(Problem::validation(vec![Fault::new("", "must be JSON")])),
        };
        let mut members = Self {
            object,
            faults: Vec::new(),
        };
        let unknown: Vec<String> = members
            .object
            .keys()
            .filter(|name| !known.contains(&name.as_str()))
            .cloned()
            .collect();
        for name in unknown {
            members.fault::<()>(&name, "is not a known member");
        }
        Ok(members)
    }

    fn text(&mut self, name: &str) -> Option<String> {
        match self.object.get(name)? {
            Value::String(text) => Some(text.clone()),
            _ => self.fault(name, "must be a string"),
        }
    }

    fn missing<T>(&mut self, name: &str) -> Option<T> {
        if self.object.contains_key(name) {
            None
        } else {
            self.fault(name, "is missing")
        }
    }

    fn fault<T>(&mut self, name: &str, detail: impl Into<String>) -> Option<T> {
        let position = self
            .object
            .keys()
            .position(|key| key == name)
            .unwrap_or(self.object.len());
        let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        self.faults.push((position, Fault::new(pointer, detail)));
        None
    }

    /// The value, unless there are faults.
    fn finish<T>(mut self, value: Option<T>) -> Result<T, Problem> {
        match value {
            Some(value) if self.faults.is_empty() => Ok(value),
            _ => {
                self.faults.sort_by_key(|(position, _)| *position);
                Err(Problem::validation(
                    self.faults.into_iter().map(|(_, fault)| fault).collect(),
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointers(body: &str) -> Vec<String> {
        let problem = start_attempt(body.as_bytes()).unwrap_err();
        problem
            .errors()
            .iter()
            .map(|fault| fault.pointer.clone())
            .collect()
    }

    #[test]
    fn a_sound_request_names_its_person() {
        let start =
            start_attempt(br#"{"method":"smart_id","personalCode":"40504040001"}"#).unwrap();

        assert_eq!(start.person.as_deref(), Some("PNOLT-40504040001"));
        let start =
            start_attempt(br#"{"method":"smart_id","personalCode":"01010110006","country":"LV"}"#)
                .unwrap();
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
