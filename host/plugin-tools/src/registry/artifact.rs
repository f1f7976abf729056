//! A component as an artifact, in the layout of the CNCF's "Wasm OCI Artifact Layout" as `wkg`
//! writes it, and its attachments.

use std::path::Path;

use anyhow::Context;
use bytes::Bytes;
use parafa_oci::{
    Descriptor, Digest, Manifest, Repository, StoredManifest, Tag, Version, media_type,
};
use parafa_plugin_host::{PluginDigest, Surface};
use parafa_plugin_store::{PluginSignature, reasons};
use semver::Version as SemanticVersion;
use serde::Serialize;

use super::attachment::Attachment;
use crate::ToolError;
use crate::output::shown;

const CONFIG: &str = "application/vnd.wasm.config.v0+json";
const WASM: &str = "application/wasm";
/// The file name of a content (image-spec 1.1, annotations.md). It is constant, so that a
/// component's digest does not depend on its file's name.
const TITLE: (&str, &str) = ("org.opencontainers.image.title", "plugin.wasm");
/// The time that a configuration must have. It is constant, so that a component has the same digest
/// in every push.
const CREATED: &str = "1970-01-01T00:00:00Z";
/// Longest attachment that is read.
const LONGEST_ATTACHED: u64 = 4 * 1024 * 1024;
/// Most attachments of an artifact that are read: anyone with write access to a repository can
/// attach any number.
const MOST_ATTACHED: usize = 64;

/// The configuration of an artifact with a component.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WasmConfig<'a> {
    created: &'static str,
    architecture: &'static str,
    os: &'static str,
    layer_digests: [Digest; 1],
    component: WasmComponent<'a>,
}

/// The exports and imports of a component.
#[derive(Serialize)]
struct WasmComponent<'a> {
    exports: Vec<&'a str>,
    imports: &'a [String],
}

/// A component as an artifact.
pub(super) struct Packaged {
    pub(super) config: Bytes,
    pub(super) manifest: StoredManifest,
}

/// A document that refers to a component.
pub(super) struct Attached {
    pub(super) kind: Attachment,
    pub(super) content: Bytes,
    pub(super) manifest: StoredManifest,
}

/// A publisher's signature of a component.
#[derive(Clone, Debug)]
pub(super) struct Signed {
    pub(super) content: Bytes,
    pub(super) publisher: String,
}

/// Packages a component. Only tags have its version, so that it is one artifact under all of them.
///
/// # Errors
/// When the file is not a component.
pub(super) fn package(wasm: &[u8], file: &Path) -> Result<Packaged, ToolError> {
    let surface = Surface::read(wasm).map_err(|error| {
        ToolError::Refused(format!("{}: {}", file.display(), shown(&reasons(&error))))
    })?;
    let layer = Descriptor::of(WASM, wasm).annotated(TITLE.0, TITLE.1);
    let config = WasmConfig {
        created: CREATED,
        architecture: "wasm",
        os: "wasip2",
        layer_digests: [layer.digest],
        component: WasmComponent {
            exports: surface.exports().iter().map(String::as_str).collect(),
            imports: surface.imports(),
        },
    };
    let config = serde_json::to_vec(&config).context("the configuration")?;
    let manifest = Manifest::new(Descriptor::of(CONFIG, &config), vec![layer]);
    Ok(Packaged {
        config: config.into(),
        manifest: StoredManifest::of(manifest).context("the manifest")?,
    })
}

/// Attaches a document to a component.
pub(super) fn attach(
    kind: Attachment,
    content: Bytes,
    subject: &StoredManifest,
) -> Result<Attached, ToolError> {
    let title = format!("{}{}", TITLE.1, kind.ending());
    let layer = Descriptor::of(kind.media_type(), &content).annotated(TITLE.0, &title);
    let config = Descriptor::of(media_type::EMPTY, EMPTY);
    let mut manifest = Manifest::new(config, vec![layer]);
    manifest.artifact_type = Some(kind.media_type().to_owned());
    manifest.subject = Some(subject.as_subject());
    Ok(Attached {
        kind,
        content,
        manifest: StoredManifest::of(manifest).context("the manifest")?,
    })
}

