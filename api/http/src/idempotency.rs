//! Requests that may be repeated without creating or charging twice.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::{Method, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::operation::Representation;

/// Time for which an answer is kept, in hours.
pub const IDEMPOTENCY_HOURS: i64 = 24;

/// A request with an `Idempotency-Key`. Key, method and path together with
/// [`Principal::key_id`](crate::Principal::key_id) identify it; the digest decides if it is the
/// same request again.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct IdempotentRequest {
    /// Key chosen by the caller.
    pub key: IdempotencyKey,
    /// The method: `POST` for creations, `GET` for charged answers.
    pub method: Method,
    /// The path as requested, without a query.
    pub path: String,
    /// SHA-256 of the body, or of the query of a method without one. The digest must not be stored
    /// as it is: bodies hold personal data that can be guessed.
    pub body_sha256: [u8; 32],
}

impl IdempotentRequest {
    /// Identity of a caller's request, as one text. The idempotency key comes last: the others
    /// contain no line breaks.
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

    /// Parses a header's value, if it is valid.
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

/// Result of claiming an [`IdempotentRequest`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Reservation<C> {
    /// The first request with its key. The claim is passed on to the operation, which stores the
    /// answer in the commit that creates or charges.
    Claimed(C),
    /// An answered request, which gets the same answer again.
    Answered(KeptAnswer),
    /// The first with its key is still running; retry after this many seconds.
    InProgress {
        /// Seconds until a retry; at least 1.
        retry_after_seconds: u32,
    },
    /// The key was used with another body, or another query, before.
    Reused,
}

impl<C> Reservation<C> {
    /// Maps the claim.
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

/// The answer to a request that created something or was charged for, exactly as sent: a repetition
/// gets the same bytes.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct KeptAnswer {
    id: Option<Uuid>,
    body: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    form: Option<KeptForm>,
}

/// Form of a charged answer; its `body` is base64, because it may not be a text.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct KeptForm {
    media_type: String,
    file_name: Option<String>,
}

impl KeptAnswer {
    /// The answer with the view `created`.
    #[must_use]
    pub fn of(created: &impl Created) -> Self {
        Self {
            id: created.address(),
            body: serde_json::to_string(created)
                .expect("a view of strings, numbers and lists always serialises"),
            form: None,
        }
    }

    /// An answer in the requested form.
    #[must_use]
    pub fn of_representation(given: &Representation) -> Self {
        Self {
            id: None,
            body: BASE64.encode(&given.content),
            form: Some(KeptForm {
                media_type: given.media_type.to_string(),
                file_name: given.file_name.clone(),
            }),
        }
    }

    /// Last segment of the URL of the created record.
    pub(crate) fn id(&self) -> Option<Uuid> {
        self.id
    }

    pub(crate) fn into_body(self) -> String {
        self.body
    }

    /// The answer as a representation; `None` for the view of a created record, and for unreadable
    /// content.
    pub(crate) fn into_representation(self) -> Option<Representation> {
        let form = self.form?;
        Some(Representation {
            media_type: form.media_type.into(),
            content: BASE64.decode(self.body).ok()?.into(),
            file_name: form.file_name,
        })
    }
}

impl<C: Created> From<C> for KeptAnswer {
    fn from(created: C) -> Self {
        Self::of(&created)
    }
}

/// A view of something that a `POST` creates.
pub trait Created: JsonSchema + Serialize {
    /// 201, or 202 if the work has only begun.
    const STATUS: StatusCode = StatusCode::CREATED;

    /// Ids in the view: the name of a path parameter, and the runtime expression (OpenAPI 3.1.1,
    /// 4.8.20.4) of its value.
    const IDS: &'static [(&'static str, &'static str)] = &[];

    /// Last segment of its URL below the path that was posted to; `None` if it has no URL of its
    /// own.
    fn address(&self) -> Option<Uuid> {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_in_a_form_is_kept_as_it_was() {
        let given = Representation {
            media_type: "application/vnd.etsi.asic-e+zip".into(),
            content: vec![0, 0xff, b'P'].into(),
            file_name: Some("999000009.asice".to_owned()),
        };
        let kept = serde_json::to_value(KeptAnswer::of_representation(&given)).unwrap();

        let kept: KeptAnswer = serde_json::from_value(kept).unwrap();

        assert_eq!(kept.into_representation(), Some(given));
    }

    #[test]
    fn an_answer_that_an_earlier_program_kept_is_one_of_a_creation() {
        let kept = json!({"id": Uuid::nil(), "body": "{}"});
        let kept: KeptAnswer = serde_json::from_value(kept).unwrap();

        assert_eq!(serde_json::to_value(&kept).unwrap().get("form"), None);
        assert_eq!(
            (kept.id(), kept.into_body()),
            (Some(Uuid::nil()), "{}".to_owned())
        );
    }

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
