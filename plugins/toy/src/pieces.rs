//! An output before it is written, so that hashed and written bytes are equal.

use std::ops::Range;

use parafa_plugin_sdk::core::{
    Blob, DigestAlgorithm, Environment, HashFunction, Hasher, Refusal, Sink, refusal,
};

pub(crate) const DIGEST: DigestAlgorithm = DigestAlgorithm::Sha256;

/// A part of an output.
pub(crate) enum Piece {
    /// New bytes.
    Bytes(Vec<u8>),
    /// A part of the document.
    Range(Range<u64>),
    /// The inflated content of a part of the document.
    Inflated {
        bytes: Range<u64>,
        most: u64,
        /// The required size; `None` if any is allowed.
        size: Option<u64>,
    },
}

impl Piece {
    /// Writes it.
    pub(crate) fn write<B: Blob>(&self, source: &B, out: &mut impl Sink<B>) -> Result<(), Refusal> {
        match self {
            Self::Bytes(bytes) => out.write(bytes),
            Self::Range(Range { start, end }) => out.copy(source, *start, end - start),
            Self::Inflated {
                bytes: Range { start, end },
                most,
                size,
            } => as_declared(out.copy_inflated(source, *start, end - start, *most), *size)?,
        }
        Ok(())
    }

    fn hash<B: Blob>(&self, source: &B, hasher: &mut impl Hasher<B>) -> Result<(), Refusal> {
        match self {
            Self::Bytes(bytes) => hasher.update(bytes),
            Self::Range(Range { start, end }) => hasher.update_blob(source, *start, end - start),
            Self::Inflated {
                bytes: Range { start, end },
                most,
                size,
            } => as_declared(
                hasher.update_inflated(source, *start, end - start, *most),
                *size,
            )?,
        }
        Ok(())
    }
}

/// Computes the digest of pieces, one after the other.
pub(crate) fn digest<'p, E: Environment>(
    environment: &E,
    source: &E::Blob,
    pieces: impl IntoIterator<Item = &'p Piece>,
) -> Result<Vec<u8>, Refusal> {
    let mut hasher = environment.hasher(HashFunction::Digest(DIGEST));
    for piece in pieces {
        piece.hash(source, &mut hasher)?;
    }
    Ok(hasher.finish())
}

/// Returns the refusal of a document that is not a toy.
pub(crate) fn unsound(detail: impl Into<String>) -> Refusal {
    Refusal::new(refusal::CONTAINER_UNSOUND, detail)
}

fn as_declared(inflated: Result<u64, String>, size: Option<u64>) -> Result<(), Refusal> {
    let len = inflated.map_err(|error| unsound(format!("A member cannot be read: {error}.")))?;
    match size {
        Some(size) if size != len => Err(unsound(format!(
            "A member has {len} bytes where it says {size}."
        ))),
        _ => Ok(()),
    }
}
