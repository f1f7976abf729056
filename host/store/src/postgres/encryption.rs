//! Which connections have to be encrypted.

use std::borrow::Cow;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// The parameter of a URL.
const SSL_MODE: &str = "sslmode=";

/// A URL as the client understands it, which verifies the certificate and its name whenever it
/// requires encryption.
pub(super) fn understood(url: &str) -> Cow<'_, str> {
    if said(url) != Some("verify-full") {
        return Cow::Borrowed(url);
    }
    let (place, parameters) = url.split_at(url.len() - parameters(url).len());
    let parameters = parameters.replace("sslmode=verify-full", "sslmode=require");
    Cow::Owned(format!("{place}{parameters}"))
}

/// Has the connection to a host be encrypted, unless it stays on this machine or the URL says that
/// it need not be. Left to itself the client takes what it is offered, and whoever is on the way
/// offers nothing.
pub(super) fn require(host: &mut Config, url: &str) {
    if said(url).is_none() && !is_local(host) {
        host.ssl_mode(SslMode::Require);
    }
}

/// Whether the password and all rows may be read by whoever is on the way to a host.
pub(super) fn is_open(host: &Config) -> bool {
    host.get_ssl_mode() != SslMode::Require && !is_local(host)
}

/// What a URL says of it.
fn said(url: &str) -> Option<&str> {
    let mut parameters = parameters(url).split('&');
    parameters.find_map(|parameter| parameter.strip_prefix(SSL_MODE))
}

/// What follows the question mark. A password may have one too.
fn parameters(url: &str) -> &str {
    let behind_password = url.split_once('@').map_or(url, |(_, place)| place);
    behind_password.split_once('?').map_or("", |(_, all)| all)
}

/// Whether a host is this machine. Where an address is given, it is what counts.
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
