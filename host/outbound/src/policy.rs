//! Targets that may be reached.

use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

use url::{Host, Url};

use crate::address::{AddressFault, check_global_unicast};

/// Name suffixes that never belong to the public DNS (RFC 6761, RFC 6762,
/// RFC 8375, and ICANN's reservation of `internal`).
const LOCAL_SUFFIXES: [&str; 4] = ["localhost", "local", "internal", "home.arpa"];

/// A target by name or address, and port.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct HostPort {
    host: Host,
    port: u16,
}

/// Text that is not `host:port`.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0:?} is not of the form host:port")]
pub struct MalformedHostPort(String);

impl HostPort {
    /// The target of an address, when it names one.
    #[must_use]
    pub fn of(url: &Url) -> Option<Self> {
        Some(Self {
            host: without_trailing_dot(url.host()?.to_owned()),
            port: url.port_or_known_default()?,
        })
    }
}

impl FromStr for HostPort {
    type Err = MalformedHostPort;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || MalformedHostPort(text.to_owned());
        let (host, port) = text.rsplit_once(':').ok_or_else(malformed)?;
        Ok(Self {
            host: without_trailing_dot(Host::parse(host).map_err(|_| malformed())?),
            port: port.parse::<NonZeroU16>().map_err(|_| malformed())?.get(),
        })
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.host, self.port)
    }
}

/// Targets that a client may reach beside the listed ones.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reach {
    /// No other targets: providers that the operator configured.
    ListedOnly,
    /// Public hosts by https: targets that customers name.
    PublicHttps,
    /// Public hosts by https or http: OCSP responders and issuers named in certificates, whose
    /// answers are signed.
    PublicHttp,
}

/// Reason why a target may not be reached.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum TargetFault {
    /// The URL is not absolute.
    #[error("it is not an absolute address")]
    Malformed,
    /// The scheme is neither http nor https, or http where https is required.
    #[error("the scheme {0} is not allowed")]
    Scheme(String),
    /// The URL contains a user name or password.
    #[error("it carries credentials")]
    Credentials,
    /// Only listed targets may be reached; this one is not listed.
    #[error("it is not among the listed targets")]
    NotListed,
    /// The name belongs to no public host.
    #[error("the name is not one of a public host")]
    LocalName,
    /// The address is not global unicast.
    #[error(transparent)]
    Address(#[from] AddressFault),
}

/// A target that may be reached, and on which grounds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Grounds {
    /// The operator listed it; its addresses are not judged.
    Listed,
    /// The target looks public; its resolved addresses are checked on connecting.
    Public,
}

/// The rules for a client's targets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AddressPolicy {
    listed: Vec<HostPort>,
    reach: Reach,
}

impl AddressPolicy {
    /// `listed` targets may be private and plain http; `reach` allows further ones.
    #[must_use]
    pub fn new(listed: Vec<HostPort>, reach: Reach) -> Self {
        Self { listed, reach }
    }

    /// Checks a URL by its text alone: its name may still resolve to a forbidden address.
    ///
    /// # Errors
    /// [`TargetFault`], the first rule that forbids it.
    pub fn check(&self, url: &str) -> Result<(), TargetFault> {
        let url = Url::parse(url).map_err(|_| TargetFault::Malformed)?;
        self.grounds(&url).map(drop)
    }

    pub(crate) fn grounds(&self, url: &Url) -> Result<Grounds, TargetFault> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(TargetFault::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetFault::Credentials);
        }
        let target = HostPort::of(url).ok_or(TargetFault::Malformed)?;
        if self.listed.contains(&target) {
            return Ok(Grounds::Listed);
        }
        match self.reach {
            Reach::ListedOnly => return Err(TargetFault::NotListed),
            Reach::PublicHttps if url.scheme() != "https" => {
                return Err(TargetFault::Scheme(url.scheme().to_owned()));
            }
            Reach::PublicHttps | Reach::PublicHttp => {}
        }
        match target.host {
            Host::Domain(name) => check_name(&name)?,
            Host::Ipv4(address) => check_global_unicast(address.into())?,
            Host::Ipv6(address) => check_global_unicast(address.into())?,
        }
        Ok(Grounds::Public)
    }
}

