use parafa_answers::Postponed;
use parafa_attorney::SigningKeyError;
use parafa_plugin_host::{CallError, PluginDigest};
use parafa_trust::{CertificateError, CertificateRejection};

/// A signature cannot be produced. Callers see only that; the reason is for the operator.
#[derive(Debug, thiserror::Error)]
pub enum SignatureUnavailable {
    /// A format's plugin is missing or disabled.
    #[error("the plugin {0} is not in use")]
    NoPlugin(&'static str),
    /// The attorney's certificate cannot be read.
    #[error("the attorney's certificate cannot be read")]
    UnreadableCertificate(#[source] CertificateError),
    /// The attorney's certificate has no name.
    #[error("the attorney's certificate has no name")]
    NamelessCertificate,
    /// The attorney's certificate may not sign now, or its status is unknown.
    #[error("the attorney's certificate may not sign now")]
    Certificate(#[source] CertificateRejection),
    /// The key did not sign.
    #[error("the attorney's key gives no signature")]
    Key(#[source] SigningKeyError),
    /// No time-stamping authority gave a valid token.
    #[error("there is no time-stamp")]
    NoTimestamp,
    /// The validation data of a long-term level are not available now.
    #[error("the validation data of a long-term level are not available ({0:?})")]
    NoValidationData(Postponed),
    /// The plugin refuses its input or faults.
    #[error("the plugin makes no signature")]
    Plugin(#[source] CallError),
    /// The plugin found nothing to add to a signature that was just made.
    #[error("nothing was added to a signature at {0}, where it was to be raised")]
    NothingAdded(String),
    /// The plugin was disabled during the call.
    #[error("the plugin {0} was disabled meanwhile")]
    Withdrawn(PluginDigest),
    /// No random numbers are available.
    #[error("there are no random numbers")]
    Random,
    /// The time limit was reached, including the wait for others.
    #[error("it takes too long")]
    TooLate,
}

impl SignatureUnavailable {
    /// Remedy for the operator.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Self::NoPlugin(_) | Self::Withdrawn(_) => {
                "read `parafa plugin list`, and install or roll back the plugin"
            }
            Self::UnreadableCertificate(_) | Self::NamelessCertificate => {
                "check attorney.certificates: the attorney's own certificate must be the first"
            }
            Self::Certificate(_) => {
                "check whether the certificate has expired or was revoked, and that trust.toml has its issuer"
            }
            Self::Key(_) => {
                "check that the section [attorney] names the right device, module and PIN"
            }
            Self::NoTimestamp | Self::NoValidationData(_) => {
                "read the log entries just before this one about the authorities"
            }
            Self::Plugin(_) | Self::NothingAdded(_) => {
                "keep the log for the maintainers of the plugin, and roll the plugin back if it is new"
            }
            Self::Random | Self::TooLate => {
                "check whether the machine, the device or an authority is overloaded"
            }
        }
    }
}

impl From<CallError> for SignatureUnavailable {
    fn from(error: CallError) -> Self {
        Self::Plugin(error)
    }
}
