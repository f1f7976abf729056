//! Names and passwords for registries, given or from the file that `docker
//! login` and `podman login` write.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::HeaderValue;
use serde::Deserialize;
use zeroize::Zeroizing;

/// Docker Hub's host, and its key in Docker's file.
const DOCKER_HUB: (&str, &str) = ("docker.io", "https://index.docker.io/v1/");

/// A name and a password.
pub struct Credentials(Zeroizing<String>);

/// Errors of a file of credentials.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    /// The file cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The file is not in the form of Docker's `config.json`.
    #[error("{} is not a file of credentials as `docker login` writes it", .0.display())]
    Malformed(PathBuf),
    /// The password is kept by another program.
    #[error(
        "{} leaves the password for {host} to the helper {helper}, which is not supported: give --username and --password-file",
        path.display()
    )]
    Helper {
        /// The file.
        path: PathBuf,
        /// The registry.
        host: String,
        /// The helper's name.
        helper: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DockerConfig {
    #[serde(default)]
    auths: BTreeMap<String, Entry>,
    #[serde(default)]
    cred_helpers: BTreeMap<String, String>,
    creds_store: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    auth: Option<String>,
}

impl Credentials {
    /// Credentials given by the caller.
    #[must_use]
    pub fn new(name: &str, password: &str) -> Self {
        Self(Zeroizing::new(format!("{name}:{password}")))
    }

    /// Looks for the credentials of a registry in two files. The first is the one in
    /// `REGISTRY_AUTH_FILE`, or else `containers/auth.json` in the folder `XDG_RUNTIME_DIR`. The
    /// second is `config.json` in the folder `DOCKER_CONFIG`, or else `.docker/config.json` in the
    /// home folder.
    ///
    /// # Errors
    /// When such a file exists and cannot be used.
    pub fn find(host: &str) -> Result<Option<Self>, CredentialsError> {
        let named = |variable| std::env::var_os(variable).map(PathBuf::from);
        if let Some(file) = named("REGISTRY_AUTH_FILE") {
            return Self::in_file(&file, host);
        }
        let podman = named("XDG_RUNTIME_DIR").map(|folder| folder.join("containers/auth.json"));
        let home = || Some(std::env::home_dir()?.join(".docker"));
        let docker = named("DOCKER_CONFIG").or_else(home);
        let docker = docker.map(|folder| folder.join("config.json"));
        for file in podman.into_iter().chain(docker) {
            if let Some(found) = Self::in_file(&file, host)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn in_file(path: &Path, host: &str) -> Result<Option<Self>, CredentialsError> {
        let text = match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => Zeroizing::new(read.map_err(|source| CredentialsError::Unreadable {
                path: path.to_owned(),
                source,
            })?),
        };
        let malformed = || CredentialsError::Malformed(path.to_owned());
        let config: DockerConfig = serde_json::from_slice(&text).map_err(|_| malformed())?;
        let hub = (host == DOCKER_HUB.0).then_some(DOCKER_HUB.1);
        let https = format!("https://{host}");
        let mut names = [host, https.as_str()].into_iter().chain(hub);
        let entry = names.clone().find_map(|name| config.auths.get(name));
        if let Some(encoded) = entry.and_then(|entry| entry.auth.as_ref()) {
            let decoded = BASE64.decode(encoded).map_err(|_| malformed())?;
            let pair = String::from_utf8(decoded).map_err(|_| malformed())?;
            return match pair.contains(':') {
                true => Ok(Some(Self(Zeroizing::new(pair)))),
                false => Err(malformed()),
            };
        }
        let helper = names.find_map(|name| config.cred_helpers.get(name));
        let helper = helper.or(entry.and(config.creds_store.as_ref()));
        match helper {
            Some(helper) => Err(CredentialsError::Helper {
                path: path.to_owned(),
                host: host.to_owned(),
                helper: helper.clone(),
            }),
            None => Ok(None),
        }
    }

    /// Returns the value of the header `Authorization` (RFC 7617).
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        let encoded = Zeroizing::new(BASE64.encode(self.0.as_bytes()));
        let mut value = HeaderValue::from_str(&format!("Basic {}", *encoded)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, host: &str) -> Result<Option<String>, CredentialsError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.json");
        fs::write(&file, text).unwrap();
        let credentials = Credentials::in_file(&file, host)?;
        Ok(credentials.map(|credentials| credentials.0.to_string()))
    }

    #[test]
    fn credentials_are_those_of_the_registry() {
        let text = r#"{"auths": {
            "ghcr.io": {"auth": "b25hOnM6ZWNyZXQ="},
            "https://index.docker.io/v1/": {"auth": "aHViOng="},
            "token.example": {"identitytoken": "x"}
        }}"#;

        let of = |host| found(text, host).unwrap();
        assert_eq!(of("ghcr.io").as_deref(), Some("ona:s:ecret"));
        assert_eq!(of("docker.io").as_deref(), Some("hub:x"));
        assert_eq!(of("ghcr.io:5000"), None);
        assert_eq!(of("token.example"), None);
    }

    #[test]
    fn a_helper_is_named_and_not_called() {
        for text in [
            r#"{"credHelpers": {"ghcr.io": "pass"}}"#,
            r#"{"auths": {"ghcr.io": {}}, "credsStore": "pass"}"#,
        ] {
            let refused = found(text, "ghcr.io").unwrap_err().to_string();
            assert!(refused.contains("helper pass"), "{refused}");
            assert_eq!(found(text, "other.example").unwrap(), None);
        }
    }

    #[test]
    fn a_damaged_file_is_refused_and_a_missing_one_is_none() {
        for text in ["", r#"{"auths": {"ghcr.io": {"auth": "b25h"}}}"#] {
            assert!(found(text, "ghcr.io").is_err(), "{text}");
        }
        let missing = Credentials::in_file(Path::new("/no/such/file"), "ghcr.io");
        assert!(missing.unwrap().is_none());
    }

    #[test]
    fn a_name_and_a_password_are_a_header() {
        let header = Credentials::new("Aladdin", "open sesame").header();
        let expected = "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==";
        assert_eq!(header.unwrap().to_str().unwrap(), expected);
    }
}
