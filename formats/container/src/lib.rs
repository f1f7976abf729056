//! Containers of data files with XAdES signatures: the common part of ASiC-E
//! (ETSI EN 319 162-1) and ADOC.
//!
//! A [`Container`] is a strict ZIP archive consistent with its manifest.
//! [`signatures`] reads its signatures, [`report`] and [`evidence`] describe
//! them, and [`obstacle`] explains why none can be added. [`Signing`] creates a
//! signature, which each format places on its own. Data files stay with the
//! host, which inflates and digests them.

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
