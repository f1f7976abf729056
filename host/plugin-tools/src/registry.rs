//! Plugins in OCI registries and image layouts.

mod artifact;
mod attachment;
mod copy;
mod outdated;
mod pull;
mod push;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use parafa_oci::{
    Access, Credentials, Layout, Location, OciError, Reference, ReferenceError, Registry,
    RegistryName, Repository,
};
use parafa_outbound::{AddressPolicy, HostPort, OutboundClient, Reach, ServerTrust};
use parafa_plugin_store::reasons;
use tokio::runtime::Runtime;

pub use self::copy::{CopyArguments, copy};
pub use self::outdated::outdated;
pub use self::pull::{PullArguments, pull, pull_into};
pub use self::push::{PushArguments, push};
use crate::ToolError;
use crate::bench;
use crate::output::shown_whole;

/// Options of commands that speak to a registry.
#[derive(Clone, Debug, clap::Args)]
pub struct RegistryOptions {
    /// The account at the registry; for a copy, at the target registry. Default: the account that
    /// `docker login` or `podman login` has stored.
    #[arg(long, value_name = "NAME", requires = "password_file")]
    username: Option<String>,
    /// The file with the account's password or token.
    #[arg(long, value_name = "F", requires = "username")]
    password_file: Option<PathBuf>,
    /// A host that the registry may redirect to although it is not public, for example for tokens
    /// or contents. Can be given several times.
    #[arg(long, value_name = "HOST:PORT")]
    allow: Vec<HostPort>,
}

/// The source of an installation.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PluginSource {
    /// A component in a file.
    File(PathBuf),
    /// An artifact of a registry or a layout.
    Artifact(Reference),
}

impl PluginSource {
    /// Parses an operator's argument.
    ///
    /// # Errors
    /// When it is a web address, or a malformed reference.
    pub fn parse(text: OsString) -> Result<Self, ReferenceError> {
        match text.to_str().filter(|text| Reference::is_meant(text)) {
            Some(reference) => Ok(Self::Artifact(reference.parse()?)),
            None => Ok(Self::File(text.into())),
        }
    }
}

impl RegistryOptions {
    /// Returns the options without an account.
    fn without_account(&self) -> Self {
        Self {
            username: None,
            password_file: None,
            allow: self.allow.clone(),
        }
    }

    fn names_account(&self) -> bool {
        self.username.is_some()
    }

    fn open(&self, location: &Location, access: Access) -> Result<Box<dyn Repository>, ToolError> {
        // Absolute, because a later comparison with the layout may run in another folder.
        let absolute = |path: &Path| {
            std::path::absolute(path).context("the folder of the command is not known")
        };
        let repository: Box<dyn Repository> = match (location, access) {
            (Location::Layout(path), Access::Pull) => Box::new(Layout::open(&absolute(path)?)?),
            (Location::Layout(path), Access::PullAndPush) => {
                Box::new(Layout::open_or_create(&absolute(path)?)?)
            }
            (Location::Registry(name), access) => Box::new(self.connect(name, access)?),
        };
        Ok(repository)
    }

    fn connect(&self, name: &RegistryName, access: Access) -> Result<Registry, ToolError> {
        let listed = self.allow.iter().cloned().chain(HostPort::of(name.base()));
        let policy = AddressPolicy::new(listed.collect(), Reach::PublicHttps);
        let client = OutboundClient::new(policy, &ServerTrust::default());
        let client = client.context("the client of the registry cannot be made")?;
        let credentials = match self.account()? {
            Some(given) => Some(given),
            None => Credentials::find(name.host()).map_err(OciError::from)?,
        };
        Ok(Registry::new(Arc::new(client), name, credentials, access))
    }

    fn account(&self) -> Result<Option<Credentials>, ToolError> {
        let (Some(username), Some(file)) = (&self.username, &self.password_file) else {
            return Ok(None);
        };
        let password = bench::read(file)?;
        let password = std::str::from_utf8(&password)
            .map_err(|_| ToolError::Refused("the password is not a text in UTF-8".to_owned()))?;
        let password = password.trim_end_matches(['\r', '\n']);
        Ok(Some(Credentials::new(username, password)))
    }
}

impl From<OciError> for ToolError {
    fn from(error: OciError) -> Self {
        Self::Refused(shown_whole(&reasons(&error)).into_owned())
    }
}

fn runtime() -> anyhow::Result<Runtime> {
    Runtime::new().context("the runtime does not start")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_a_file_unless_it_has_a_scheme() {
        let parse = |text: &str| PluginSource::parse(text.into());

        let file = PluginSource::File("plugins/pdf.wasm".into());
        assert_eq!(parse("plugins/pdf.wasm"), Ok(file));
        let artifact = parse("oci://ghcr.io/acme/pdf:0.1.0");
        assert!(matches!(artifact, Ok(PluginSource::Artifact(_))));
        let web = parse("https://acme.example/pdf.wasm");
        assert_eq!(web, Err(ReferenceError::WebAddress));
        assert!(parse("ftp://acme.example/pdf.wasm").is_err());
    }
}
