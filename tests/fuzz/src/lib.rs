//! Fuzz targets for everything that reads bytes from outside.
//!
//! A target is a function over bytes that must neither panic nor take long nor
//! want much memory, with what else must hold of the answer. `libfuzzer/`
//! puts each under libFuzzer; `docs/testing.md` says how to run them.

#![forbid(unsafe_code)]

mod adoc;
mod answers;
mod api;
mod asice;
mod authority;
mod certificate;
mod cms;
mod eid;
mod jades;
mod jades_unsigned;
mod json;
mod mcp;
mod mobile_id;
mod ocsp;
mod pdf;
mod port;
mod refusal;
mod requests;
mod smart_id;
mod target;
mod timestamp;
mod unsigned;
mod xades_unsigned;
mod xml;
mod zip;

pub use adoc::ADOC;
pub use asice::ASICE;
pub use certificate::CERTIFICATE;
pub use cms::CMS;
pub use jades::JADES;
pub use jades_unsigned::JADES_UNSIGNED;
pub use mcp::MCP;
pub use mobile_id::MOBILE_ID;
pub use ocsp::OCSP;
pub use pdf::{
    PDF_ARCHIVE, PDF_FLATTEN, PDF_INSPECT, PDF_OBJECTS, PDF_REHEARSE, PDF_SIGN, PDF_UPDATE,
    PDF_VERIFY,
};
pub use requests::REQUESTS;
pub use smart_id::SMART_ID;
pub use target::Target;
pub use timestamp::TIMESTAMP;
pub use xades_unsigned::XADES_UNSIGNED;
pub use xml::XADES;
pub use zip::ZIP;

/// Every target.
pub const TARGETS: [Target; 23] = [
    ADOC,
    ASICE,
    CERTIFICATE,
    CMS,
    JADES,
    JADES_UNSIGNED,
    MCP,
    MOBILE_ID,
    OCSP,
    PDF_ARCHIVE,
    PDF_FLATTEN,
    PDF_INSPECT,
    PDF_OBJECTS,
    PDF_REHEARSE,
    PDF_SIGN,
    PDF_UPDATE,
    PDF_VERIFY,
    REQUESTS,
    SMART_ID,
    TIMESTAMP,
    XADES,
    XADES_UNSIGNED,
    ZIP,
];
