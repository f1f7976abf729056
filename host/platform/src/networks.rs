//! From where a key may be used.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Most networks of a key.
pub const MOST: usize = 8;
/// What stands before an IPv4 address in IPv6, in bits (RFC 4291, 2.5.5.2).
const MAPPED_BITS: u8 = 96;

/// A network, or one address.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Network {
    /// An address in it, in the form of its own protocol.
    base: IpAddr,
    /// How many bits all of its addresses begin with.
    length: u8,
}

/// A text that is no network.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "{0:?} is neither an address nor a network: write for instance 198.51.100.7 or 198.51.100.0/24"
)]
pub struct MalformedNetwork(String);

impl Network {
    fn contains(self, address: IpAddr) -> bool {
        let begins = |one: u128, other: u128, bits: u32| {
            let others = bits - u32::from(self.length);
            one.checked_shr(others).unwrap_or_default()
                == other.checked_shr(others).unwrap_or_default()
        };
        match (self.base, address.to_canonical()) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                begins(base.to_bits().into(), address.to_bits().into(), 32)
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                begins(base.to_bits(), address.to_bits(), 128)
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = MalformedNetwork;

    fn from_str(text: &str) -> Result<Self, MalformedNetwork> {
        let malformed = || MalformedNetwork(text.to_owned());
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| malformed())?;
        let longest: u8 = if address.is_ipv4() { 32 } else { 128 };
        let length: u8 = match length {
            Some(length) => length.parse().map_err(|_| malformed())?,
            None => longest,
        };
        if length > longest {
            return Err(malformed());
        }
        let base = address.to_canonical();
        let is_mapped = address.is_ipv6() && base.is_ipv4();
        let length = match is_mapped {
            true => length.checked_sub(MAPPED_BITS).ok_or_else(malformed)?,
            false => length,
        };
        Ok(Self { base, length })
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
        write!(f, "{}/{}", self.base, self.length)
    }
}

/// The networks that a key may be used from: any, where none is named.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Networks([Option<Network>; MOST]);

impl Networks {
    /// From anywhere.
    pub const ANY: Self = Self([None; MOST]);

    /// These; those beyond [`MOST`] do not count.
    #[must_use]
    pub fn of(networks: &[Network]) -> Self {
        let mut named = Self::ANY;
        for (place, network) in named.0.iter_mut().zip(networks) {
            *place = Some(*network);
        }
        named
    }

    /// Whether an address lies in one of them, or one that is not known need not.
    #[must_use]
    pub fn admit(&self, address: Option<IpAddr>) -> bool {
        let mut named = self.0.iter().flatten().peekable();
        named.peek().is_none()
            || address.is_some_and(|address| named.any(|network| network.contains(address)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks(texts: &[&str]) -> Networks {
        let networks: Vec<Network> = texts.iter().map(|text| text.parse().unwrap()).collect();
        Networks::of(&networks)
    }

    fn admits(texts: &[&str], address: &str) -> bool {
        networks(texts).admit(Some(address.parse().unwrap()))
    }

    #[test]
    fn an_address_is_admitted_by_a_network_that_it_lies_in() {
        let some = ["198.51.100.0/24", "203.0.113.7", "2001:db8::/32"];
        for inside in [
            "198.51.100.255",
            "203.0.113.7",
            "2001:db8:ffff::1",
            "::ffff:198.51.100.1",
        ] {
            assert!(admits(&some, inside), "{inside}");
        }
        for outside in ["198.51.101.0", "203.0.113.8", "2001:db9::1", "::1"] {
            assert!(!admits(&some, outside), "{outside}");
        }
        assert!(!networks(&some).admit(None));
    }

    #[test]
    fn a_network_of_all_addresses_has_those_of_its_protocol() {
        assert!(admits(&["0.0.0.0/0"], "192.0.2.1"));
        assert!(!admits(&["0.0.0.0/0"], "2001:db8::1"));
        assert!(admits(&["::/0"], "2001:db8::1"));
        assert!(admits(&["::ffff:192.0.2.0/120"], "192.0.2.9"));
    }

    #[test]
    fn without_networks_everybody_is_admitted() {
        assert!(Networks::ANY.admit(None));
        assert!(admits(&[], "192.0.2.1"));
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in [
            "",
            "host.example",
            "192.0.2.1/33",
            "192.0.2.1/",
            "2001:db8::/129",
            "::ffff:192.0.2.1/64",
            "192.0.2.1/-1",
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
