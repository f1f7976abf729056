//! Answers in one of several media types.

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::Value;

use crate::disposition::{Disposition, content_disposition};
use crate::router::json;

/// A media type that an operation answers beside JSON.
#[derive(Clone, Copy, Debug)]
pub struct AnswerForm {
    /// Such as `application/jose+json`.
    pub media_type: &'static str,
    /// What it looks like.
    pub schema: fn() -> Value,
}

impl PartialEq for AnswerForm {
    fn eq(&self, other: &Self) -> bool {
        self.media_type == other.media_type
    }
}

impl Eq for AnswerForm {}

/// An answer in the form that was asked for.
#[derive(Debug)]
pub enum Representation<V> {
    /// A view as JSON.
    View(V),
    /// Bytes.
    Bytes {
        /// One of the operation's forms.
        media_type: &'static str,
        /// What they are.
        content: Bytes,
        /// What to call the file; none of what is no file.
        file_name: Option<String>,
    },
}

impl<V: Serialize> Representation<V> {
    pub(super) fn into_response(self) -> Response {
        match self {
            Self::View(view) => json(StatusCode::OK, &view),
            Self::Bytes {
                media_type,
                content,
                file_name,
            } => {
                let media_type = HeaderValue::from_static(media_type);
                let mut response = ([(CONTENT_TYPE, media_type)], content).into_response();
                if let Some(name) = file_name {
                    let disposition = content_disposition(Disposition::Attachment, &name);
                    response
                        .headers_mut()
                        .insert(CONTENT_DISPOSITION, disposition);
                }
                response
            }
        }
    }
}