/// The configuration of an artifact without one (image-spec 1.1, manifest.md, "Guidance for an
/// Empty Descriptor").
pub(super) const EMPTY: &[u8] = b"{}";

/// Finds the named artifact: without a tag or digest, the newest release.
pub(super) async fn resolve(
    repository: &dyn Repository,
    version: Option<&Version>,
) -> Result<(Option<Tag>, StoredManifest), ToolError> {
    match version {
        Some(version @ Version::Digest(_)) => Ok((None, repository.manifest(version).await?)),
        Some(version @ Version::Tag(tag)) => {
            let manifest = repository.manifest(version).await?;
            Ok((Some(tag.clone()), manifest))
        }
        None => {
            let newest = newest(repository.tags().await?, false);
            let (_, tag) = newest.ok_or_else(|| {
                ToolError::Refused(format!(
                    "no tag of {} is the version of a release, such as 1.2.3: name a tag, or a digest",
                    repository.place()
                ))
            })?;
            let manifest = repository.manifest(&Version::Tag(tag.clone())).await?;
            Ok((Some(tag), manifest))
        }
    }
}

/// Refuses to move a tag that is a version to another artifact.
pub(super) async fn check_tag(
    repository: &dyn Repository,
    tag: &Tag,
    artifact: &StoredManifest,
) -> Result<(), ToolError> {
    if tag.version().is_none() {
        return Ok(());
    }
    let found = repository.find(&Version::Tag(tag.clone())).await?;
    let found = found.map(|found| found.descriptor.digest);
    match found.filter(|found| *found != artifact.descriptor.digest) {
        None => Ok(()),
        Some(found) => Err(ToolError::Refused(format!(
            "{tag} in {} is {found} already, and a version must not change: raise the version, or give --move-tag",
            repository.place()
        ))),
    }
}

/// Returns the tag with the highest semantic version; pre-releases count only on request.
pub(super) fn newest(tags: Vec<Tag>, with_pre_releases: bool) -> Option<(SemanticVersion, Tag)> {
    let versions = tags
        .into_iter()
        .filter_map(|tag| Some((tag.version()?, tag)));
    let counted = versions.filter(|(version, _)| with_pre_releases || version.pre.is_empty());
    counted.max()
}

/// Returns the layer with the component of an artifact.
pub(super) fn component(
    repository: &dyn Repository,
    artifact: &StoredManifest,
) -> Result<Descriptor, ToolError> {
    let manifest = &artifact.manifest;
    match manifest.layers.as_slice() {
        [layer] if layer.media_type == WASM && manifest.config.media_type == CONFIG => {
            Ok(layer.clone())
        }
        _ => Err(ToolError::Refused(format!(
            "{} in {} is no artifact with a component: it should have one layer of {WASM}, and a configuration of {CONFIG}",
            artifact.descriptor.digest,
            repository.place()
        ))),
    }
}

/// Reads the documents that refer to an artifact, of the kinds that `is_wanted`.
pub(super) async fn attached(
    repository: &dyn Repository,
    artifact: &StoredManifest,
    is_wanted: impl Fn(Attachment) -> bool,
) -> Result<Vec<Attached>, ToolError> {
    let subject = artifact.descriptor.digest;
    let mut all = Vec::new();
    for listed in repository.referrers(&subject).await? {
        let kind = listed
            .artifact_type
            .as_deref()
            .and_then(Attachment::of_type);
        let Some(kind) = kind.filter(|kind| is_wanted(*kind)) else {
            continue;
        };
        if all.len() == MOST_ATTACHED {
            return Err(ToolError::Refused(format!(
                "more than {MOST_ATTACHED} documents are attached to {subject} in {}",
                repository.place()
            )));
        }
        // A list under a tag may outlive its entries.
        let manifest = repository.find(&Version::Digest(listed.digest)).await?;
        let Some(manifest) = manifest else {
            continue;
        };
        let refers_to = manifest.manifest.subject.as_ref();
        let is_about = refers_to.is_some_and(|refers_to| refers_to.digest == subject);
        match manifest.manifest.layers.as_slice() {
            [layer] if is_about && layer.size <= LONGEST_ATTACHED => {
                let content = repository.blob(layer).await?;
                all.push(Attached {
                    kind,
                    content,
                    manifest,
                });
            }
            _ => {
                return Err(ToolError::Refused(format!(
                    "{} in {} is no document about {subject}, although it is listed as one",
                    listed.digest,
                    repository.place()
                )));
            }
        }
    }
    Ok(all)
}

