//! The bodies of requests, parsed.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use parafa_eid_protocols::smart_id::{ACSP_V2, RAW_DIGEST_SIGNATURE};
use serde_json::Value;
use uuid::Uuid;

use super::{
    algorithm::{HashAlgorithm, Scheme, SignatureAlgorithm},
    checker::{Checker, Members},
    interactions::Interactions,
    problem::Problem,
};

const COMMON: [&str; 6] = [
    "relyingPartyUUID",
    "relyingPartyName",
    "brokeredRpName",
    "certificateLevel",
    "requestProperties",
    "capabilities",
];
const CHOICE: [&str; 1] = ["nonce"];
const AUTHENTICATION: [&str; 3] = [
    "signatureProtocol",
    "signatureProtocolParameters",
    "interactions",
];
const SIGNATURE: [&str; 4] = [
    "signatureProtocol",
    "signatureProtocolParameters",
    "interactions",
    "nonce",
];
/// Longest `nonce`, characters.
const NONCE_LIMIT: usize = 30;
/// Longest `initialCallbackUrl`, characters.
const CALLBACK_LIMIT: usize = 1800;

/// Path of a request to the phone.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Transport {
    DeviceLink,
    Notification,
    Linked,
}

/// `certificateLevel` of a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum RequestedLevel {
    Advanced,
    Qualified,
    /// A qualified certificate whose key is in a qualified device.
    Qscd,
}

/// Common part of all requests.
#[derive(Clone, Debug)]
pub(super) struct Envelope {
    pub(super) relying_party: Uuid,
    /// As sent: signed payloads contain exactly these bytes.
    pub(super) relying_party_name: String,
    /// Party on whose behalf a broker asks; empty otherwise.
    pub(super) brokered_name: String,
    pub(super) level: RequestedLevel,
    pub(super) shares_ip_address: bool,
    pub(super) has_capabilities: bool,
    /// Unknown names in `requestProperties`.
    pub(super) ignored_properties: Vec<String>,
}

/// A request for a signature.
#[derive(Clone, Debug)]
pub(super) struct SignatureRequest {
    pub(super) envelope: Envelope,
    pub(super) digest: Vec<u8>,
    /// The digest as sent: signed payloads contain this text.
    pub(super) digest_base64: String,
    pub(super) algorithm: SignatureAlgorithm,
    pub(super) interactions: Interactions,
    pub(super) callback: Option<String>,
    pub(super) linked_session: Option<Uuid>,
}

/// A request for an authentication.
#[derive(Clone, Debug)]
pub(super) struct AuthenticationRequest {
    pub(super) envelope: Envelope,
    /// As sent: the signed payload contains this text.
    pub(super) rp_challenge: String,
    pub(super) algorithm: SignatureAlgorithm,
    pub(super) interactions: Interactions,
    pub(super) callback: Option<String>,
}

/// A request for a choice of certificate.
#[derive(Clone, Debug)]
pub(super) struct ChoiceRequest {
    pub(super) envelope: Envelope,
    pub(super) callback: Option<String>,
}

/// Rule on callback addresses.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallbackRule {
    /// Plain http to loopback hosts as well as https.
    pub(super) http_to_loopback: bool,
}

impl Envelope {
    /// Reads the body of a request for an account's certificate.
    pub(super) fn parse(body: &Value) -> Result<Self, Problem> {
        let mut checker = Checker::default();
        let envelope = checker
            .members(body, "", &COMMON)
            .and_then(|members| envelope(&mut checker, &members));
        checker.finish(envelope)
    }
}

impl SignatureRequest {
    pub(super) fn parse(
        body: &Value,
        transport: Transport,
        rule: CallbackRule,
    ) -> Result<Self, Problem> {
        let mut allowed = [COMMON.as_slice(), &SIGNATURE].concat();
        match transport {
            Transport::DeviceLink => allowed.push("initialCallbackUrl"),
            Transport::Linked => allowed.push("linkedSessionID"),
            Transport::Notification => {}
        }
        let mut checker = Checker::default();
        let request = checker
            .members(body, "", &allowed)
            .and_then(|members| signature(&mut checker, &members, transport, rule));
        checker.finish(request)
    }
}

