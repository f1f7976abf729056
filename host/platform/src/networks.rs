//! Networks from which a key may be used.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

/// Most networks of a key.
pub const MOST: usize = 8;
/// Longest prefix of an IPv6 network: a host may have all of its addresses (RFC 4291, 2.5.4),
/// and clients are distinguished by no more.
const LONGEST_IPV6: u8 = 64;

/// A network, or one IPv4 address.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Network(IpNet);

/// A text that is not a network.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "{0:?} is neither an IPv4 address nor a network, of IPv6 one of at most 64 bits: write for instance 198.51.100.7, 198.51.100.0/24 or 2001:db8:1:2::/64"
)]
pub struct MalformedNetwork(String);

impl FromStr for Network {
    type Err = MalformedNetwork;

    fn from_str(text: &str) -> Result<Self, MalformedNetwork> {
        let network = text.parse::<IpNet>().ok();
        let network = network.or_else(|| Some(text.parse::<IpAddr>().ok()?.into()));
        let is_told_apart = |network: &IpNet| match network {
            IpNet::V4(_) => true,
            IpNet::V6(network) => network.prefix_len() <= LONGEST_IPV6,
        };
        match network.filter(is_told_apart) {
            Some(network) => Ok(Self(network)),
            None => Err(MalformedNetwork(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Network {
    type Error = MalformedNetwork;

    fn try_from(text: String) -> Result<Self, MalformedNetwork> {
        text.parse()
    }
}

impl From<Network> for String {
    fn from(network: Network) -> Self {
        network.to_string()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Networks from which a key may be used; any if there are none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Networks([Option<Network>; MOST]);

impl Networks {
    /// Any network.
    pub const ANY: Self = Self([None; MOST]);

    /// Creates a set of these; those beyond [`MOST`] are ignored.
    #[must_use]
    pub fn of(networks: &[Network]) -> Self {
        let mut named = Self::ANY;
        for (place, network) in named.0.iter_mut().zip(networks) {
            *place = Some(*network);
        }
        named
    }

    /// Returns whether an address is in one of them. An unknown address is admitted only without
    /// networks.
    #[must_use]
    pub fn admit(&self, address: Option<IpAddr>) -> bool {
        let address = address.map(|address| address.to_canonical());
        let mut named = self.0.iter().flatten().peekable();
        named.peek().is_none()
            || address.is_some_and(|address| named.any(|network| network.0.contains(&address)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks(texts: &[&str]) -> Networks {
        let networks: Vec<Network> = texts.iter().map(|text| text.parse().unwrap()).collect();
        Networks::of(&networks)
    }

    #[test]
    fn an_address_is_admitted_by_a_network_that_it_lies_in() {
        let some = networks(&["198.51.100.0/24", "203.0.113.7", "2001:db8:1:2::/64"]);
        let admits = |address: &str| some.admit(Some(address.parse().unwrap()));
        for inside in [
            "198.51.100.255",
            "203.0.113.7",
            "2001:db8:1:2::",
            "::ffff:198.51.100.1",
        ] {
            assert!(admits(inside), "{inside}");
        }
        for outside in ["198.51.101.0", "203.0.113.8", "2001:db8:1:3::", "::1"] {
            assert!(!admits(outside), "{outside}");
        }
        assert!(!some.admit(None));
    }

    #[test]
    fn without_networks_everybody_is_admitted() {
        assert!(Networks::ANY.admit(None));
        assert!(networks(&[]).admit(Some(IpAddr::from([192, 0, 2, 1]))));
    }

    #[test]
    fn what_is_no_network_or_one_whose_clients_are_not_told_apart_is_refused() {
        for text in [
            "",
            "host.example",
            "192.0.2.1/33",
            "192.0.2.1/",
            "2001:db8::7",
            "2001:db8::/65",
            "::ffff:192.0.2.1",
        ] {
            assert!(text.parse::<Network>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_network_is_stored_as_it_is_written() {
        let network: Network = "198.51.100.0/24".parse().unwrap();
        let stored = serde_json::to_string(&network).unwrap();

        assert_eq!(stored, "\"198.51.100.0/24\"");
        assert_eq!(serde_json::from_str::<Network>(&stored).unwrap(), network);
    }
}
