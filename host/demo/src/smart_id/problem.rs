use axum::{
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use serde::Serialize;

/// A refusal (RFC 9457).
#[derive(Debug, Serialize)]
pub(super) struct Problem {
    r#type: &'static str,
    #[serde(serialize_with = "status_code")]
    status: StatusCode,
    title: &'static str,
    detail: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldError>,
}

/// A fault of a request.
#[derive(Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FieldError {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<&'static str>,
    pub(super) detail: String,
    /// Name of a parameter of path or query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) param_name: Option<&'static str>,
    /// Place in the body (RFC 6901).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pointer: Option<String>,
}

impl Problem {
    pub(super) fn bad_request(detail: impl Into<String>, errors: Vec<FieldError>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "Bad Request", detail, errors)
    }

    /// A parameter of path or query is wrong.
    pub(super) fn bad_parameter(name: &'static str, detail: &str) -> Self {
        let error = FieldError {
            code: None,
            detail: detail.into(),
            param_name: Some(name),
            pointer: None,
        };
        Self::bad_request("a parameter is not valid", vec![error])
    }

    /// A member of the body is wrong.
    pub(super) fn bad_member(pointer: &str, detail: &str) -> Self {
        let error = FieldError {
            code: None,
            detail: detail.into(),
            param_name: None,
            pointer: Some(pointer.into()),
        };
        Self::bad_request("the request is not valid", vec![error])
    }

    pub(super) fn unauthorized() -> Self {
        let detail = "relying party UUID and name do not belong together";
        Self::new(StatusCode::UNAUTHORIZED, "Unauthorized", detail, vec![])
    }

    pub(super) fn forbidden(detail: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "Forbidden", detail, vec![])
    }

    pub(super) fn not_found(detail: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "Not Found", detail, vec![])
    }

    /// The person has accounts, but none of the requested level.
    pub(super) fn no_suitable_account() -> Self {
        let error = FieldError {
            code: Some("NO_SUITABLE_ACCOUNT_FOUND"),
            detail: "no account of the requested certificate level".into(),
            param_name: None,
            pointer: None,
        };
        let detail = "no suitable account found";
        Self::new(StatusCode::NOT_FOUND, "Not Found", detail, vec![error])
    }

    pub(super) fn unsupported_media_type() -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "Unsupported Media Type",
            "the body must be application/json",
            vec![],
        )
    }

    pub(super) fn server_error() -> Self {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self::new(
            status,
            "Internal Server Error",
            "the demo world is damaged",
            vec![],
        )
    }

    fn new(
        status: StatusCode,
        title: &'static str,
        detail: impl Into<String>,
        errors: Vec<FieldError>,
    ) -> Self {
        Self {
            r#type: "about:blank",
            status,
            title,
            detail: detail.into(),
            errors,
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        tracing::debug!(status = %self.status, errors = ?self.errors, "smart-id request refused");
        let body = serde_json::to_vec(&self).expect("a problem is plain JSON");
        let headers = [(CONTENT_TYPE, "application/problem+json")];
        (self.status, headers, body).into_response()
    }
}

fn status_code<S: serde::Serializer>(status: &StatusCode, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u16(status.as_u16())
}