impl AuthenticationRequest {
    pub(super) fn parse(
        body: &Value,
        transport: Transport,
        rule: CallbackRule,
    ) -> Result<Self, Problem> {
        let mut allowed = [COMMON.as_slice(), &AUTHENTICATION].concat();
        allowed.push(match transport {
            Transport::DeviceLink => "initialCallbackUrl",
            Transport::Notification | Transport::Linked => "vcType",
        });
        let mut checker = Checker::default();
        let request = checker
            .members(body, "", &allowed)
            .and_then(|members| authentication(&mut checker, &members, transport, rule));
        checker.finish(request)
    }
}

impl ChoiceRequest {
    pub(super) fn parse(
        body: &Value,
        transport: Transport,
        rule: CallbackRule,
    ) -> Result<Self, Problem> {
        let mut allowed = [COMMON.as_slice(), &CHOICE].concat();
        if transport == Transport::DeviceLink {
            allowed.push("initialCallbackUrl");
        }
        let mut checker = Checker::default();
        let request = checker.members(body, "", &allowed).and_then(|members| {
            let envelope = envelope(&mut checker, &members);
            check_nonce(&mut checker, &members);
            let callback = callback(&mut checker, &members, rule);
            Some(Self {
                envelope: envelope?,
                callback,
            })
        });
        checker.finish(request)
    }
}

fn authentication(
    checker: &mut Checker,
    members: &Members<'_>,
    transport: Transport,
    rule: CallbackRule,
) -> Option<AuthenticationRequest> {
    const NAME: &str = "signatureProtocolParameters";
    let envelope = envelope(checker, members);
    checker.choice(members, "signatureProtocol", &[(ACSP_V2, ())]);
    if transport != Transport::DeviceLink {
        checker.choice(members, "vcType", &[("numeric4", ())]);
    }
    let callback = callback(checker, members, rule);
    let value = checker.required(members, NAME)?;
    let allowed = [
        "rpChallenge",
        "signatureAlgorithm",
        "signatureAlgorithmParameters",
    ];
    let parameters = checker.members(value, &members.pointer_to(NAME), &allowed)?;
    let rp_challenge = checker.text(&parameters, "rpChallenge");
    let is_challenge = |text: &str| {
        let decoded = STANDARD.decode(text);
        decoded.is_ok_and(|bytes| (32..=64).contains(&bytes.len()))
    };
    if rp_challenge.is_some_and(|text| !is_challenge(text)) {
        checker.refuse(
            &parameters,
            "rpChallenge",
            "must be base64 of 32 to 64 bytes",
        );
    }
    let algorithm = algorithm(checker, &parameters);
    let interactions = checker
        .text(members, "interactions")
        .map(|text| Interactions::parse(text, transport));
    if let Some(Err(detail)) = &interactions {
        checker.refuse(members, "interactions", detail);
    }
    Some(AuthenticationRequest {
        envelope: envelope?,
        rp_challenge: rp_challenge?.into(),
        algorithm: algorithm?,
        interactions: interactions?.ok()?,
        callback,
    })
}

fn signature(
    checker: &mut Checker,
    members: &Members<'_>,
    transport: Transport,
    rule: CallbackRule,
) -> Option<SignatureRequest> {
    let envelope = envelope(checker, members);
    check_nonce(checker, members);
    let protocols = [(RAW_DIGEST_SIGNATURE, ())];
    checker.choice(members, "signatureProtocol", &protocols);
    let parameters = signature_parameters(checker, members);
    let interactions = checker
        .text(members, "interactions")
        .map(|text| Interactions::parse(text, transport));
    if let Some(Err(detail)) = &interactions {
        checker.refuse(members, "interactions", detail);
    }
    let callback = callback(checker, members, rule);
    let linked_session = if transport == Transport::Linked {
        Some(uuid(checker, members, "linkedSessionID")?)
    } else {
        None
    };
    let (algorithm, digest_base64, digest) = parameters?;
    Some(SignatureRequest {
        envelope: envelope?,
        digest,
        digest_base64,
        algorithm,
        interactions: interactions?.ok()?,
        callback,
        linked_session,
    })
}

