//! Containers of data files with XAdES signatures: what ASiC-E (ETSI EN 319
//! 162-1) and ADOC have in common.
//!
//! A [`Container`] is a strict ZIP archive that agrees with its manifest on what
//! it holds. [`signatures`] reads its signatures, [`report`] and [`evidence`]
//! tell what became of them, [`obstacle`] why nobody can add one, and
//! [`Signing`] makes one, which formats then put where they have them. Data
//! files stay with the host, which inflates and digests them.

#![forbid(unsafe_code)]

mod container;
mod evidence;
mod files;
mod inspect;
mod limits;
pub mod manifest;
mod members;
mod obstacle;
mod part;
mod refusals;
mod rehearse;
mod signatures;
mod signing;

pub use container::{Container, DataFile, SignedElement};
pub use evidence::evidence;
pub use files::{check_files, check_request, content};
pub use inspect::report;
pub use limits::Limits;
pub use members::{extract, members};
pub use obstacle::{obstacle, unsigned};
pub use part::{ADOC_RELATIONS, ADOC_V2_RELATIONS, MANIFEST, Part};
pub use refusals::{about, bad_request, finalized, too_much_to_verify, unsound, unsupported};
pub use rehearse::rehearse;
pub use signatures::{Signature, places, signatures};
pub use signing::{Signing, number_of, require_coverage};
