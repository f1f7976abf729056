//! PDF documents (ISO 32000) and PAdES signatures (ETSI EN 319 142-1).
//!
//! A document is read once, as a whole, by [`structure`]: the chain of
//! cross-reference sections, every live object and the exact source bytes
//! behind them. [`intake`] decides whether such a file may be signed here, and
//! refuses what two readers could see differently. Signing appends; nothing
//! that is already in a file is ever written again from a parsed form.

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

/// What this format is and how its operations keep their input.
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
