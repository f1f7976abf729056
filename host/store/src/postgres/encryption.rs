//! Encryption of connections.

use std::borrow::Cow;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// The parameter of a URL.
const SSL_MODE: &str = "sslmode=";

/// Returns a URL that the client understands. The client verifies the certificate and its name
/// whenever it requires encryption.
pub(super) fn understood(url: &str) -> Cow<'_, str> {
    if said(url) != Some("verify-full") {
        return Cow::Borrowed(url);
    }
    let (place, parameters) = url.split_at(url.len() - parameters(url).len());
    let parameters = parameters.replace("sslmode=verify-full", "sslmode=require");
    Cow::Owned(format!("{place}{parameters}"))
}

/// Requires encryption for a host, unless it is this machine or the URL has an `sslmode`. By
/// default the client takes what is offered, and an attacker on the network offers none.
pub(super) fn require(host: &mut Config, url: &str) {
    if said(url).is_none() && !is_local(host) {
        host.ssl_mode(SslMode::Require);
    }
}

/// Returns whether a network attacker could read the password and all rows.
pub(super) fn is_open(host: &Config) -> bool {
    host.get_ssl_mode() != SslMode::Require && !is_local(host)
}

/// Returns the `sslmode` of a URL.
fn said(url: &str) -> Option<&str> {
    let mut parameters = parameters(url).split('&');
    parameters.find_map(|parameter| parameter.strip_prefix(SSL_MODE))
}

/// Returns the part after the question mark. A password may contain one too.
fn parameters(url: &str) -> &str {
    let behind_password = url.split_once('@').map_or(url, |(_, place)| place);
    behind_password.split_once('?').map_or("", |(_, all)| all)
}

/// Returns whether a host is this machine. An explicit address takes precedence.
fn is_local(host: &Config) -> bool {
    if let Some(address) = host.get_hostaddrs().first() {
        return address.is_loopback();
    }
    match host.get_hosts().first() {
        Some(Host::Tcp(name)) => {
            let name = name.trim_matches(['[', ']']);
            let is_loopback = |address: std::net::IpAddr| address.is_loopback();
            name == "localhost" || name.parse().is_ok_and(is_loopback)
        }
        Some(Host::Unix(_)) => true,
        None => false,
    }
}