fn check_name(name: &str) -> Result<(), TargetFault> {
    let is_local = LOCAL_SUFFIXES.iter().any(|suffix| {
        name.strip_suffix(suffix)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    // A name of one label would be looked up in the local search domains.
    if is_local || !name.contains('.') {
        return Err(TargetFault::LocalName);
    }
    Ok(())
}

fn without_trailing_dot(host: Host) -> Host {
    match host {
        Host::Domain(name) => Host::Domain(name.trim_end_matches('.').to_owned()),
        literal => literal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webhooks(listed: &[&str]) -> AddressPolicy {
        let listed = listed.iter().map(|text| text.parse().expect(text));
        AddressPolicy::new(listed.collect(), Reach::PublicHttps)
    }

    #[test]
    fn hostile_targets_are_refused() {
        let policy = webhooks(&[]);
        for url in [
            "",
            "hooks.example.com/in",
            "//hooks.example.com/in",
            "http://hooks.example.com/in",
            "ftp://hooks.example.com/in",
            "file:///etc/passwd",
            "gopher://hooks.example.com/",
            "unix:///run/parafa.sock",
            "data:text/plain,hello",
            "javascript:alert(1)",
            "https://",
            "https://user@hooks.example.com/",
            "https://user:secret@hooks.example.com/",
            "https://hooks.example.com:443@127.0.0.1/",
            "https://localhost/",
            "https://LOCALHOST/",
            "https://localhost./",
            "https://localhost../",
            "https://a.localhost/",
            "https://printer.local/",
            "https://db.internal/",
            "https://router.home.arpa/",
            "https://metadata/",
            "https://127.0.0.1/",
            "https://127.1/",
            "https://0177.0.0.1/",
            "https://0x7f.0.0.1/",
            "https://0x7f000001/",
            "https://2130706433/",
            "https://017700000001/",
            "https://127.0.0.1./",
            "https://①②⑦.⓪.⓪.①/",
            "https://１２７.0.0.1/",
            "https://%31%32%37.0.0.1/",
            "https://0/",
            "https://0.0.0.0/",
            "https://10.0.0.5:8443/",
            "https://100.64.1.1/",
            "https://169.254.169.254/latest/meta-data/",
            "https://172.16.0.1/",
            "https://192.168.0.1/",
            "https://192.0.2.10/",
            "https://198.18.0.1/",
            "https://203.0.113.1/",
            "https://224.0.0.1/",
            "https://255.255.255.255/",
            "https://[::]/",
            "https://[::1]/",
            "https://[0:0:0:0:0:0:0:1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:7f00:1]/",
            "https://[::127.0.0.1]/",
            "https://[64:ff9b::127.0.0.1]/",
            "https://[64:ff9b::a9fe:a9fe]/",
            "https://[2002:7f00:1::]/",
            "https://[2001:db8::1]/",
            "https://[fe80::1]/",
            "https://[fc00::1]/",
            "https://[ff02::1]/",
            "https://[fe80::1%25eth0]/",
        ] {
            assert!(policy.check(url).is_err(), "{url}");
        }
    }

    #[test]
    fn public_https_targets_pass() {
        let policy = webhooks(&[]);
        for url in [
            "https://hooks.example.com/in",
            "https://hooks.example.com:8443/in?a=b",
            "https://8.8.8.8/",
            "https://[2606:4700:4700::1111]/",
            "https://ąžuolas.lt/",
        ] {
            assert_eq!(policy.check(url), Ok(()), "{url}");
        }
    }

    #[test]
    fn listed_targets_may_be_private_and_plain() {
        let policy = webhooks(&["127.0.0.1:9000", "hooks.local:80", "[::1]:9001"]);
        for url in [
            "http://127.0.0.1:9000/x",
            "http://127.1:9000/x",
            "http://hooks.local/x",
            "http://HOOKS.local./x",
            "https://[::1]:9001/x",
        ] {
            assert_eq!(policy.check(url), Ok(()), "{url}");
        }
        for url in [
            "http://127.0.0.1:9001/x",
            "https://hooks.local/x",
            "http://127.0.0.1/x",
            "http://user@127.0.0.1:9000/x",
            "ftp://127.0.0.1:9000/x",
        ] {
            assert!(policy.check(url).is_err(), "{url}");
        }
    }

    #[test]
    fn certificate_named_hosts_may_be_plain_and_must_be_public() {
        let policy = AddressPolicy::new(Vec::new(), Reach::PublicHttp);
        assert_eq!(policy.check("http://ocsp.example.com/"), Ok(()));
        assert!(policy.check("http://127.0.0.1/").is_err());
    }

    #[test]
    fn a_listed_only_client_reaches_nothing_else() {
        let listed = vec!["rp-api.example.com:443".parse().expect("a target")];
        let policy = AddressPolicy::new(listed, Reach::ListedOnly);
        assert_eq!(policy.check("https://rp-api.example.com/v3"), Ok(()));
        assert_eq!(
            policy.check("https://other.example.com/v3"),
            Err(TargetFault::NotListed)
        );
    }

    #[test]
    fn a_listed_target_needs_its_port() {
        for text in [
            "hooks.local",
            "hooks.local:",
            "hooks.local:70000",
            "hooks.local:0",
            ":80",
            "::1:80",
        ] {
            assert!(text.parse::<HostPort>().is_err(), "{text}");
        }
    }
}
