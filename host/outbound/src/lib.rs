//! Vetted outbound connections: HTTP to configured, certificate-named or customers' hosts, and mail
//! to the configured server.
//!
//! An [`OutboundClient`] implements the host's [`HttpPort`](parafa_http_port::HttpPort). Its
//! [`AddressPolicy`] says which targets it may reach: those that the operator listed by
//! `host:port`. Depending on [`Reach`], also others if every resolved address is global unicast.
//! The connection is made to a vetted address, and the remote address is checked once more when the
//! answer arrives. Redirects and proxies are never followed. Size and time are limited while the
//! answer streams in. Undecidable targets are refused.

mod address;
mod client;
mod identity;
mod mail;
mod policy;
mod resolver;
mod tls;

pub use crate::address::{AddressFault, check_global_unicast};
pub use crate::client::OutboundClient;
pub use crate::identity::{ClientIdentity, ClientIdentityError};
pub use crate::mail::{
    Letter, MailError, MailFile, MailProtection, MailServer, MailSetupError, Mailer, Picture,
};
pub use crate::policy::{AddressPolicy, HostPort, MalformedHostPort, Reach, TargetFault};
pub use crate::tls::{MalformedSpkiPin, OutboundSetupError, ServerTrust, SpkiPin};
