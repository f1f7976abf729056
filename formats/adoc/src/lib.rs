//! ADOC-V1.0, the electronic document format of Lithuanian institutions, with
//! signatures of ETSI TS 101 903 (XAdES-T).
//!
//! An ADOC is a ZIP archive of a main document, related files, metadata and
//! signatures; relations link the members. A signature covers the documents
//! and, element by element, the signable metadata. Relations and manifest are
//! unsigned: they name every signature and are edited with each one.
//!
//! The text of the specification was not available. The rules here follow
//! published documents, their writers and readers, and the later ADOC-V2.0.

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

/// Version of the standard in metadata.
const VERSION: &str = "ADOC-V1.0";

/// Describes this format and how its operations preserve their input. There is
/// no archiving: not all readers of ADOC accept a level above XAdES-T.
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
