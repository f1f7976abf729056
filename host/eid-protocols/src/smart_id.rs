//! Smart-ID, RP API v3, as <https://sk-eid.github.io/smart-id-documentation/rp-api/>
//! publishes it.

pub mod algorithm;
pub mod end_result;
pub mod interaction;

mod acsp_v2;
mod auth_code;
mod callback;
mod flow_type;
mod identifier;

pub use self::acsp_v2::AcspV2Payload;
pub use self::auth_code::{AuthCodePayload, SessionTask};
pub use self::callback::{session_secret_digest, user_challenge};
pub use self::flow_type::FlowType;
pub use self::identifier::is_semantics_identifier;

/// `signatureProtocol` of authentications.
pub const ACSP_V2: &str = "ACSP_V2";
/// `signatureProtocol` of signatures on documents.
pub const RAW_DIGEST_SIGNATURE: &str = "RAW_DIGEST_SIGNATURE";

/// The values of the examples that the documents publish.
#[cfg(test)]
mod published {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::SessionTask;

    pub(super) const SCHEME: &str = "smart-id";
    pub(super) const RELYING_PARTY: &str = "DEMO";
    pub(super) const BROKERED: &str = "Example RP";
    pub(super) const SESSION_SECRET: &str = "B98ODiVCebRedSwdTk51zFSaGYyHtY1H2A0ocAi3/Ps=";
    pub(super) const RP_CHALLENGE: &str =
        "GYS+yoah6emAcVDNIajwSs6UB/M95XrDxMzXBUkwQJ9YFDipXXzGpPc7raWcuc2+TEoRc7WvIZ/7dU/iRXenYg==";
    pub(super) const DIGEST: &str =
        "FNZFFya5wGLv9b27fZngaWrOBqle4tGwxZuDFRBdPl1RQvxJsfoqvTbjafd+8BcehMOQGvak6zlP+F8tga4bfQ==";
    pub(super) const INTERACTIONS: &str = "W3sidHlwZSI6ImNvbmZpcm1hdGlvbk1lc3NhZ2UiLCJkaXNwbGF5VGV4dDIwMCI6IkxvbmdlciBkZXNjcmlwdGlvbiBvZiB0aGUgdHJhbnNhY3Rpb24gY29udGV4dCJ9LHsidHlwZSI6ImRpc3BsYXlUZXh0QW5kUElOIiwiZGlzcGxheVRleHQ2MCI6IlNob3J0IGRlc2NyaXB0aW9uIG9mIHRoZSB0cmFuc2FjdGlvbiBjb250ZXh0In1d";
    pub(super) const CALLBACK: &str =
        "https://rp.example.com/callback-url?value=RrKjjT4aggzu27YBddX1bQ";
    pub(super) const USER_CHALLENGE: &str = "GnsWXXEjTCKR89fj9uo5u5ReBZ9JR7_pezLAI5jMS00";

    pub(super) const AUTHENTICATION: SessionTask<'_> = SessionTask::Authentication {
        rp_challenge: RP_CHALLENGE,
        interactions: INTERACTIONS,
    };
    pub(super) const SIGNATURE: SessionTask<'_> = SessionTask::Signature {
        digest: DIGEST,
        interactions: INTERACTIONS,
    };

    pub(super) fn session_secret() -> Vec<u8> {
        STANDARD.decode(SESSION_SECRET).unwrap()
    }
}
