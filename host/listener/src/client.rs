//! Client address of a connection or a request.
//!
//! Anybody can write `Forwarded` (RFC 7239) and `X-Forwarded-For`. They count only from proxies
//! that the configuration names. Of the values that these hand on, only those that they wrote
//! themselves count: up to the rightmost address that belongs to no proxy.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use http::header::FORWARDED;
use http::{HeaderMap, HeaderName};
use ipnet::{IpNet, Ipv4Net};

/// Length of the prefix of an IPv4-mapped IPv6 address, in bits (RFC 4291, 2.5.5.2).
const MAPPED_BITS: u8 = 96;
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Trusted proxies. None by default.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Arc<[IpNet]>);

/// Entries that are neither an address nor a network.
#[derive(Debug, thiserror::Error)]
#[error(
    "server.trusted_proxies lists {}, which is neither an address nor a network: write for instance 10.0.0.5 or 10.0.0.0/8",
    .0.join(", ")
)]
pub struct MalformedProxies(Vec<String>);

impl TrustedProxies {
    /// Parses entries such as `10.0.0.5`, `10.0.0.0/8` or `fd00::/8`.
    ///
    /// # Errors
    /// All malformed entries.
    pub fn parse(entries: &[String]) -> Result<Self, MalformedProxies> {
        let (networks, malformed): (Vec<_>, Vec<_>) = entries
            .iter()
            .map(|entry| network(entry).ok_or_else(|| entry.clone()))
            .partition(Result::is_ok);
        if malformed.is_empty() {
            Ok(Self(networks.into_iter().flatten().collect()))
        } else {
            let malformed = malformed.into_iter().filter_map(Result::err).collect();
            Err(MalformedProxies(malformed))
        }
    }

    /// Returns true if `address` belongs to a trusted proxy.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The client for which a trusted proxy forwards a request; `None` if its headers name none.
    ///
    /// A proxy writes one of the two headers. If both are present and disagree, the client made one
    /// of them up. The request is then the proxy's own, and counts together with all others of that
    /// kind.
    pub(crate) fn client(&self, proxy: IpAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let by_standard = lines(headers, &FORWARDED).map(|text| self.forwarded(proxy, &text));
        let by_custom = lines(headers, &X_FORWARDED_FOR)
            .map(|text| self.rightmost(proxy, text.split(',').map(node)));
        match (by_standard, by_custom) {
            (Some(one), Some(other)) if one != other => Some(proxy),
            (one, other) => one.or(other),
        }
    }

    fn forwarded(&self, proxy: IpAddr, text: &str) -> IpAddr {
        let Some(elements) = split_unquoted(text, ',') else {
            return proxy;
        };
        self.rightmost(proxy, elements.into_iter().map(forwarded_for))
    }

    /// The rightmost address that is not a proxy's. A proxy that does not name its client counts as
    /// the client itself.
    fn rightmost(
        &self,
        proxy: IpAddr,
        hops: impl DoubleEndedIterator<Item = Option<IpAddr>>,
    ) -> IpAddr {
        let mut client = proxy;
        for hop in hops.rev() {
            let Some(hop) = hop else { break };
            client = hop;
            if !self.trusts(hop) {
                break;
            }
        }
        client
    }
}

/// The key under which an address is counted. IPv6 addresses count as their /64, because one host
/// may have every address in it (RFC 4291, 2.5.4).
pub(crate) fn counted_as(address: IpAddr) -> IpAddr {
    const HOST_BITS: u32 = 64;

    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let network = address.to_bits() >> HOST_BITS << HOST_BITS;
            Ipv6Addr::from_bits(network).into()
        }
    }
}

fn network(entry: &str) -> Option<IpNet> {
    let entry = entry.trim();
    let network: IpNet = entry
        .parse()
        .ok()
        .or_else(|| Some(entry.parse::<IpAddr>().ok()?.into()))?;
    // Addresses are compared in the form of their own protocol.
    let length = network.prefix_len().checked_sub(MAPPED_BITS);
    match (network.addr().to_canonical(), length) {
        (IpAddr::V4(address), Some(length)) => Some(Ipv4Net::new(address, length).ok()?.into()),
        _ => Some(network),
    }
}

/// Lines of a header as one (RFC 9110, 5.3); `None` without any. Lines that are not ASCII become
/// `?`.
fn lines(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let lines = headers.get_all(name).iter();
    let lines: Vec<&str> = lines.map(|line| line.to_str().unwrap_or("?")).collect();
    (!lines.is_empty()).then(|| lines.join(","))
}

/// The address in an element of `Forwarded` (RFC 7239, 4).
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let pairs = split_unquoted(element, ';')?;
    let mut names = pairs.iter().filter_map(|pair| pair.split_once('='));
    let (_, value) = names.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    node(value)
}

/// An address, alone or with a port, possibly quoted. `None` for an obfuscated name or anything
/// else.
fn node(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .unwrap_or(text);
    let address = bare.parse::<IpAddr>().ok();
    let address = address.or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()))?;
    Some(address.to_canonical())
}

