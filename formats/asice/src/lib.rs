//! ASiC-E containers (ETSI EN 319 162-1) with XAdES signatures (ETSI EN 319
//! 132-1), including BDOC 2.1.
//!
//! A container is a ZIP archive of data files, a manifest that names them, and
//! signature files. It is accepted only if manifest and archive agree on the
//! data files. A signature is a file of its own, appended after existing
//! entries: signed data is never rewritten. Data files stay with the host,
//! which inflates and digests them.

#![forbid(unsafe_code)]

mod archive;
mod compose;
mod read;
mod sign;

use parafa_format_core::{Ability, About, Operation, Preservation, levels};

pub use archive::archive;
pub use compose::compose;
pub use read::{extract, inspect, members, rehearse, verify};
pub use sign::sign;

/// Media type of ASiC-E (EN 319 162-1, A.1).
pub(crate) const MEDIA_TYPE: &str = "application/vnd.etsi.asic-e+zip";

/// Describes this format and how its operations preserve their input.
#[must_use]
pub fn about() -> About {
    About {
        id: "asice",
        version: env!("CARGO_PKG_VERSION"),
        media_types: &[MEDIA_TYPE],
        extensions: &["asice", "sce", "bdoc"],
        abilities: &[
            Ability {
                operation: Operation::Sign,
                preservation: Preservation::ToCentralDirectory,
                levels: &[levels::XADES_B_B, levels::XADES_B_T],
            },
            Ability {
                operation: Operation::Archive,
                preservation: Preservation::Rewrite,
                levels: &[levels::XADES_B_LT, levels::XADES_B_LTA, levels::XADES_LT],
            },
            Ability {
                operation: Operation::Rehearse,
                preservation: Preservation::ToCentralDirectory,
                levels: &[],
            },
        ],
    }
}
