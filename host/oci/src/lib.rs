//! Artifacts in OCI registries and image layouts.
//!
//! A [`Repository`] keeps artifacts by tag and digest. There are two kinds. A [`Registry`] is
//! reached by the OCI Distribution Specification 1.1. A [`Layout`] is a folder by the OCI Image
//! Format Specification 1.1, which serves as a mirror without a network. Contents from either are
//! limited by the size in their descriptor, and checked against their digest, before they are
//! returned.

mod challenge;
mod copy;
mod credentials;
mod digest;
mod error;
mod layout;
mod manifest;
mod reference;
mod registry;
mod repository;

pub use crate::copy::copy;
pub use crate::credentials::{Credentials, CredentialsError};
pub use crate::digest::{Digest, MalformedDigest};
pub use crate::error::OciError;
pub use crate::layout::Layout;
pub use crate::manifest::{Descriptor, Manifest, StoredManifest, media_type};
pub use crate::reference::{Location, Reference, ReferenceError, RegistryName, Tag, Version};
pub use crate::registry::{Access, Registry};
pub use crate::repository::Repository;
