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
mod logo;
mod mcp;
mod mobile_id;
mod oci;
mod ocsp;
mod pdf;
mod plugin_signature;
mod port;
mod refusal;
mod registers;
mod requests;
mod smart_id;
mod target;
mod timestamp;
mod trusted_list;
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
pub use logo::LOGO;
pub use mcp::MCP;
pub use mobile_id::MOBILE_ID;
pub use oci::OCI;
pub use ocsp::OCSP;
pub use pdf::{
    PDF_ARCHIVE, PDF_FLATTEN, PDF_INSPECT, PDF_OBJECTS, PDF_REHEARSE, PDF_SIGN, PDF_UPDATE,
    PDF_VERIFY,
};
pub use plugin_signature::PLUGIN_SIGNATURE;
pub use registers::REGISTERS;
pub use requests::REQUESTS;
pub use smart_id::SMART_ID;
pub use target::Target;
pub use timestamp::TIMESTAMP;
pub use trusted_list::TRUSTED_LIST;
pub use xades_unsigned::XADES_UNSIGNED;
pub use xml::XADES;
pub use zip::ZIP;

/// Every target.
pub const TARGETS: [Target; 28] = [
    ADOC,
    ASICE,
    CERTIFICATE,
    CMS,
    JADES,
    JADES_UNSIGNED,
    LOGO,
    MCP,
    MOBILE_ID,
    OCI,
    OCSP,
    PDF_ARCHIVE,
    PDF_FLATTEN,
    PDF_INSPECT,
    PDF_OBJECTS,
    PDF_REHEARSE,
    PDF_SIGN,
    PDF_UPDATE,
    PDF_VERIFY,
    PLUGIN_SIGNATURE,
    REGISTERS,
    REQUESTS,
    SMART_ID,
    TIMESTAMP,
    TRUSTED_LIST,
    XADES,
    XADES_UNSIGNED,
    ZIP,
];