fn signature_parameters(
    checker: &mut Checker,
    members: &Members<'_>,
) -> Option<(SignatureAlgorithm, String, Vec<u8>)> {
    const NAME: &str = "signatureProtocolParameters";
    let allowed = [
        "digest",
        "signatureAlgorithm",
        "signatureAlgorithmParameters",
    ];
    let value = checker.required(members, NAME)?;
    let parameters = checker.members(value, &members.pointer_to(NAME), &allowed)?;
    let base64 = checker.text(&parameters, "digest");
    let algorithm = algorithm(checker, &parameters);
    let (base64, algorithm) = (base64?, algorithm?);
    let Ok(digest) = STANDARD.decode(base64) else {
        checker.refuse(&parameters, "digest", "must be padded base64");
        return None;
    };
    if digest.len() != algorithm.hash().length() {
        checker.refuse(
            &parameters,
            "digest",
            "has not the length of the hash algorithm",
        );
        return None;
    }
    Some((algorithm, base64.into(), digest))
}

fn algorithm(checker: &mut Checker, members: &Members<'_>) -> Option<SignatureAlgorithm> {
    const NAME: &str = "signatureAlgorithmParameters";
    let scheme = match members.optional("signatureAlgorithm") {
        None => Scheme::Pss,
        Some(_) => checker.choice(members, "signatureAlgorithm", &Scheme::NAMES)?,
    };
    match scheme {
        Scheme::Pkcs1(hash) => {
            if members.optional(NAME).is_some() {
                checker.refuse(members, NAME, "is for rsassa-pss alone");
            }
            Some(SignatureAlgorithm::Pkcs1(hash))
        }
        Scheme::Pss => {
            let value = checker.required(members, NAME)?;
            let pointer = members.pointer_to(NAME);
            let parameters = checker.members(value, &pointer, &["hashAlgorithm"])?;
            let hash = checker.choice(&parameters, "hashAlgorithm", &HashAlgorithm::NAMES)?;
            Some(SignatureAlgorithm::Pss(hash))
        }
    }
}

fn envelope(checker: &mut Checker, members: &Members<'_>) -> Option<Envelope> {
    let relying_party = uuid(checker, members, "relyingPartyUUID");
    let name = checker.text(members, "relyingPartyName");
    let brokered_name = checker.optional_text(members, "brokeredRpName");
    let level = match members.optional("certificateLevel") {
        None => Some(RequestedLevel::Qualified),
        Some(_) => {
            let levels = [
                ("ADVANCED", RequestedLevel::Advanced),
                ("QUALIFIED", RequestedLevel::Qualified),
                ("QSCD", RequestedLevel::Qscd),
            ];
            checker.choice(members, "certificateLevel", &levels)
        }
    };
    let (shares_ip_address, ignored_properties) = request_properties(checker, members);
    let has_capabilities = capabilities(checker, members);
    Some(Envelope {
        relying_party: relying_party?,
        relying_party_name: name?.into(),
        brokered_name: brokered_name.unwrap_or_default().into(),
        level: level?,
        shares_ip_address,
        has_capabilities,
        ignored_properties,
    })
}

