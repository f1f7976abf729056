//! Damaged variants of a document: cut off, and with bits turned over.

use bytes::{Bytes, BytesMut};

/// Seed of the sequence of places; fixed, so that a failure is reproducible.
const SEED: u64 = 0x5061_7261_6661_2031;
/// Variants cut off at a place of the sequence, beside those cut off at the
/// quarters and one byte before the end.
const RANDOM_CUTS: u64 = 3;
/// Numbers of bits that are turned over, one variant each.
const FLIPS: [u32; 12] = [1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 16, 64];

/// Documents longer than this many bytes are damaged in fewer ways.
const LARGE: usize = 1024 * 1024;
/// Of the variants of a large document, one in this many is made.
const STEP_OF_LARGE: usize = 7;

/// A damaged document.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Variant {
    /// Description of the damage.
    pub(crate) what: String,
    /// The damaged document.
    pub(crate) document: Bytes,
}

/// Damaged variants of a document, always the same for the same document.
pub(crate) fn variants(document: &Bytes) -> impl Iterator<Item = Variant> {
    let mut places = Places(SEED);
    let step = if document.len() > LARGE {
        STEP_OF_LARGE
    } else {
        1
    };
    cuts(document, &mut places)
        .into_iter()
        .chain(flips(document, places))
        .step_by(step)
}

fn cuts(document: &Bytes, places: &mut Places) -> Vec<Variant> {
    let len = document.len();
    let mut lengths = vec![0, 1, len / 4, len / 2, len / 4 * 3, len.saturating_sub(1)];
    lengths.extend((0..RANDOM_CUTS).map(|_| places.below(len)));
    lengths.retain(|&cut| cut < len);
    lengths.sort_unstable();
    lengths.dedup();
    lengths
        .into_iter()
        .map(|cut| Variant {
            what: format!("cut off after {cut} of {len} bytes"),
            document: document.slice(..cut),
        })
        .collect()
}

fn flips(document: &Bytes, mut places: Places) -> impl Iterator<Item = Variant> {
    let document = document.clone();
    let counts = FLIPS.into_iter().filter({
        let empty = document.is_empty();
        move |_| !empty
    });
    counts.map(move |count| {
        let mut bytes = BytesMut::from(&document[..]);
        let mut flipped = Vec::new();
        for _ in 0..count {
            let (byte, bit) = (places.below(bytes.len()), places.below(8));
            if let Some(byte) = bytes.get_mut(byte) {
                *byte ^= 1 << bit;
            }
            flipped.push(format!("{byte}.{bit}"));
        }
        Variant {
            what: format!("bits turned over: {}", flipped.join(" ")),
            document: bytes.freeze(),
        }
    })
}

/// A pseudo-random sequence (SplitMix64).
struct Places(u64);

impl Places {
    /// The next number, below `limit`; 0 when that is 0.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^= word >> 31;
        let remainder = word.checked_rem(limit as u64).unwrap_or_default();
        usize::try_from(remainder).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_the_same_every_time_and_none_is_the_document() {
        let document = Bytes::from(vec![0x55; 1000]);

        let first: Vec<_> = variants(&document).collect();

        assert_eq!(first, variants(&document).collect::<Vec<_>>());
        assert_eq!(first.len(), 21);
        assert!(first.iter().all(|variant| variant.document != document));
    }

    #[test]
    fn large_documents_have_few_variants_of_each_kind() {
        let document = Bytes::from(vec![0; LARGE + 1]);

        let kinds: Vec<_> = variants(&document)
            .map(|variant| variant.document.len() == document.len())
            .collect();

        assert_eq!(kinds, [false, false, true]);
    }

    #[test]
    fn the_smallest_documents_have_few_variants() {
        assert_eq!(variants(&Bytes::new()).count(), 0);
        assert_eq!(variants(&Bytes::from("a")).count(), 13);
    }
}
