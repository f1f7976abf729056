use http::StatusCode;

/// A kind of refusal: a problem type of RFC 9457, 4. The constants are those of several APIs; each
/// API declares its further ones.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct ProblemType {
    /// The status of its answers.
    pub status: StatusCode,
    /// The last segment of the type.
    pub name: &'static str,
    /// A few words, the same in every occurrence.
    pub title: &'static str,
    /// One sentence on what happened.
    pub meaning: &'static str,
    /// Remedy for the caller.
    pub remedy: &'static str,
}

impl ProblemType {
    /// The path of the type, and of its page.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/problems/{}", self.name)
    }
}

/// Declares constants that are problem types.
#[macro_export]
macro_rules! problem_types {
    ($($constant:ident: $status:ident, $name:literal, $title:literal, $meaning:literal, $remedy:literal;)*) => {
        $(
            #[doc = $meaning]
            pub const $constant: $crate::ProblemType = $crate::ProblemType {
                status: http::StatusCode::$status,
                name: $name,
                title: $title,
                meaning: $meaning,
                remedy: $remedy,
            };
        )*
    };
}

impl ProblemType {
    problem_types! {
        VALIDATION_FAILED: BAD_REQUEST, "validation-failed", "The request is not valid",
            "Members of the body or parameters of the query are missing, unknown or malformed.",
            "Correct what errors lists: each entry points at one fault and says what is wrong there.";
        UNAUTHORIZED: UNAUTHORIZED, "unauthorized", "Credentials are missing or not valid",
            "The request has no API key that is valid for this API.",
            "Send Authorization: Bearer with a current key of this API; ask for a new one if it was revoked.";
        PAYMENT_REQUIRED: PAYMENT_REQUIRED, "payment-required", "Payment is required",
            "The workspace of the key, or the entity that is billed for it, has no payment method, has an overdue invoice or has reached its usage ceiling; nothing was created, asked for or charged.",
            "Read the detail for the cause. A ceiling clears once an earlier payment has settled; otherwise have a person open recoveryUrl, if there is one, and settle the payment. Then repeat the request.";
        FORBIDDEN: FORBIDDEN, "forbidden", "The caller may not do this",
            "The workspace user behind the key may only read.",
            "Use the key of a user whose role is member or owner. A page may call only from an admitted origin.";
        SANDBOX_ONLY: FORBIDDEN, "sandbox-only", "Only for sandbox keys",
            "Only a sandbox key can simulate outcomes.",
            "Repeat the request with a test key, on a record that was created with one.";
        NOT_FOUND: NOT_FOUND, "not-found", "Not found",
            "The path is unknown, or there is no such record for this key.",
            "Check the path and the id, and use a key of the workspace and mode that created the record.";
        METHOD_NOT_ALLOWED: METHOD_NOT_ALLOWED, "method-not-allowed", "The method is not allowed here",
            "The path exists, but not with this method.",
            "Use one of the methods that the Allow header lists.";
        REQUEST_TIMEOUT: REQUEST_TIMEOUT, "request-timeout", "The body arrived too slowly",
            "The request body stopped arriving, or arrived more slowly than the service accepts.",
            "Repeat the request over a better connection.";
        PAYLOAD_TOO_LARGE: PAYLOAD_TOO_LARGE, "payload-too-large", "The body is too large",
            "The request body is larger than this call accepts.",
            "Send less at once; where the API stores files, store the file first and refer to it by its id.";
        URI_TOO_LONG: URI_TOO_LONG, "uri-too-long", "The address is too long",
            "The request URL is longer than the service accepts.",
            "Move long values to the body, where the call takes one.";
        HEADERS_TOO_LARGE: REQUEST_HEADER_FIELDS_TOO_LARGE, "headers-too-large", "The headers are too large",
            "The request's headers are larger, or more numerous, than the service accepts.",
            "Send fewer and shorter headers.";
        UNSUPPORTED_MEDIA_TYPE: UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", "The media type is not supported",
            "The Content-Type of the request body is not plain JSON.",
            "Send the body as application/json, without a content encoding.";
        IDEMPOTENCY_IN_PROGRESS: CONFLICT, "idempotency-in-progress", "The same request is still running",
            "An earlier request with the same Idempotency-Key has not been answered yet.",
            "Repeat the request a little later; you will get the answer to the first one.";
        IDEMPOTENCY_KEY_REUSED: UNPROCESSABLE_ENTITY, "idempotency-key-reused", "The Idempotency-Key was used before",
            "The same Idempotency-Key was sent with a different request within the last day.",
            "Use a new key for a new request.";
        RATE_LIMITED: TOO_MANY_REQUESTS, "rate-limited", "Too many requests",
            "A rate limit of the key, the workspace or the person has been reached.",
            "Wait for the time in the Retry-After header.";
        UNAVAILABLE: SERVICE_UNAVAILABLE, "unavailable", "The service cannot do this now",
            "Something that the request needs is unavailable; nothing was changed, unless the detail says that this is not known.",
            "Try again after the time in the Retry-After header.";
    }
}

/// Declares the enumeration of all problems that an API answers. Common ones are given by the
/// constants of [`ProblemType`], those of another crate by their paths in parentheses, and the
/// API's own in full.
#[macro_export]
macro_rules! problem_kinds {
    ($(#[$doc:meta])* $vis:vis enum $Kind:ident {$(
        $variant:ident = $($common:ident)? $(($elsewhere:path))?
            $([$status:ident, $name:literal, $title:literal, $meaning:literal, $remedy:literal])?;
    )*}) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        $vis enum $Kind {
            $(
                $(#[doc = concat!("[`ProblemType::", stringify!($common), "`](parafa_api_http::ProblemType)")])?
                $(#[doc = concat!("`", stringify!($elsewhere), "`")])?
                $(#[doc = $meaning])?
                $variant,
            )*
        }

        impl $Kind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Problem type of each kind.
            #[must_use]
            pub fn problem_types() -> Vec<$crate::ProblemType> {
                Self::ALL.iter().map(|kind| kind.problem_type()).collect()
            }

            /// The kind with this last segment of the type.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name)
            }

            /// Problem type, the same wherever it occurs.
            #[must_use]
            pub const fn problem_type(self) -> $crate::ProblemType {
                match self {
                    $(Self::$variant =>
                        $($crate::ProblemType::$common)?
                        $($elsewhere)?
                        $($crate::ProblemType {
                            status: http::StatusCode::$status,
                            name: $name,
                            title: $title,
                            meaning: $meaning,
                            remedy: $remedy,
                        })?,
                    )*
                }
            }

            /// The last segment of the type.
            #[must_use]
            pub const fn name(self) -> &'static str {
                self.problem_type().name
            }

            /// The status of its answers.
            #[must_use]
            pub const fn status(self) -> http::StatusCode {
                self.problem_type().status
            }

            /// A few words, the same in every occurrence.
            #[must_use]
            pub const fn title(self) -> &'static str {
                self.problem_type().title
            }

            /// The path of the type, and of its page.
            #[must_use]
            pub fn path(self) -> String {
                self.problem_type().path()
            }
        }

        impl From<$Kind> for $crate::ProblemType {
            fn from(kind: $Kind) -> Self {
                kind.problem_type()
            }
        }

        impl PartialEq<$Kind> for $crate::ProblemType {
            fn eq(&self, other: &$Kind) -> bool {
                *self == other.problem_type()
            }
        }
    };
}