fn request_properties(checker: &mut Checker, members: &Members<'_>) -> (bool, Vec<String>) {
    const NAME: &str = "requestProperties";
    const SHARE: &str = "shareMdClientIpAddress";
    let Some(value) = members.optional(NAME) else {
        return (false, vec![]);
    };
    // Unknown properties are ignored and named in the answer, not refused.
    let names: Vec<&str> = value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    let Some(properties) = checker.members(value, &members.pointer_to(NAME), &names) else {
        return (false, vec![]);
    };
    let share = properties.optional(SHARE).map(Value::as_bool);
    if share == Some(None) {
        checker.refuse(&properties, SHARE, "must be true or false");
    }
    let ignored = properties
        .names()
        .filter(|name| *name != SHARE)
        .map(String::from)
        .collect();
    (share.flatten().unwrap_or(false), ignored)
}

fn capabilities(checker: &mut Checker, members: &Members<'_>) -> bool {
    const NAME: &str = "capabilities";
    let Some(value) = members.optional(NAME) else {
        return false;
    };
    let texts = value
        .as_array()
        .filter(|items| items.iter().all(Value::is_string));
    if texts.is_none() {
        checker.refuse(members, NAME, "must be an array of strings");
    }
    texts.is_some_and(|items| !items.is_empty())
}

fn check_nonce(checker: &mut Checker, members: &Members<'_>) {
    let nonce = checker.optional_text(members, "nonce");
    if nonce.is_some_and(|nonce| nonce.chars().count() > NONCE_LIMIT) {
        checker.refuse(members, "nonce", "has more than 30 characters");
    }
}

fn callback(checker: &mut Checker, members: &Members<'_>, rule: CallbackRule) -> Option<String> {
    const NAME: &str = "initialCallbackUrl";
    let callback = checker.optional_text(members, NAME)?;
    if let Err(detail) = rule.check(callback) {
        checker.refuse(members, NAME, detail);
        return None;
    }
    Some(callback.into())
}

fn uuid(checker: &mut Checker, members: &Members<'_>, name: &str) -> Option<Uuid> {
    let text = checker.text(members, name)?;
    // Only the hyphenated form; the crate accepts others too.
    let uuid = Uuid::parse_str(text).ok().filter(|_| text.len() == 36);
    if uuid.is_none() {
        checker.refuse(members, name, "must be a UUID");
    }
    uuid
}

impl CallbackRule {
    /// `^https:\/\/([^|#]+)$`, 1800 characters at most.
    pub(super) fn check(self, callback: &str) -> Result<(), &'static str> {
        let rest = callback
            .strip_prefix("https://")
            .or_else(|| {
                callback
                    .strip_prefix("http://")
                    .filter(|_| self.allows_http(callback))
            })
            .ok_or("must begin with https://")?;
        if rest.is_empty() || rest.contains(['|', '#']) {
            return Err("must be an address without | and #");
        }
        if callback.chars().count() > CALLBACK_LIMIT {
            return Err("has more than 1800 characters");
        }
        Ok(())
    }

    fn allows_http(self, callback: &str) -> bool {
        let loopback = || match url::Url::parse(callback).ok()?.host()? {
            url::Host::Domain(name) => Some(name == "localhost"),
            url::Host::Ipv4(address) => Some(address.is_loopback()),
            url::Host::Ipv6(address) => Some(address.is_loopback()),
        };
        self.http_to_loopback && loopback().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_loopback_and_only_when_allowed() {
        let strict = CallbackRule {
            http_to_loopback: false,
        };
        let lenient = CallbackRule {
            http_to_loopback: true,
        };
        assert!(strict.check("https://rp.example/cb?value=1").is_ok());
        assert!(strict.check("http://127.0.0.1:8080/cb").is_err());
        assert!(lenient.check("http://127.0.0.1:8080/cb").is_ok());
        assert!(lenient.check("http://localhost/cb").is_ok());
        assert!(lenient.check("http://rp.example/cb").is_err());
        for bad in ["https://", "https://a|b", "https://a#b", "ftp://a"] {
            assert!(lenient.check(bad).is_err(), "{bad}");
        }
        assert!(
            strict
                .check(&format!("https://{}", "a".repeat(1793)))
                .is_err()
        );
        assert!(
            strict
                .check(&format!("https://{}", "a".repeat(1792)))
                .is_ok()
        );
    }
}
