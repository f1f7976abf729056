use jiff::SignedDuration;

/// Settings of authentications.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Issuer of assertions: the service's public address.
    pub issuer: String,
    /// Lifetime of a request.
    pub request_lifetime: SignedDuration,
    /// Lifetime of a client's token.
    pub client_token_lifetime: SignedDuration,
    /// Lifetime of an operation's token.
    pub operation_token_lifetime: SignedDuration,
    /// Lifetime of an assertion.
    pub assertion_lifetime: SignedDuration,
    /// The `acr` of assertions, if they have one.
    pub acr: Option<String>,
}

impl Settings {
    /// Creates settings with the usual times: five minutes for a request, its
    /// client and an assertion, two for an operation.
    #[must_use]
    pub fn new(issuer: String) -> Self {
        Self {
            issuer,
            request_lifetime: SignedDuration::from_mins(5),
            client_token_lifetime: SignedDuration::from_mins(5),
            operation_token_lifetime: SignedDuration::from_mins(2),
            assertion_lifetime: SignedDuration::from_mins(5),
            acr: None,
        }
    }
}
