use std::path::PathBuf;

use bytes::Bytes;
use parafa_oci::{Access, Reference, Repository, StoredManifest, Tag, Version};
use parafa_plugin_host::PluginDigest;
use parafa_plugin_store::signature_file;
use serde::Serialize;

use super::artifact::{self, Attached, EMPTY, Packaged};
use super::attachment::Attachment;
use super::{RegistryOptions, runtime};
use crate::ToolError;
use crate::bench;
use crate::output::{print_json, print_line, shown};

/// Arguments of `parafa plugin push`.
#[derive(Debug, clap::Args)]
pub struct PushArguments {
    /// The component; its signature is beside it, in WASM.sig.
    wasm: PathBuf,
    /// The target: oci://HOST/NAME:TAG or oci-layout:PATH:TAG.
    #[arg(value_name = "REFERENCE")]
    to: Reference,
    /// A document about the component, in JSON: provenance (in-toto, DSSE) or a bill
    /// of materials (CycloneDX, SPDX). Can be given several times.
    #[arg(long, value_name = "F")]
    attach: Vec<PathBuf>,
    /// Move the tag even if it is a version that names another artifact already.
    #[arg(long)]
    move_tag: bool,
    #[command(flatten)]
    registry: RegistryOptions,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The answer of `push`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pushed {
    repository: String,
    tag: String,
    digest: String,
    sha256: PluginDigest,
    publisher: String,
    attached: Vec<PushedDocument>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PushedDocument {
    artifact_type: &'static str,
    digest: String,
}

/// Stores a component and its attachments. The tag is written last, and the component before its
/// referrers, as some registries demand.
pub fn push(arguments: &PushArguments) -> Result<(), ToolError> {
    let Some(Version::Tag(tag)) = &arguments.to.version else {
        return Err(ToolError::Refused(format!(
            "name the tag to push to, such as {}:0.1.0",
            arguments.to.location
        )));
    };
    let wasm = bench::read(&arguments.wasm)?;
    let sha256 = PluginDigest::of(&wasm);
    let packaged = artifact::package(&wasm, &arguments.wasm)?;
    let (publisher, signature) = signature_of(arguments, sha256, &packaged.manifest)?;
    let mut attached = vec![signature];
    for file in &arguments.attach {
        let content = bench::read(file)?;
        let kind = Attachment::of_document(&content).ok_or_else(|| {
            ToolError::Refused(format!(
                "{} is neither provenance (in-toto, DSSE) nor a bill of materials (CycloneDX, SPDX) in JSON",
                file.display()
            ))
        })?;
        attached.push(artifact::attach(kind, content, &packaged.manifest)?);
    }
    let repository = arguments
        .registry
        .open(&arguments.to.location, Access::PullAndPush)?;
    runtime()?.block_on(async {
        if !arguments.move_tag {
            artifact::check_tag(&*repository, tag, &packaged.manifest).await?;
        }
        store(&*repository, tag, wasm, &packaged, &attached).await
    })?;
    let pushed = Pushed {
        repository: repository.place(),
        tag: tag.to_string(),
        digest: packaged.manifest.descriptor.digest.to_string(),
        sha256,
        publisher,
        attached: attached.iter().map(PushedDocument::of).collect(),
    };
    if arguments.json {
        print_json(&pushed)?;
    } else {
        print_line(pushed.text())?;
    }
    Ok(())
}

/// Reads the signature beside the component, and the publisher that it names.
fn signature_of(
    arguments: &PushArguments,
    sha256: PluginDigest,
    subject: &StoredManifest,
) -> Result<(String, Attached), ToolError> {
    let file = signature_file(&arguments.wasm);
    if !file.exists() {
        return Err(ToolError::Refused(format!(
            "{} has no signature {}: make one with `parafa plugin sign`",
            arguments.wasm.display(),
            file.display()
        )));
    }
    let signed = artifact::signed(bench::read(&file)?, sha256).map_err(|reason| {
        ToolError::Refused(format!(
            "the signature {}: {reason}; make one with `parafa plugin sign`",
            file.display()
        ))
    })?;
    let attached = artifact::attach(Attachment::Signature, signed.content, subject)?;
    Ok((signed.publisher, attached))
}

async fn store(
    repository: &dyn Repository,
    tag: &Tag,
    wasm: Bytes,
    packaged: &Packaged,
    attached: &[Attached],
) -> Result<(), ToolError> {
    repository.put_blob(packaged.config.clone()).await?;
    repository.put_blob(wasm).await?;
    repository.put_manifest(&packaged.manifest, None).await?;
    repository.put_blob(Bytes::from_static(EMPTY)).await?;
    for document in attached {
        repository.put_blob(document.content.clone()).await?;
        repository.put_manifest(&document.manifest, None).await?;
    }
    repository
        .put_manifest(&packaged.manifest, Some(tag))
        .await?;
    Ok(())
}

impl PushedDocument {
    fn of(attached: &Attached) -> Self {
        Self {
            artifact_type: attached.kind.media_type(),
            digest: attached.manifest.descriptor.digest.to_string(),
        }
    }
}

impl Pushed {
    fn text(&self) -> String {
        let Self {
            repository,
            tag,
            digest,
            sha256,
            publisher,
            attached,
        } = self;
        let mut lines = vec![
            format!("{repository}:{tag}"),
            format!("digest     {digest}"),
            format!("component  {sha256}"),
            format!("publisher  {}", shown(publisher)),
        ];
        let attached = attached.iter();
        lines.extend(
            attached.map(|document| {
                format!("attached   {} {}", document.digest, document.artifact_type)
            }),
        );
        lines.join("\n")
    }
}
