//! Keys whose encodings sort as their values do.

use jiff::Timestamp;
use uuid::Uuid;

/// Longest key, in bytes.
pub const MAX_KEY_BYTES: usize = 1024;

/// Length of an encoded [`Timestamp`].
pub(crate) const TIMESTAMP_BYTES: usize = 8;

/// A value that can be part of a key.
///
/// Encoded values sort as the values do, and none is a prefix of another one of its type, so
/// that parts can be joined.
pub trait Key: Send + Sync {
    /// Appends the encoded value.
    fn encode(&self, out: &mut Vec<u8>);

    /// Returns the encoded value alone.
    fn encoded(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode(&mut out);
        out
    }
}

impl Key for Uuid {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }
}

impl Key for u32 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_be_bytes());
    }
}

impl Key for u64 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_be_bytes());
    }
}

impl Key for bool {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
}

/// Milliseconds: instants within the same one have the same key.
impl Key for Timestamp {
    fn encode(&self, out: &mut Vec<u8>) {
        let millis = self.as_nanosecond().div_euclid(1_000_000);
        let millis = i64::try_from(millis).expect("a timestamp is within the years -9999 to 9999");
        let ordered = millis.cast_unsigned() ^ (1 << 63);
        out.extend_from_slice(&ordered.to_be_bytes());
    }
}

/// Encodes each 0x00 as 0x00 0xFF, and ends with 0x00 0x00.
impl Key for str {
    fn encode(&self, out: &mut Vec<u8>) {
        for byte in self.bytes() {
            out.push(byte);
            if byte == 0 {
                out.push(0xff);
            }
        }
        out.extend_from_slice(&[0, 0]);
    }
}

impl Key for String {
    fn encode(&self, out: &mut Vec<u8>) {
        self.as_str().encode(out);
    }
}

impl<const N: usize> Key for [u8; N] {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
}

impl<K: Key + ?Sized> Key for &K {
    fn encode(&self, out: &mut Vec<u8>) {
        (**self).encode(out);
    }
}

/// The key of a table with a single row.
impl Key for () {
    fn encode(&self, _: &mut Vec<u8>) {}
}

impl<A: Key> Key for (A,) {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
    }
}

impl<A: Key, B: Key> Key for (A, B) {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
        self.1.encode(out);
    }
}

impl<A: Key, B: Key, C: Key> Key for (A, B, C) {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
        self.1.encode(out);
        self.2.encode(out);
    }
}

impl<A: Key, B: Key, C: Key, D: Key> Key for (A, B, C, D) {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
        self.1.encode(out);
        self.2.encode(out);
        self.3.encode(out);
    }
}

/// The first parts of a key `K`, which select all keys with that beginning.
pub trait PrefixOf<K>: Key {}

impl<K: Key> PrefixOf<K> for K {}
impl<A: Key, B: Key> PrefixOf<(A, B)> for (A,) {}
impl<A: Key, B: Key, C: Key> PrefixOf<(A, B, C)> for (A,) {}
impl<A: Key, B: Key, C: Key> PrefixOf<(A, B, C)> for (A, B) {}
impl<A: Key, B: Key, C: Key, D: Key> PrefixOf<(A, B, C, D)> for (A,) {}
impl<A: Key, B: Key, C: Key, D: Key> PrefixOf<(A, B, C, D)> for (A, B) {}
impl<A: Key, B: Key, C: Key, D: Key> PrefixOf<(A, B, C, D)> for (A, B, C) {}

/// Returns the first key after all those that begin with `prefix`.
pub(crate) fn past_prefix(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if let Some(next) = last.checked_add(1) {
            end.push(next);
            return end;
        }
    }
    vec![0xff; MAX_KEY_BYTES + 1]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn instant() -> impl Strategy<Value = Timestamp> {
        (-4_000_000_000_000_i64..4_000_000_000_000)
            .prop_map(|millis| Timestamp::from_millisecond(millis).expect("within range"))
    }

    proptest! {
        #[test]
        fn encoded_keys_sort_as_their_values(
            a in ("[a\0\u{1}\u{ff}]{0,4}", any::<u64>(), instant()),
            b in ("[a\0\u{1}\u{ff}]{0,4}", any::<u64>(), instant()),
        ) {
            prop_assert_eq!(a.encoded().cmp(&b.encoded()), a.cmp(&b));
        }

        #[test]
        fn a_prefix_ends_before_the_next_one(
            prefix in proptest::collection::vec(any::<u8>(), 1..4),
            rest in proptest::collection::vec(any::<u8>(), 0..4),
        ) {
            let inside = [prefix.clone(), rest].concat();
            prop_assert!(inside < past_prefix(&prefix));
        }
    }
}
