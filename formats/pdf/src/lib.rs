//! PDF documents (ISO 32000) and PAdES signatures (ETSI EN 319 142-1).
//!
//! [`structure`] reads a document once and completely: the chain of
//! cross-reference sections, every live object and its exact source bytes.
//! [`intake`] decides whether the file may be signed, and refuses content that
//! readers may see differently. Signing appends: existing content is never
//! rewritten from a parsed form.

mod archive;
mod flatten;
mod inspect;
mod intake;
mod limits;
mod long_term;
mod object_numbers;
mod page_content;
mod rehearse;
mod sign;
mod signatures;
mod structure;
mod verify;
mod write;

use parafa_format_core::{Ability, About, Operation, Preservation, levels};

pub use archive::archive;
pub use flatten::flatten;
pub use inspect::inspect;
pub use limits::Limits;
pub use rehearse::rehearse;
pub use sign::sign;
pub use verify::verify;

/// Media type of PDF (RFC 8118).
pub(crate) const MEDIA_TYPE: &str = "application/pdf";

/// Describes this format and how its operations preserve their input.
#[must_use]
pub fn about() -> About {
    About {
        id: "pdf",
        version: env!("CARGO_PKG_VERSION"),
        media_types: &[MEDIA_TYPE],
        extensions: &["pdf"],
        abilities: &[
            Ability {
                operation: Operation::Sign,
                preservation: Preservation::Whole,
                levels: &[levels::PADES_B_B, levels::PADES_B_T],
            },
            Ability {
                operation: Operation::Archive,
                preservation: Preservation::Whole,
                levels: &[levels::PADES_B_LT, levels::PADES_B_LTA],
            },
            Ability {
                operation: Operation::Flatten,
                preservation: Preservation::Rewrite,
                levels: &[],
            },
            Ability {
                operation: Operation::Rehearse,
                preservation: Preservation::Whole,
                levels: &[],
            },
        ],
    }
}
