//! Reading request bodies strictly.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use openssl::hash::MessageDigest;
use serde_json::{Map, Value};

use super::{
    cast::{ROLES, Role},
    refusal::Refusal,
    text,
};

const OF_USER: [&str; 4] = [
    "relyingPartyName",
    "relyingPartyUUID",
    "phoneNumber",
    "nationalIdentityNumber",
];
const OF_SIGNATURE: [&str; 5] = [
    "hash",
    "hashType",
    "language",
    "displayText",
    "displayTextFormat",
];
const LANGUAGES: [&str; 4] = ["EST", "ENG", "RUS", "LIT"];

/// The relying party, and the person it asks about.
pub(super) struct UserRequest {
    pub(super) relying_party_name: String,
    pub(super) relying_party_uuid: String,
    phone_number: String,
    national_identity_number: String,
}

/// Content for a person's phone to sign.
pub(super) struct SignatureRequest {
    pub(super) user: UserRequest,
    pub(super) hash: MessageDigest,
    pub(super) hash_type: &'static str,
    pub(super) digest: Vec<u8>,
    /// `displayText`.
    pub(super) text: Option<String>,
}

impl UserRequest {
    /// The body of `POST /certificate`.
    pub(super) fn parse(body: &Value) -> Result<Self, Refusal> {
        Self::of(members(body, &OF_USER)?)
    }

    fn of(members: &Map<String, Value>) -> Result<Self, Refusal> {
        let request = Self {
            relying_party_name: required(members, "relyingPartyName")?.to_owned(),
            relying_party_uuid: required(members, "relyingPartyUUID")?.to_owned(),
            phone_number: required(members, "phoneNumber")?.to_owned(),
            national_identity_number: required(members, "nationalIdentityNumber")?.to_owned(),
        };
        let digits = request.phone_number.strip_prefix('+').unwrap_or_default();
        if !(8..=30).contains(&digits.len()) || !is_digits(digits) {
            return Err(Refusal::bad_request(
                "phoneNumber must contain of + and numbers(8-30)",
            ));
        }
        let number = &request.national_identity_number;
        if number.len() != 11 || !is_digits(number) {
            return Err(Refusal::bad_request(
                "nationalIdentityNumber must contain of 11 digits",
            ));
        }
        Ok(request)
    }

    /// The person with this number and code.
    pub(super) fn role(&self) -> Option<&'static Role> {
        ROLES.iter().find(|role| {
            role.phone_number == self.phone_number
                && role.personal_code == self.national_identity_number
        })
    }
}

impl SignatureRequest {
    /// The body of `POST /signature`.
    pub(super) fn parse(body: &Value) -> Result<Self, Refusal> {
        let allowed: Vec<&str> = OF_USER.into_iter().chain(OF_SIGNATURE).collect();
        let members = members(body, &allowed)?;
        let user = UserRequest::of(members)?;
        let hash = required(members, "hash")?;
        let (hash_type, digest_of) = match required(members, "hashType")? {
            "SHA256" => ("SHA256", MessageDigest::sha256()),
            "SHA384" => ("SHA384", MessageDigest::sha384()),
            "SHA512" => ("SHA512", MessageDigest::sha512()),
            _ => {
                return Err(Refusal::bad_request(
                    "hashType must be SHA256, SHA384 or SHA512",
                ));
            }
        };
        let digest = STANDARD
            .decode(hash)
            .map_err(|_| Refusal::bad_request("Hash must be Base64 encoded"))?;
        if digest.len() != digest_of.size() {
            return Err(Refusal::bad_request(
                "The length of the hash must match the type of hash",
            ));
        }
        if !LANGUAGES.contains(&required(members, "language")?) {
            return Err(Refusal::bad_request(
                "language must be EST, ENG, RUS or LIT",
            ));
        }
        let format = optional(members, "displayTextFormat")?.unwrap_or("GSM-7");
        let text = optional(members, "displayText")?;
        text::check(text.unwrap_or_default(), format)?;
        Ok(Self {
            user,
            hash: digest_of,
            hash_type,
            digest,
            text: text.map(str::to_owned),
        })
    }
}

fn members<'v>(body: &'v Value, allowed: &[&str]) -> Result<&'v Map<String, Value>, Refusal> {
    let members = body
        .as_object()
        .ok_or_else(|| Refusal::bad_request("The body must be a JSON object"))?;
    match members
        .keys()
        .find(|name| !allowed.contains(&name.as_str()))
    {
        Some(name) => Err(Refusal::bad_request(format!("Unknown parameter {name}"))),
        None => Ok(members),
    }
}

fn required<'v>(members: &'v Map<String, Value>, name: &str) -> Result<&'v str, Refusal> {
    optional(members, name)?
        .filter(|text| !text.is_empty())
        .ok_or_else(|| Refusal::bad_request(format!("Required parameter {name} is missing")))
}

fn optional<'v>(members: &'v Map<String, Value>, name: &str) -> Result<Option<&'v str>, Refusal> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Refusal::bad_request(format!("{name} must be a string"))),
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}