/// Returns the signature of a component among its attachments: the only one, or a given
/// publisher's. Trust in the publisher is not checked here.
pub(super) fn signature(
    attached: &[Attached],
    component: PluginDigest,
    publisher: Option<&str>,
) -> Result<Option<Signed>, ToolError> {
    let mut signatures: Vec<Signed> = Vec::new();
    for attached in attached {
        if attached.kind == Attachment::Signature {
            let read = signed(attached.content.clone(), component);
            signatures.push(read.map_err(|reason| {
                let digest = attached.manifest.descriptor.digest;
                ToolError::Refused(format!("the attached signature {digest}: {reason}"))
            })?);
        }
    }
    let names: Vec<_> = signatures.iter().map(|one| shown(&one.publisher)).collect();
    let among = names.join(", ");
    match (publisher, signatures.as_slice()) {
        (None, []) => Ok(None),
        (None, [only]) => Ok(Some(only.clone())),
        (None, _) => Err(ToolError::Refused(format!(
            "several publishers have signed the component: name one by --publisher, among {among}"
        ))),
        (Some(publisher), all) => {
            let theirs = all.iter().find(|one| one.publisher == publisher);
            let theirs = theirs.cloned().ok_or_else(|| {
                let who = if all.is_empty() { "nobody" } else { &*among };
                ToolError::Refused(format!(
                    "{} has not signed the component; {who} has",
                    shown(publisher)
                ))
            });
            theirs.map(Some)
        }
    }
}

/// Parses a signature, which must be of a component.
pub(super) fn signed(content: Bytes, component: PluginDigest) -> Result<Signed, &'static str> {
    let signature = PluginSignature::parse(&content)?;
    if signature.component() != component.as_bytes() {
        return Err("it is of another component");
    }
    Ok(Signed {
        publisher: signature.publisher().to_owned(),
        content,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newest_of(tags: &[&str], with_pre_releases: bool) -> Option<String> {
        let tags = tags.iter().map(|tag| tag.parse().unwrap()).collect();
        let (_, tag) = newest(tags, with_pre_releases)?;
        Some(tag.to_string())
    }

    #[test]
    fn the_newest_release_is_that_of_the_highest_numbers() {
        let tags = ["latest", "0.9.0", "0.10.0", "1.0.0-rc.1", "v2.0.0"];
        assert_eq!(newest_of(&tags, false).as_deref(), Some("0.10.0"));
        assert_eq!(newest_of(&tags, true).as_deref(), Some("1.0.0-rc.1"));
        assert_eq!(newest_of(&["latest"], true), None);
    }

    #[test]
    fn of_several_signatures_one_is_chosen() {
        let component = PluginDigest::of(b"component");
        let subject = Manifest::new(Descriptor::of(CONFIG, b"{}"), Vec::new());
        let subject = StoredManifest::of(subject).unwrap();
        let pairs = [(); 2].map(|()| parafa_plugin_store::KeyPair::generate().unwrap());
        let attached = pairs.each_ref().map(|pair| {
            let text = serde_json::to_vec(&pair.sign(component.as_bytes()).unwrap()).unwrap();
            attach(Attachment::Signature, text.into(), &subject).unwrap()
        });
        let [one, other] = pairs.each_ref().map(|pair| pair.public().name());

        let chosen = |attached: &[Attached], publisher| {
            let signed = signature(attached, component, publisher);
            signed.map(|signed| signed.map(|signed| signed.publisher))
        };
        assert_eq!(chosen(&[], None).unwrap(), None);
        assert_eq!(chosen(&attached[..1], None).unwrap().as_deref(), Some(one));
        assert!(chosen(&attached, None).is_err());
        let by_other = chosen(&attached, Some(other)).unwrap();
        assert_eq!(by_other.as_deref(), Some(other));
        assert!(chosen(&attached[..1], Some(other)).is_err());
        let foreign = signature(&attached, PluginDigest::of(b"other"), None);
        assert!(foreign.is_err());
    }
}
