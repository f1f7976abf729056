use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use parafa_oci::{Access, Location, Reference, StoredManifest, Tag};
use parafa_plugin_host::PluginDigest;
use parafa_plugin_store::{PluginOrigin, PulledComponent, signature_file};
use serde::Serialize;

use super::artifact::{self, Attached, Signed};
use super::attachment::Attachment;
use super::{RegistryOptions, runtime};
use crate::ToolError;
use crate::output::{print_json, print_line, shown, warn};

/// Arguments of `parafa plugin pull`.
#[derive(Debug, clap::Args)]
pub struct PullArguments {
    /// The source: oci://HOST/NAME or oci-layout:PATH, with :TAG or @sha256:DIGEST. Default: the
    /// newest release.
    #[arg(value_name = "REFERENCE")]
    from: Reference,
    /// The file for the component; its signature is written beside it, to F.sig.
    /// Default: the last part of the repository's name, with .wasm.
    #[arg(long, value_name = "F")]
    out: Option<PathBuf>,
    /// The publisher whose signature is written, if several have signed the component.
    #[arg(long, value_name = "SHA256")]
    publisher: Option<String>,
    #[command(flatten)]
    registry: RegistryOptions,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A component, as it was read.
struct Pulled {
    place: String,
    tag: Option<Tag>,
    artifact: StoredManifest,
    wasm: Bytes,
    sha256: PluginDigest,
    signature: Option<Signed>,
    documents: Vec<Attached>,
}

/// The answer of `pull`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    repository: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    digest: String,
    sha256: PluginDigest,
    component: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    publisher: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<PathBuf>,
    attached: Vec<WrittenDocument>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenDocument {
    #[serde(skip)]
    kind: Attachment,
    artifact_type: &'static str,
    digest: String,
    file: PathBuf,
}

/// Writes a component and its attachments to files.
pub fn pull(arguments: &PullArguments) -> Result<(), ToolError> {
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None => format!("{}.wasm", stem(&arguments.from.location)).into(),
    };
    let pulled = read(
        &arguments.from,
        &arguments.registry,
        arguments.publisher.as_deref(),
        |_| true,
    )?;
    pulled.warn_if_unsigned();
    pulled.write(&path)?;
    let mut attached: Vec<WrittenDocument> = Vec::new();
    for document in &pulled.documents {
        let kind = document.kind;
        let of_kind = attached.iter().filter(|one| one.kind == kind).count();
        let file = beside(&path, kind, of_kind);
        write(&file, &document.content)?;
        attached.push(WrittenDocument {
            kind,
            artifact_type: kind.media_type(),
            digest: document.manifest.descriptor.digest.to_string(),
            file,
        });
    }
    let written = Written {
        repository: pulled.place,
        tag: pulled.tag.map(|tag| tag.to_string()),
        digest: pulled.artifact.descriptor.digest.to_string(),
        sha256: pulled.sha256,
        signature: pulled.signature.as_ref().map(|_| signature_file(&path)),
        publisher: pulled.signature.map(|signed| signed.publisher),
        component: path,
        attached,
    };
    if arguments.json {
        print_json(&written)?;
    } else {
        print_line(written.text())?;
    }
    Ok(())
}

/// Pulls a component and its signature into a folder, for the installation.
pub fn pull_into(
    folder: &Path,
    from: &Reference,
    publisher: Option<&str>,
    registry: &RegistryOptions,
) -> Result<(PathBuf, PulledComponent), ToolError> {
    let is_signature = |kind: Attachment| kind == Attachment::Signature;
    let pulled = read(from, registry, publisher, is_signature)?;
    pulled.warn_if_unsigned();
    let path = folder.join(format!("{}.wasm", stem(&from.location)));
    pulled.write(&path)?;
    let component = PulledComponent {
        sha256: pulled.sha256,
        origin: PluginOrigin {
            repository: pulled.place,
            tag: pulled.tag.map(|tag| tag.to_string()),
            digest: pulled.artifact.descriptor.digest.to_string(),
        },
    };
    Ok((path, component))
}

fn read(
    from: &Reference,
    registry: &RegistryOptions,
    publisher: Option<&str>,
    is_wanted: impl Fn(Attachment) -> bool,
) -> Result<Pulled, ToolError> {
    let repository = registry.open(&from.location, Access::Pull)?;
    let repository = &*repository;
    runtime()?.block_on(async {
        let (tag, artifact) = artifact::resolve(repository, from.version.as_ref()).await?;
        let layer = artifact::component(repository, &artifact)?;
        let wasm = repository.blob(&layer).await?;
        let sha256 = PluginDigest::of(&wasm);
        let attached = artifact::attached(repository, &artifact, is_wanted).await?;
        let signature = artifact::signature(&attached, sha256, publisher)?;
        let documents = attached.into_iter();
        let documents = documents.filter(|document| document.kind != Attachment::Signature);
        Ok::<_, ToolError>(Pulled {
            place: repository.place(),
            tag,
            artifact,
            wasm,
            sha256,
            signature,
            documents: documents.collect(),
        })
    })
}

impl Pulled {
    fn warn_if_unsigned(&self) {
        if self.signature.is_none() {
            warn(format_args!(
                "no publisher's signature is attached to {} in {}",
                self.artifact.descriptor.digest, self.place
            ));
        }
    }

    /// Writes the component and its signature. An existing signature of another component is
    /// removed.
    fn write(&self, path: &Path) -> Result<(), ToolError> {
        let signature = signature_file(path);
        match &self.signature {
            Some(signed) => write(&signature, &signed.content)?,
            None => match fs::remove_file(&signature) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(unwritable(&signature, &error));
                }
                _ => {}
            },
        }
        write(path, &self.wasm)
    }
}

impl Written {
    fn text(&self) -> String {
        let tag = self.tag.iter().map(|tag| format!(":{tag}"));
        let mut lines = vec![
            format!("{}{}", self.repository, tag.collect::<String>()),
            format!("digest     {}", self.digest),
            format!("component  {} {}", self.sha256, self.component.display()),
        ];
        if let (Some(publisher), Some(file)) = (&self.publisher, &self.signature) {
            lines.push(format!(
                "publisher  {} {}",
                shown(publisher),
                file.display()
            ));
        }
        let attached = self.attached.iter();
        lines.extend(
            attached.map(|document| {
                format!("attached   {} {}", document.digest, document.file.display())
            }),
        );
        lines.join("\n")
    }
}

/// Returns the last part of a repository's name.
fn stem(location: &Location) -> String {
    match location {
        Location::Layout(path) => {
            let name = path.file_name().unwrap_or("plugin".as_ref());
            name.to_string_lossy().into_owned()
        }
        Location::Registry(registry) => {
            let name = registry.name();
            name.rsplit('/').next().unwrap_or(name).to_owned()
        }
    }
}

/// Returns the path of an attachment beside the component's file, after this many others of its
/// kind.
fn beside(path: &Path, kind: Attachment, others: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    if others > 0 {
        name.push(format!(".{}", others + 1));
    }
    name.push(kind.ending());
    name.into()
}

fn write(path: &Path, content: &[u8]) -> Result<(), ToolError> {
    fs::write(path, content).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> ToolError {
    ToolError::Refused(format!("{} cannot be written: {error}", path.display()))
}
