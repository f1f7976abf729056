//! Manifests and indexes of the OCI Image Format Specification 1.1.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::digest::Digest;

/// Media types of the specification.
pub mod media_type {
    /// An image manifest.
    pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
    /// An image index.
    pub const INDEX: &str = "application/vnd.oci.image.index.v1+json";
    /// The configuration of an artifact without one: an empty JSON object.
    pub const EMPTY: &str = "application/vnd.oci.empty.v1+json";
}

/// The version of the schema of manifests and indexes.
const SCHEMA_VERSION: u32 = 2;

/// A content as referred to by others (descriptor.md).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// The content's media type.
    pub media_type: String,
    /// Its digest.
    pub digest: Digest,
    /// Its length in bytes.
    pub size: u64,
    /// The type of the artifact, if the content is a manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Notes about it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// Other members, kept unchanged.
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// An image manifest (manifest.md).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    schema_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    /// The artifact's type, if its configuration does not define it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// The configuration.
    pub config: Descriptor,
    /// The contents.
    pub layers: Vec<Descriptor>,
    /// The manifest that this one refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Descriptor>,
    /// Notes about the artifact.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// A manifest with the bytes of its digest.
#[derive(Clone, Debug)]
pub struct StoredManifest {
    /// The manifest as it is stored.
    pub bytes: Bytes,
    /// Its descriptor.
    pub descriptor: Descriptor,
    /// The manifest.
    pub manifest: Manifest,
}

/// An image index (image-index.md).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Index {
    schema_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    pub(crate) manifests: Vec<Descriptor>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl Descriptor {
    /// Creates the descriptor of a content.
    #[must_use]
    pub fn of(media_type: &str, content: &[u8]) -> Self {
        Self {
            media_type: media_type.to_owned(),
            digest: Digest::of(content),
            size: content.len() as u64,
            artifact_type: None,
            annotations: BTreeMap::new(),
            other: Map::new(),
        }
    }

    /// Adds an annotation.
    #[must_use]
    pub fn annotated(mut self, name: &str, value: &str) -> Self {
        self.annotations.insert(name.to_owned(), value.to_owned());
        self
    }
}

impl Manifest {
    /// Creates a manifest of these contents.
    #[must_use]
    pub fn new(config: Descriptor, layers: Vec<Descriptor>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            media_type: Some(media_type::MANIFEST.to_owned()),
            artifact_type: None,
            config,
            layers,
            subject: None,
            annotations: BTreeMap::new(),
        }
    }

    /// Lists all contents that it names.
    pub(crate) fn contents(&self) -> impl Iterator<Item = &Descriptor> {
        std::iter::once(&self.config).chain(&self.layers)
    }

    /// Returns the artifact's type: its own, otherwise that of its configuration (image-spec 1.1,
    /// manifest.md, "Guidelines for Artifact Usage").
    #[must_use]
    pub fn type_of_artifact(&self) -> &str {
        let own = self.artifact_type.as_deref();
        own.unwrap_or(&self.config.media_type)
    }
}

impl StoredManifest {
    /// Serializes a manifest.
    ///
    /// # Errors
    /// When it cannot be serialized as JSON, which never happens.
    pub fn of(manifest: Manifest) -> serde_json::Result<Self> {
        Ok(Self::with(serde_json::to_vec(&manifest)?.into(), manifest))
    }

    /// Parses a manifest; the error is the reason.
    pub(crate) fn parse(bytes: Bytes) -> Result<Self, String> {
        let manifest: Manifest =
            serde_json::from_slice(&bytes).map_err(|error| format!("no manifest: {error}"))?;
        let own = manifest.media_type.as_deref();
        if own.is_some_and(|own| own != media_type::MANIFEST) {
            return Err("something of another type than an image manifest".to_owned());
        }
        if manifest.schema_version != SCHEMA_VERSION {
            return Err(format!("a manifest that is not of schema {SCHEMA_VERSION}"));
        }
        Ok(Self::with(bytes, manifest))
    }

    fn with(bytes: Bytes, manifest: Manifest) -> Self {
        let mut descriptor = Descriptor::of(media_type::MANIFEST, &bytes);
        descriptor.artifact_type = Some(manifest.type_of_artifact().to_owned());
        Self {
            bytes,
            descriptor,
            manifest,
        }
    }

    /// Returns the descriptor by which an index lists it: with its type and its annotations
    /// (distribution-spec 1.1, "Listing Referrers").
    pub(crate) fn listed(&self) -> Descriptor {
        Descriptor {
            annotations: self.manifest.annotations.clone(),
            ..self.descriptor.clone()
        }
    }

    /// Returns the descriptor by which another manifest refers to it.
    #[must_use]
    pub fn as_subject(&self) -> Descriptor {
        Descriptor {
            artifact_type: None,
            ..self.descriptor.clone()
        }
    }
}

impl Index {
    pub(crate) fn new() -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            media_type: Some(media_type::INDEX.to_owned()),
            manifests: Vec::new(),
            other: Map::new(),
        }
    }

    /// Parses an index; the error is the reason.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(bytes).map_err(|error| format!("no index: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_has_the_members_of_the_specification_and_no_others() {
        let config = Descriptor::of("application/x", b"{}");
        let layer = Descriptor::of("application/wasm", b"wasm").annotated("title", "a.wasm");

        let stored = StoredManifest::of(Manifest::new(config, vec![layer])).unwrap();

        let expected = serde_json::json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": {
                "mediaType": "application/x",
                "digest": Digest::of(b"{}"),
                "size": 2,
            },
            "layers": [{
                "mediaType": "application/wasm",
                "digest": Digest::of(b"wasm"),
                "size": 4,
                "annotations": {"title": "a.wasm"},
            }],
        });
        let written: Value = serde_json::from_slice(&stored.bytes).unwrap();
        assert_eq!(written, expected);
        assert_eq!(
            stored.descriptor.artifact_type.as_deref(),
            Some("application/x")
        );
        let read = StoredManifest::parse(stored.bytes.clone()).unwrap();
        assert_eq!(read.manifest, stored.manifest);
    }

    #[test]
    fn what_is_no_image_manifest_is_refused() {
        let config = Descriptor::of("application/x", b"{}");
        let mut index = serde_json::to_value(Manifest::new(config, Vec::new())).unwrap();
        let sound = serde_json::to_vec(&index).unwrap();
        assert!(StoredManifest::parse(sound.into()).is_ok());
        for (member, value) in [
            ("mediaType", Value::from(media_type::INDEX)),
            ("schemaVersion", Value::from(1)),
            ("config", Value::Null),
        ] {
            let before = index[member].clone();
            index[member] = value;
            let text = serde_json::to_vec(&index).unwrap();
            assert!(StoredManifest::parse(text.into()).is_err(), "{member}");
            index[member] = before;
        }
    }

    #[test]
    fn what_an_index_says_of_others_is_kept() {
        let text = serde_json::json!({
            "schemaVersion": 2,
            "manifests": [{
                "mediaType": "a/b",
                "digest": Digest::of(b""),
                "size": 0,
                "platform": {"architecture": "wasm", "os": "wasip2"},
            }],
            "annotations": {"a": "b"},
        });

        let index = Index::parse(text.to_string().as_bytes()).unwrap();

        assert_eq!(serde_json::to_value(index).unwrap(), text);
    }
}
