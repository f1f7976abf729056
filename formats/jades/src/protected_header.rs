//! The JWS Protected Header (RFC 7515, 4; ETSI TS 119 182-1, 5.1 and 5.2).

use der::DateTime;
use parafa_format_core::{Integrity, Refusal, SignatureAlgorithm};
use serde_json::{Map, Value};

use crate::algorithm;
use crate::encoding::from_base64;
use crate::json;
use crate::schema;
use crate::signer::CertificateDigest;

/// Names that must not be listed as critical (RFC 7515, 4.1.11).
const REGISTERED: [&str; 11] = [
    "alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit",
];
/// Accepted critical names of other specifications. They are processed, or
/// affect neither validity nor coverage, such as a policy, roles or a place. TS
/// 119 182-1 V1.1.1 requires all of its own in `crit` (5.1.9), V1.2.1 `sigD`.
const UNDERSTOOD: [&str; 11] = [
    "iat", "b64", "sigT", "x5t#o", "sigX5ts", "srCms", "sigPl", "srAts", "adoTst", "sigPId", "sigD",
];
/// Members that name the signer's certificate (TS 119 182-1, 5.1.7 and 5.2.2).
const CERTIFICATE_NAMES: [&str; 3] = ["x5t#S256", "x5t#o", "sigX5ts"];
/// Time from which `iat` replaces `sigT` (TS 119 182-1, 5.1.11 and 5.2.1):
/// 2025-07-15T00:00:00Z.
const END_OF_SIG_T: i64 = 1_752_537_600;

#[derive(Debug)]
pub(crate) struct ProtectedHeader(Map<String, Value>);

impl ProtectedHeader {
    /// Parses the text of the header.
    pub(crate) fn read(text: &[u8]) -> Result<Self, Refusal> {
        let members = json::object(text)
            .map_err(|error| error.refusal("header-invalid", "The protected header"))?;
        Ok(Self(members))
    }

    /// Returns whether each member conforms to its schema.
    pub(crate) fn keeps_its_schema(&self) -> bool {
        schema::is_object_of("protected", &self.0)
    }

    /// Returns the signature algorithm.
    pub(crate) fn algorithm(&self) -> Result<SignatureAlgorithm, Integrity> {
        let name = self.text("alg").ok_or(Integrity::Malformed)?;
        algorithm::named(name)
    }

    /// Returns the claimed signing time in seconds since the Unix epoch.
    pub(crate) fn claimed_time(&self) -> Option<i64> {
        self.issued_at().or_else(|| self.signing_time())
    }

    /// Returns the DER-encoded certificates, the signer's first (RFC 7515,
    /// 4.1.6).
    pub(crate) fn certificates(&self) -> Result<Vec<Vec<u8>>, Integrity> {
        let Some(list) = self.0.get("x5c") else {
            return Ok(Vec::new());
        };
        let items = list.as_array().filter(|items| !items.is_empty());
        let items = items.ok_or(Integrity::Malformed)?.iter();
        items
            .map(|item| from_base64(item.as_str()?))
            .collect::<Option<Vec<_>>>()
            .ok_or(Integrity::Malformed)
    }

    /// Returns the digest that names the signer's certificate, if any.
    pub(crate) fn certificate_digest(&self) -> Result<Option<CertificateDigest>, Integrity> {
        let mut digests = CERTIFICATE_NAMES.into_iter().filter_map(|name| {
            let value = self.0.get(name)?;
            Some(CertificateDigest::read(name, value))
        });
        match (digests.next(), digests.next()) {
            (None, _) => Ok(None),
            (Some(digest), None) => digest.map(Some),
            (Some(_), Some(_)) => Err(Integrity::Malformed),
        }
    }

    /// Returns whether all critical names are understood.
    ///
    /// # Errors
    /// An invalid `crit` (RFC 7515, 4.1.11).
    pub(crate) fn is_understood(&self) -> Result<bool, Integrity> {
        let Some(critical) = self.0.get("crit") else {
            return Ok(true);
        };
        let names = critical.as_array().filter(|names| !names.is_empty());
        let names = names.ok_or(Integrity::Malformed)?;
        for (index, name) in names.iter().enumerate() {
            let text = name.as_str().ok_or(Integrity::Malformed)?;
            let is_sound = self.0.contains_key(text)
                && !REGISTERED.contains(&text)
                && !names[..index].contains(name);
            if !is_sound {
                return Err(Integrity::Malformed);
            }
        }
        let mut names = names.iter().filter_map(Value::as_str);
        Ok(names.all(|name| UNDERSTOOD.contains(&name)))
    }

    /// Returns whether the payload is signed without base64url encoding, as a
    /// critical member states (RFC 7797, 3 and 6).
    pub(crate) fn has_clear_payload(&self) -> bool {
        let critical = self.0.get("crit").and_then(Value::as_array);
        let is_critical = critical.is_some_and(|names| names.contains(&"b64".into()));
        is_critical && self.0.get("b64") == Some(&Value::Bool(false))
    }

