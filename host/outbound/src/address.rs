//! Global unicast addresses (IANA special-purpose address registries, RFC 6890).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Reason why an address may not be reached.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the address is not global unicast: {0}")]
pub struct AddressFault(&'static str);

/// Checks that `address` is global unicast. One that carries an IPv4 address (IPv4-mapped, NAT64)
/// is judged by it.
///
/// # Errors
/// [`AddressFault`] names the block that contains the address.
pub fn check_global_unicast(address: IpAddr) -> Result<(), AddressFault> {
    match address {
        IpAddr::V4(address) => check_v4(address),
        IpAddr::V6(address) => check_v6(address),
    }
}

const V4_BLOCKS: [(Ipv4Addr, u32, &str); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private use"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared address space"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private use"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private use"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(255, 255, 255, 255), 32, "broadcast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

/// Blocks inside 2000::/3 that are not global unicast; nothing outside is.
const V6_BLOCKS: [(Ipv6Addr, u32, &str); 4] = [
    (
        Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0),
        23,
        "protocol assignments",
    ),
    (
        Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0),
        32,
        "documentation",
    ),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "6to4"),
    (
        Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0),
        20,
        "documentation",
    ),
];

const V6_GLOBAL_UNICAST: Ipv6Addr = Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0);
const V6_GLOBAL_UNICAST_BITS: u32 = 3;

/// The well-known prefix of NAT64 (RFC 6052 clause 2.1).
const NAT64: Ipv6Addr = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);
const NAT64_BITS: u32 = 96;

fn check_v4(address: Ipv4Addr) -> Result<(), AddressFault> {
    let lies_in = |block: Ipv4Addr, bits: u32| {
        (address.to_bits() ^ block.to_bits())
            .checked_shr(u32::BITS - bits)
            .unwrap_or_default()
            == 0
    };
    match V4_BLOCKS
        .iter()
        .find(|(block, bits, _)| lies_in(*block, *bits))
    {
        Some((_, _, name)) => Err(AddressFault(name)),
        None => Ok(()),
    }
}

fn check_v6(address: Ipv6Addr) -> Result<(), AddressFault> {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return check_v4(mapped);
    }
    let lies_in = |block: Ipv6Addr, bits: u32| {
        (address.to_bits() ^ block.to_bits())
            .checked_shr(u128::BITS - bits)
            .unwrap_or_default()
            == 0
    };
    if lies_in(NAT64, NAT64_BITS) {
        let [.., a, b, c, d] = address.octets();
        return check_v4(Ipv4Addr::new(a, b, c, d));
    }
    if !lies_in(V6_GLOBAL_UNICAST, V6_GLOBAL_UNICAST_BITS) {
        return Err(AddressFault("outside of 2000::/3"));
    }
    match V6_BLOCKS
        .iter()
        .find(|(block, bits, _)| lies_in(*block, *bits))
    {
        Some((_, _, name)) => Err(AddressFault(name)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn special_purpose_addresses_are_refused() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.250",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::808:808",
            "100::1",
            "2001::1",
            "2001:0:7f00:1::",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::1",
            "3fff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            let address = text.parse().expect(text);
            assert!(check_global_unicast(address).is_err(), "{text}");
        }
    }

    #[test]
    fn public_addresses_pass() {
        for text in [
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.1",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.255.255",
            "172.32.0.1",
            "192.0.1.1",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450:400f::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            let address = text.parse().expect(text);
            assert_eq!(check_global_unicast(address), Ok(()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_mapped_address_is_judged_as_the_one_it_carries(bits: u32) {
            let v4 = Ipv4Addr::from_bits(bits);
            let expected = check_global_unicast(IpAddr::V4(v4));
            prop_assert_eq!(check_global_unicast(IpAddr::V6(v4.to_ipv6_mapped())), expected);
        }
    }
}
