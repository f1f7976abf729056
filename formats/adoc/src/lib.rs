//! ADOC-V1.0, the format of electronic documents of Lithuanian institutions,
//! with signatures of ETSI TS 101 903 (XAdES-T).
//!
//! An ADOC is a ZIP archive of a main document, what belongs to it, metadata and
//! signatures; relations say what each member is to the others. A signature is
//! over the documents and, element by element, over the metadata that can be
//! signed. Relations and manifest are signed by nobody: they name every
//! signature, so that they are edited whenever somebody signs.
//!
//! The text of the specification was not at hand: what is taken here is what
//! published documents, their writers and readers, and the later ADOC-V2.0 have.

#![forbid(unsafe_code)]

mod compose;
mod document;
mod metadata;
mod obstacle;
mod read;
mod relations;
mod sign;

use parafa_format_core::{Ability, About, Operation, Preservation, levels};

pub use compose::compose;
pub use read::{extract, inspect, members, rehearse, verify};
pub use sign::sign;

/// Media type of ADOC-V1.0.
const MEDIA_TYPE: &str = "application/vnd.lt.archyvai.adoc-2008";

/// The version of the standard, as metadata have it.
const VERSION: &str = "ADOC-V1.0";

/// What this format is and how its operations keep their input. There is no
/// level above XAdES-T that everybody who reads ADOC takes, so that nothing is
/// archived.
#[must_use]
pub fn about() -> About {
    About {
        id: "adoc",
        version: env!("CARGO_PKG_VERSION"),
        media_types: &[MEDIA_TYPE],
        extensions: &["adoc", "bedoc", "cedoc", "gedoc", "ggedoc"],
        abilities: &[
            Ability {
                operation: Operation::Sign,
                preservation: Preservation::Rewrite,
                levels: &[levels::XADES_T],
            },
            Ability {
                operation: Operation::Rehearse,
                preservation: Preservation::ToCentralDirectory,
                levels: &[],
            },
        ],
    }
}
