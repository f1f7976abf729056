use parafa_oci::{Access, Location, Reference, Tag, Version};
use serde_json::json;

use super::{RegistryOptions, artifact, runtime};
use crate::ToolError;
use crate::output::{print_json, print_line};

/// Arguments of `parafa plugin copy`.
#[derive(Debug, clap::Args)]
pub struct CopyArguments {
    /// The source: oci://HOST/NAME or oci-layout:PATH, with :TAG or @sha256:DIGEST. Default: the
    /// newest release.
    from: Reference,
    /// The target: oci://HOST/NAME or oci-layout:PATH, with :TAG. Default: the tag of the source.
    to: Reference,
    /// Move the tag even if it is a version that names another artifact already.
    #[arg(long)]
    move_tag: bool,
    #[command(flatten)]
    registry: RegistryOptions,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Copies a component with all its attachments, to the byte.
pub fn copy(arguments: &CopyArguments) -> Result<(), ToolError> {
    let (from, to) = (&arguments.from, &arguments.to);
    let named = match &to.version {
        Some(Version::Digest(_)) => {
            return Err(ToolError::Refused(format!(
                "name a tag to copy to, such as {}:0.1.0; the digest stays the same",
                to.location
            )));
        }
        Some(Version::Tag(tag)) => Some(tag.clone()),
        None => None,
    };
    let of_source = match &to.location {
        Location::Layout(_) => arguments.registry.clone(),
        Location::Registry(_) => arguments.registry.without_account(),
    };
    let source = of_source.open(&from.location, Access::Pull)?;
    let target = arguments.registry.open(&to.location, Access::PullAndPush)?;
    let (tag, digest, attached) = runtime()?.block_on(async {
        let (tag, artifact) = artifact::resolve(&*source, from.version.as_ref()).await?;
        artifact::component(&*source, &artifact)?;
        let tag: Option<Tag> = named.or(tag);
        if let Some(tag) = tag.as_ref().filter(|_| !arguments.move_tag) {
            artifact::check_tag(&*target, tag, &artifact).await?;
        }
        let attached = parafa_oci::copy(&*source, &*target, &artifact, tag.as_ref()).await?;
        Ok::<_, ToolError>((tag, artifact.descriptor.digest, attached.len()))
    })?;
    let tag = tag.map(|tag| tag.to_string());
    let place = target.place();
    if arguments.json {
        print_json(&json!({
            "repository": place,
            "tag": tag,
            "digest": digest,
            "attached": attached,
        }))?;
    } else {
        let tag = tag.map(|tag| format!(":{tag}")).unwrap_or_default();
        print_line(format_args!(
            "{place}{tag}\ndigest    {digest}\nattached  {attached}"
        ))?;
    }
    Ok(())
}