/// Splits at separators outside quotes; `None` if a quote is not closed.
fn split_unquoted(text: &str, separator: char) -> Option<Vec<&str>> {
    let (mut quoted, mut escaped) = (false, false);
    let parts = text
        .split(|character: char| {
            if escaped {
                escaped = false;
            } else if quoted && character == '\\' {
                escaped = true;
            } else if character == '"' {
                quoted = !quoted;
            } else {
                return character == separator && !quoted;
            }
            false
        })
        .collect();
    (!quoted).then_some(parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PROXY: &str = "10.0.0.1";

    fn proxies(entries: &[&str]) -> TrustedProxies {
        let entries: Vec<String> = entries.iter().map(ToString::to_string).collect();
        TrustedProxies::parse(&entries).unwrap()
    }

    fn client(fields: &[(&'static str, &str)]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, value.parse().unwrap());
        }
        let proxies = proxies(&["10.0.0.0/8", "fd00::1"]);
        let client = proxies.client(PROXY.parse().unwrap(), &headers);
        client.map(|client| client.to_string())
    }

    #[test]
    fn a_host_with_many_addresses_of_its_network_counts_once() {
        let counted = |address: &str| counted_as(address.parse().unwrap()).to_string();
        assert_eq!(counted("2001:db8::1"), counted("2001:db8::ffff:1:2:3"));
        assert_ne!(counted("2001:db8::1"), counted("2001:db8:0:1::1"));
        assert_eq!(counted("::ffff:192.0.2.1"), "192.0.2.1");
        assert_ne!(counted("192.0.2.1"), counted("192.0.2.2"));
    }

    #[test]
    fn an_address_and_a_network_are_entries_and_nothing_else_is() {
        let proxies = proxies(&[
            "10.0.0.5",
            " 192.168.0.0/16",
            "fd00::/8",
            "::1",
            "::ffff:172.16.0.0/108",
        ]);
        for trusted in [
            "172.17.0.1",
            "10.0.0.5",
            "192.168.7.7",
            "fd12::1",
            "::1",
            "::ffff:10.0.0.5",
        ] {
            assert!(proxies.trusts(trusted.parse().unwrap()), "{trusted}");
        }
        for stranger in ["10.0.0.6", "192.169.0.1", "fe80::1"] {
            assert!(!proxies.trusts(stranger.parse().unwrap()), "{stranger}");
        }

        let entries = ["10.0.0.5", "proxy.example", "10.0.0.0/33", ""].map(str::to_owned);
        let why = TrustedProxies::parse(&entries).unwrap_err().to_string();
        assert!(why.contains("server.trusted_proxies lists proxy.example, 10.0.0.0/33, ,"));
    }

    #[test]
    fn the_client_is_the_rightmost_address_that_is_no_proxys() {
        for (line, expected) in [
            ("198.51.100.1", "198.51.100.1"),
            ("203.0.113.9, 198.51.100.1", "198.51.100.1"),
            ("203.0.113.9, 198.51.100.1, 10.0.0.7", "198.51.100.1"),
            ("10.0.0.8, 10.0.0.7", "10.0.0.8"),
            ("198.51.100.1:4711", "198.51.100.1"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("::ffff:198.51.100.1", "198.51.100.1"),
            ("203.0.113.9, nonsense", PROXY),
            ("203.0.113.9, nonsense, 10.0.0.7", "10.0.0.7"),
            ("", PROXY),
        ] {
            let found = client(&[("x-forwarded-for", line)]);
            assert_eq!(found.as_deref(), Some(expected), "{line}");
        }
        let lines = [
            ("x-forwarded-for", "203.0.113.9"),
            ("x-forwarded-for", "198.51.100.1"),
        ];
        assert_eq!(client(&lines).as_deref(), Some("198.51.100.1"));
        assert_eq!(client(&[]), None);
    }

    #[test]
    fn the_standard_header_says_the_same() {
        for (line, expected) in [
            ("for=198.51.100.1", "198.51.100.1"),
            (
                "For=203.0.113.9, FOR=198.51.100.1;proto=https",
                "198.51.100.1",
            ),
            (
                "proto=http; for=\"198.51.100.1:80\", for=10.0.0.7",
                "198.51.100.1",
            ),
            ("for=\"[2001:db8::1]:4711\"", "2001:db8::1"),
            ("for=\"[2001:db8::1]\"", "2001:db8::1"),
            ("for=198.51.100.1;host=\"a,b\"", "198.51.100.1"),
            ("for=203.0.113.9, for=_hidden", PROXY),
            ("for=203.0.113.9, for=unknown, for=10.0.0.7", "10.0.0.7"),
            ("for=203.0.113.9;host=\"a, for=198.51.100.1", PROXY),
            ("host=a", PROXY),
        ] {
            let found = client(&[("forwarded", line)]);
            assert_eq!(found.as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn two_headers_that_contradict_each_other_name_nobody() {
        let agree = [
            ("forwarded", "for=198.51.100.1"),
            ("x-forwarded-for", "203.0.113.9, 198.51.100.1"),
        ];
        assert_eq!(client(&agree).as_deref(), Some("198.51.100.1"));
        let contradict = [
            ("forwarded", "for=203.0.113.9"),
            ("x-forwarded-for", "198.51.100.1"),
        ];
        assert_eq!(client(&contradict).as_deref(), Some(PROXY));
    }

    proptest! {
        #[test]
        fn what_a_client_sends_before_makes_no_difference(before in "[ -~]{0,60}") {
            let line = format!("{before}, 198.51.100.1");
            let found = client(&[("x-forwarded-for", &line)]);
            prop_assert_eq!(found.as_deref(), Some("198.51.100.1"));

            let line = format!("{before}, for=198.51.100.1");
            let found = client(&[("forwarded", &line)]).unwrap();
            prop_assert!(found == "198.51.100.1" || found == PROXY, "{}", found);
        }
    }
}
