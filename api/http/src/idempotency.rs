//! Requests that may be repeated without creating twice.

use std::fmt;

use http::{Method, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// For how long an answer is kept, in hours.
pub const IDEMPOTENCY_HOURS: i64 = 24;

/// A request that carries an `Idempotency-Key`. Key, method and path together
/// with [`Principal::key_id`](crate::Principal::key_id) are what it is known
/// by; the digest tells whether it is the same request again.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct IdempotentRequest {
    /// What the caller chose.
    pub key: IdempotencyKey,
    /// The method; every operation that creates is a `POST`.
    pub method: Method,
    /// The path as requested, without a query.
    pub path: String,
    /// SHA-256 of the body. Bodies hold personal data that can be guessed, so
    /// that it is not to be stored as it is.
    pub body_sha256: [u8; 32],
}

impl IdempotentRequest {
    /// What a caller's request is known by, as one text. The idempotency key comes
    /// last: the others hold no line breaks.
    #[must_use]
    pub fn scope(&self, caller: Uuid) -> String {
        let Self {
            key, method, path, ..
        } = self;
        format!("{caller}\n{method}\n{path}\n{key}")
    }
}

/// The value of an `Idempotency-Key` header: 1 to 255 visible ASCII
/// characters, taken literally.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Longest key, in characters.
    pub const LONGEST: usize = 255;

    /// That of a header's value, if it is one.
    #[must_use]
    pub fn parse(value: &[u8]) -> Option<Self> {
        let sound =
            (1..=Self::LONGEST).contains(&value.len()) && value.iter().all(u8::is_ascii_graphic);
        let text = std::str::from_utf8(value).ok().filter(|_| sound)?;
        Some(Self(text.to_owned()))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What became of an [`IdempotentRequest`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Reservation<C> {
    /// It is the first of its key. The claim goes along with the creation,
    /// which stores the answer in the commit that creates.
    Claimed(C),
    /// It was answered before, and gets the same answer.
    Answered(KeptAnswer),
    /// The first of its key is still running; it may come again after so many
    /// seconds.
    InProgress {
        /// At least 1.
        retry_after_seconds: u32,
    },
    /// The key came with another body before.
    Reused,
}

impl<C> Reservation<C> {
    /// The same with what is made of the claim.
    pub fn map<D>(self, make: impl FnOnce(C) -> D) -> Reservation<D> {
        match self {
            Self::Claimed(claim) => Reservation::Claimed(make(claim)),
            Self::Answered(answer) => Reservation::Answered(answer),
            Self::InProgress {
                retry_after_seconds,
            } => Reservation::InProgress {
                retry_after_seconds,
            },
            Self::Reused => Reservation::Reused,
        }
    }
}

/// The answer to a request that created something, as it went out: kept, it
/// answers a repetition with the very same bytes.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct KeptAnswer {
    id: Option<Uuid>,
    body: String,
}

impl KeptAnswer {
    /// The answer that tells of `created`.
    #[must_use]
    pub fn of(created: &impl Created) -> Self {
        Self {
            id: created.address(),
            body: serde_json::to_string(created)
                .expect("a view of strings, numbers and lists always serialises"),
        }
    }

    /// The last segment of the address of what was created.
    pub(crate) fn id(&self) -> Option<Uuid> {
        self.id
    }

    pub(crate) fn into_body(self) -> String {
        self.body
    }
}

/// A view of something that a `POST` creates.
pub trait Created: JsonSchema + Serialize {
    /// 201, or 202 for what is only begun.
    const STATUS: StatusCode = StatusCode::CREATED;

    /// The ids that it holds: the name of a path's parameter, and the runtime
    /// expression (OpenAPI 3.1.1, 4.8.20.4) that finds its value.
    const IDS: &'static [(&'static str, &'static str)] = &[];

    /// The last segment of its address below the path that it was posted to;
    /// none when it has no address of its own.
    fn address(&self) -> Option<Uuid> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_visible_ascii_of_limited_length() {
        for text in [
            "a",
            "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"",
            &"k".repeat(255),
        ] {
            assert_eq!(
                IdempotencyKey::parse(text.as_bytes()).map(|key| key.to_string()),
                Some(text.to_owned())
            );
        }
        for text in ["", "two words", "ž", "a\u{7f}", &"k".repeat(256)] {
            assert_eq!(IdempotencyKey::parse(text.as_bytes()), None, "{text:?}");
        }
    }
}
