//! Names of `endResult`: how a session ended.

/// The person did what was asked.
pub const OK: &str = "OK";
/// The person's account can no longer be used.
pub const ACCOUNT_UNUSABLE: &str = "ACCOUNT_UNUSABLE";
/// The person's document can no longer be used.
pub const DOCUMENT_UNUSABLE: &str = "DOCUMENT_UNUSABLE";
/// The app received a transaction other than the linked one.
pub const EXPECTED_LINKED_SESSION: &str = "EXPECTED_LINKED_SESSION";
/// A protocol failure between app and service.
pub const PROTOCOL_FAILURE: &str = "PROTOCOL_FAILURE";
/// The app supports none of the interactions.
pub const REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP: &str =
    "REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP";
/// The service failed.
pub const SERVER_ERROR: &str = "SERVER_ERROR";
/// No answer came in time.
pub const TIMEOUT: &str = "TIMEOUT";
/// The person refused.
pub const USER_REFUSED: &str = "USER_REFUSED";
/// The person refused to choose a certificate.
pub const USER_REFUSED_CERT_CHOICE: &str = "USER_REFUSED_CERT_CHOICE";
/// The person refused at an interaction.
pub const USER_REFUSED_INTERACTION: &str = "USER_REFUSED_INTERACTION";
/// The person chose a wrong verification code.
pub const WRONG_VC: &str = "WRONG_VC";
