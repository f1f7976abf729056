use jiff::SignedDuration;

/// What the operator decides about authentications.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Who assertions are by: the service's public address.
    pub issuer: String,
    /// How long a request has until it ends by itself.
    pub request_lifetime: SignedDuration,
    /// How long a client's token works.
    pub client_token_lifetime: SignedDuration,
    /// How long an operation's token works.
    pub operation_token_lifetime: SignedDuration,
    /// How long an assertion is valid.
    pub assertion_lifetime: SignedDuration,
    /// The `acr` of assertions, if they have one.
    pub acr: Option<String>,
}

impl Settings {
    /// The usual times: five minutes for a request, its client and an assertion,
    /// two for an operation.
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
