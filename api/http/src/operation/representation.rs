//! Answers in one of several media types.

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use serde::Serialize;
use serde_json::Value;

use crate::disposition::{Disposition, file_headers};

/// A media type that an operation answers beside JSON.
#[derive(Clone, Copy, Debug)]
pub struct AnswerForm {
    /// Such as `application/jose+json`.
    pub media_type: &'static str,
    /// Schema of the content.
    pub schema: fn() -> Value,
}

impl PartialEq for AnswerForm {
    fn eq(&self, other: &Self) -> bool {
        self.media_type == other.media_type
    }
}

impl Eq for AnswerForm {}

/// An answer in the requested form.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Representation {
    /// JSON of the operation's view, or one of its other media types.
    pub media_type: Cow<'static, str>,
    /// The bytes.
    pub content: Bytes,
    /// File name; `None` if it is not a file.
    pub file_name: Option<String>,
}

impl Representation {
    /// JSON of a view.
    #[must_use]
    pub fn of(view: &impl Serialize) -> Self {
        let content = serde_json::to_vec(view)
            .expect("a view of strings, numbers and lists always serialises");
        Self {
            media_type: Cow::Borrowed("application/json"),
            content: Bytes::from(content),
            file_name: None,
        }
    }

    pub(super) fn into_response(self) -> Response {
        let media_type = HeaderValue::try_from(&*self.media_type)
            .expect("media types are visible ASCII characters");
        let mut response = ([(CONTENT_TYPE, media_type)], self.content).into_response();
        if let Some(name) = self.file_name {
            let headers = file_headers(Disposition::Attachment, &name);
            response.headers_mut().extend(headers);
        }
        response
    }
}
