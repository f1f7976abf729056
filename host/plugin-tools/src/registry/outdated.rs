use std::cmp::Ordering;
use std::collections::BTreeSet;

use parafa_oci::{Access, Location, Reference, Repository, Tag, Version};
use parafa_plugin_store::{PluginOrigin, PluginVersion};
use semver::Version as SemanticVersion;
use serde::Serialize;

use super::{RegistryOptions, artifact, runtime};
use crate::output::{print_json, print_line, shown, shown_whole};
use crate::{REFUSED, ToolError};

/// The comparison of an installed plugin with its repository.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Comparison {
    id: String,
    version: String,
    repository: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    outdated: bool,
    /// True if all versions in the repository are older.
    #[serde(skip)]
    is_ahead: bool,
    /// The newest version in the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    newest: Option<String>,
    /// The tag's current digest, if it has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<String>,
    /// The reason why nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

/// The state of a repository.
struct Found {
    newest: Option<SemanticVersion>,
    moved: Option<String>,
}

/// Compares the pulled plugins in use with the newest versions of their repositories.
pub fn outdated(
    installed: Vec<PluginVersion>,
    registry: &RegistryOptions,
    json: bool,
) -> Result<(), ToolError> {
    let active = installed.into_iter().filter(|version| version.active);
    let pulled: Vec<_> = active
        .filter_map(|version| Some((version.origin.clone()?, version)))
        .collect();
    if registry.names_account() {
        check_account(pulled.iter().map(|(origin, _)| origin))?;
    }
    let comparisons: Vec<_> = pulled
        .into_iter()
        .map(|(origin, version)| compare(origin, version, registry))
        .collect();
    if json {
        print_json(&comparisons)?;
    } else if comparisons.is_empty() {
        print_line("no plugin in use was installed from a registry")?;
    } else {
        for comparison in &comparisons {
            print_line(comparison.text())?;
        }
    }
    match comparisons.iter().any(|one| one.fault.is_some()) {
        true => Err(ToolError::Told(REFUSED)),
        false => Ok(()),
    }
}

/// Refuses to send one account to several registries.
fn check_account<'o>(origins: impl Iterator<Item = &'o PluginOrigin>) -> Result<(), ToolError> {
    let locations = origins.filter_map(|origin| origin.repository.parse::<Reference>().ok());
    let registries = locations.filter_map(|reference| match reference.location {
        Location::Registry(name) => Some(name.host().to_owned()),
        Location::Layout(_) => None,
    });
    if registries.collect::<BTreeSet<_>>().len() > 1 {
        return Err(ToolError::Refused(
            "--username is for one registry, and the plugins came from several: log in to each with `docker login` or `podman login`".to_owned(),
        ));
    }
    Ok(())
}

fn compare(origin: PluginOrigin, version: PluginVersion, registry: &RegistryOptions) -> Comparison {
    let tag = origin.tag.as_ref().and_then(|tag| tag.parse::<Tag>().ok());
    let own = tag.as_ref().and_then(Tag::version);
    let own = own.or_else(|| SemanticVersion::parse(&version.version).ok());
    let found = look(&origin, tag.as_ref(), own.as_ref(), registry);
    let (found, fault) = match found {
        Ok(found) => (Some(found), None),
        Err(ToolError::Refused(sentence)) => (None, Some(sentence)),
        Err(ToolError::Fault(error)) => (None, Some(format!("{error:#}"))),
        Err(ToolError::Told(_)) => (None, Some("it cannot be read".to_owned())),
    };
    let (newest, moved) = found.map_or((None, None), |found| (found.newest, found.moved));
    let order = newest.as_ref().zip(own.as_ref());
    let order = order.map(|(newest, own)| newest.cmp(own));
    Comparison {
        id: version.id,
        version: version.version,
        repository: origin.repository,
        tag: origin.tag,
        outdated: order == Some(Ordering::Greater),
        is_ahead: order == Some(Ordering::Less),
        newest: newest.map(|newest| newest.to_string()),
        moved,
        fault,
    }
}

fn look(
    origin: &PluginOrigin,
    tag: Option<&Tag>,
    own: Option<&SemanticVersion>,
    registry: &RegistryOptions,
) -> Result<Found, ToolError> {
    let reference = origin.repository.parse::<Reference>();
    let reference =
        reference.map_err(|error| ToolError::Refused(format!("{}: {error}", origin.repository)))?;
    let repository: Box<dyn Repository> = registry.open(&reference.location, Access::Pull)?;
    runtime()?.block_on(async {
        let is_pre_release = own.is_some_and(|own| !own.pre.is_empty());
        let newest = artifact::newest(repository.tags().await?, is_pre_release);
        let now = match tag {
            Some(tag) => repository.find(&Version::Tag(tag.clone())).await?,
            None => None,
        };
        let now = now.map(|now| now.descriptor.digest.to_string());
        Ok::<_, ToolError>(Found {
            newest: newest.map(|(version, _)| version),
            moved: now.filter(|now| *now != origin.digest),
        })
    })
}

impl Comparison {
    fn text(&self) -> String {
        let name = format!("{} {}", shown(&self.id), shown(&self.version));
        let repository = shown(&self.repository);
        if let Some(fault) = &self.fault {
            return format!("{name}: {}", shown_whole(fault));
        }
        let mut text = match &self.newest {
            Some(newest) if self.outdated => {
                format!("{name}: {newest} is newer, in {repository}")
            }
            Some(newest) if self.is_ahead => {
                format!(
                    "{name} is newer than all versions in {repository}; the newest there is {newest}"
                )
            }
            Some(_) => format!("{name} is the newest in {repository}"),
            None => format!("{name}: no tag of {repository} is a version"),
        };
        if let (Some(tag), Some(moved)) = (&self.tag, &self.moved) {
            text = format!(
                "{text}; the tag {} names another artifact now, {moved}",
                shown(tag)
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_that_has_older_versions_alone_is_told_of() {
        let comparison = Comparison {
            id: "pdf".to_owned(),
            version: "0.2.0".to_owned(),
            repository: "oci://a.example/pdf".to_owned(),
            tag: None,
            outdated: false,
            is_ahead: true,
            newest: Some("0.1.0".to_owned()),
            moved: None,
            fault: None,
        };
        let told = comparison.text();
        assert!(told.contains("newer than all versions"), "{told}");
    }
}