    /// Returns whether a detached payload is signed (TS 119 182-1, 5.2.8).
    pub(crate) fn signs_detached(&self) -> bool {
        self.0.contains_key("sigD")
    }

    /// Returns whether the signature covers anything other than the attached
    /// payload in base64url.
    pub(crate) fn signs_other_content(&self) -> bool {
        let is_encoded = self
            .0
            .get("b64")
            .is_none_or(|b64| *b64 == Value::Bool(true));
        self.signs_detached() || !is_encoded
    }

    /// Returns whether the header meets the baseline of every level (TS 119
    /// 182-1, 6.3): one time, and one certificate name without SHA-1.
    pub(crate) fn is_baseline(&self) -> bool {
        let has = |name| self.0.contains_key(name);
        let has_time = match (has("iat"), has("sigT")) {
            (true, false) => self.issued_at().is_some(),
            (false, true) => self.signing_time().is_some_and(|time| time < END_OF_SIG_T),
            _ => false,
        };
        has_time && matches!(self.certificate_digest(), Ok(Some(_))) && !has("x5t")
    }

    /// Returns the media type of the payload (RFC 7515, 4.1.10).
    pub(crate) fn content_type(&self) -> Option<String> {
        let content_type = self.text("cty")?;
        if content_type.contains('/') {
            Some(content_type.to_owned())
        } else {
            Some(format!("application/{content_type}"))
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    fn issued_at(&self) -> Option<i64> {
        self.0.get("iat")?.as_i64().filter(|time| *time >= 0)
    }

    fn signing_time(&self) -> Option<i64> {
        let time: DateTime = self.text("sigT")?.parse().ok()?;
        i64::try_from(time.unix_duration().as_secs()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(members: &str) -> ProtectedHeader {
        ProtectedHeader::read(members.as_bytes()).unwrap()
    }

    fn understood(members: &str) -> Result<bool, Integrity> {
        header(members).is_understood()
    }

    #[test]
    fn what_is_critical_has_to_be_there_once_and_to_be_understood() {
        assert_eq!(understood("{}"), Ok(true));
        for name in UNDERSTOOD {
            let members = format!(r#"{{"crit":["{name}"],"{name}":""}}"#);
            assert_eq!(understood(&members), Ok(true), "{name}");
        }
        let unknown =
            r#"{"crit":["sigT","http://example.com/x"],"sigT":"","http://example.com/x":1}"#;
        assert_eq!(understood(unknown), Ok(false));
        for members in [
            r#"{"crit":[]}"#,
            r#"{"crit":"iat","iat":1}"#,
            r#"{"crit":["iat"]}"#,
            r#"{"crit":["iat","iat"],"iat":1}"#,
            r#"{"crit":["alg"],"alg":"RS256"}"#,
            r#"{"crit":[1],"1":1}"#,
        ] {
            assert_eq!(understood(members), Err(Integrity::Malformed), "{members}");
        }
    }

    #[test]
    fn a_payload_is_in_base64url_unless_a_critical_b64_says_that_it_is_not() {
        let of = |members| {
            let header = header(members);
            (header.has_clear_payload(), header.signs_other_content())
        };

        assert_eq!(of("{}"), (false, false));
        assert_eq!(of(r#"{"b64":true,"crit":["b64"]}"#), (false, false));
        assert_eq!(of(r#"{"b64":false,"crit":["b64"]}"#), (true, true));
        assert_eq!(of(r#"{"b64":false}"#), (false, true));
        assert_eq!(of(r#"{"b64":"false","crit":["b64"]}"#), (false, true));
        assert_eq!(of(r#"{"sigD":{},"crit":["sigD"]}"#), (false, true));
    }

    #[test]
    fn the_baseline_has_one_time_which_is_no_sig_t_any_more() {
        let digest = "A".repeat(43);
        let is_baseline = |members: &str| {
            header(&format!(r#"{{"x5t#S256":"{digest}",{members}}}"#)).is_baseline()
        };

        assert!(is_baseline(r#""iat":1795242275"#));
        assert!(is_baseline(r#""sigT":"2025-07-14T23:59:59Z""#));
        for members in [
            r#""sigT":"2025-07-15T00:00:00Z""#,
            r#""sigT":"2025-07-14T23:59:59Z","iat":1752537599"#,
            r#""iat":1795242275.0"#,
            r#""iat":"1795242275""#,
            r#""iat":-1"#,
            r#""alg":"RS256""#,
            r#""iat":1795242275,"x5t":"""#,
            r#""iat":1795242275,"x5t#o":{"digAlg":"S512","digVal":"AA"}"#,
        ] {
            assert!(!is_baseline(members), "{members}");
        }
    }

    #[test]
    fn a_content_type_without_a_slash_is_one_of_applications() {
        let of = |members| header(members).content_type();

        assert_eq!(of(r#"{"cty":"json"}"#).as_deref(), Some("application/json"));
        assert_eq!(of(r#"{"cty":"text/plain"}"#).as_deref(), Some("text/plain"));
        assert_eq!(of("{}"), None);
    }
}
