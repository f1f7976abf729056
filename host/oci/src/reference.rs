//! References: the names of artifacts on the command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use url::{Host, Url};

use crate::digest::{Digest, MalformedDigest};

const REGISTRY: &str = "oci://";
const LAYOUT: &str = "oci-layout:";
/// Longest name of a repository, which most registries accept (distribution-spec
/// 1.1, "Pulling manifests").
const LONGEST_NAME: usize = 255;
const LONGEST_TAG: usize = 128;
/// Docker Hub's name, and the host that serves it.
const DOCKER_HUB: (&str, &str) = ("docker.io", "registry-1.docker.io");

/// An artifact: its repository, and its tag or digest there.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reference {
    /// The repository.
    pub location: Location,
    /// The tag or digest; `None` leaves the choice to the resolver.
    pub version: Option<Version>,
}

/// A repository.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Location {
    /// `oci-layout:PATH`
    Layout(PathBuf),
    /// `oci://HOST/NAME`
    Registry(RegistryName),
}

/// A repository of a registry.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RegistryName {
    /// The registry as it was written, with its port.
    host: String,
    name: String,
    /// The base of the repository's addresses.
    base: Url,
}

/// One artifact of a repository.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Version {
    /// The one with this digest.
    Digest(Digest),
    /// The artifact that the tag currently names.
    Tag(Tag),
}

/// A tag: at most 128 letters, digits, and `_`, `.`, `-` (distribution-spec 1.1,
/// "Pulling manifests").
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Tag(String);

/// A text that names no artifact.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ReferenceError {
    /// The text is a web address.
    #[error(
        "components are not fetched from web addresses: name a registry's artifact, `oci://HOST/NAME:TAG`, an image layout, `oci-layout:PATH:TAG`, or download the component with its signature and name the file"
    )]
    WebAddress,
    /// The text has another scheme, or none.
    #[error("an artifact is named `oci://HOST/NAME:TAG` or `oci-layout:PATH:TAG`, not {0:?}")]
    Scheme(String),
    /// The registry is not a host with an optional port.
    #[error("{0:?} is not a registry: a host, and a port if it is not the default one")]
    Host(String),
    /// The name of the repository is malformed.
    #[error(
        "{0:?} is not the name of a repository: lower-case letters, digits and single `.`, `_` or `-` between them, in parts that `/` separates"
    )]
    Name(String),
    /// The tag is malformed.
    #[error("{0:?} is not a tag: at most 128 letters, digits, `_`, `.` and `-`")]
    Tag(String),
    /// The digest is malformed.
    #[error(transparent)]
    Digest(#[from] MalformedDigest),
    /// The layout has no path.
    #[error("`oci-layout:` is followed by the path of a folder")]
    NoPath,
}

impl Reference {
    /// Returns true if a text has a scheme, and so is not a file's path.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(LAYOUT) || text.contains("://")
    }
}

impl FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        if let Some(rest) = text.strip_prefix(REGISTRY) {
            let (path, version) = split_version(rest)?;
            let location = Location::Registry(path.parse()?);
            return Ok(Self { location, version });
        }
        if let Some(rest) = text.strip_prefix(LAYOUT) {
            let (path, version) = split_version(rest)?;
            if path.is_empty() {
                return Err(ReferenceError::NoPath);
            }
            let location = Location::Layout(path.into());
            return Ok(Self { location, version });
        }
        let lower = text.to_ascii_lowercase();
        if lower.starts_with("http://") || lower.starts_with("https://") {
            return Err(ReferenceError::WebAddress);
        }
        Err(ReferenceError::Scheme(text.to_owned()))
    }
}

/// Splits off the version. A digest has precedence over a tag before it.
fn split_version(text: &str) -> Result<(&str, Option<Version>), ReferenceError> {
    let (text, digest) = match text.rsplit_once('@') {
        Some((text, digest)) if !digest.contains('/') => (text, Some(digest.parse::<Digest>()?)),
        _ => (text, None),
    };
    let (text, tag) = match text.rsplit_once(':') {
        Some((text, tag)) if !tag.contains('/') => (text, Some(tag.parse::<Tag>()?)),
        _ => (text, None),
    };
    let version = digest.map(Version::Digest).or(tag.map(Version::Tag));
    Ok((text, version))
}

impl FromStr for RegistryName {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let (host, name) = text
            .split_once('/')
            .ok_or_else(|| ReferenceError::Name(String::new()))?;
        let malformed = || ReferenceError::Host(host.to_owned());
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
        if host.is_empty() || !host.bytes().all(is_host) {
            return Err(malformed());
        }
        if !is_name(name) {
            return Err(ReferenceError::Name(name.to_owned()));
        }
        let lower = host.to_ascii_lowercase();
        let (service, folder) = match lower == DOCKER_HUB.0 {
            true if name.contains('/') => (DOCKER_HUB.1, ""),
            true => (DOCKER_HUB.1, "library/"),
            false => (&*lower, ""),
        };
        let address = |scheme: &str| {
            let address = format!("{scheme}://{service}/v2/{folder}{name}/");
            Url::parse(&address).map_err(|_| malformed())
        };
        let https = address("https")?;
        let base = match is_on_this_machine(&https) {
            true => address("http")?,
            false => https,
        };
        Ok(Self {
            host: lower,
            name: name.to_owned(),
            base,
        })
    }
}

impl RegistryName {
    /// Returns the registry, with its port if it was written.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the repository's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the base of this repository's addresses: HTTP for a registry on this machine,
    /// otherwise HTTPS.
    #[must_use]
    pub fn base(&self) -> &Url {
        &self.base
    }
}

pub(crate) fn is_on_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Returns true if each part matches `[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*` (distribution-spec 1.1,
/// "Pulling manifests").
fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_part = |part: &str| {
        let is_separator = |run: &str| {
            matches!(run, "" | "." | "_" | "__") || run.bytes().all(|byte| byte == b'-')
        };
        part.starts_with(is_plain)
            && part.ends_with(is_plain)
            && part.split(is_plain).all(is_separator)
    };
    name.len() <= LONGEST_NAME && name.split('/').all(is_part)
}

impl Tag {
    /// Parses the tag as a semantic version. Tags have no `+`: `_` replaces it, as `wkg` writes it.
    #[must_use]
    pub fn version(&self) -> Option<semver::Version> {
        semver::Version::parse(&self.0.replace('_', "+")).ok()
    }

    /// Returns the tag as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the tag of an index of referrers in a registry without their API (distribution-spec
    /// 1.1, "Referrers Tag Schema").
    pub(crate) fn of_referrers(subject: &Digest) -> Self {
        Self(format!("sha256-{}", subject.hex()))
    }
}

impl FromStr for Tag {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_sound = text.len() <= LONGEST_TAG
            && text.bytes().next().is_some_and(is_word)
            && text
                .bytes()
                .all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'));
        match is_sound {
            true => Ok(Self(text.to_owned())),
            false => Err(ReferenceError::Tag(text.to_owned())),
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Digest(digest) => digest.fmt(f),
            Self::Tag(tag) => tag.fmt(f),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layout(path) => write!(f, "{LAYOUT}{}", path.display()),
            Self::Registry(RegistryName { host, name, .. }) => {
                write!(f, "{REGISTRY}{host}/{name}")
            }
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.location.fmt(f)?;
        match &self.version {
            None => Ok(()),
            Some(Version::Digest(digest)) => write!(f, "@{digest}"),
            Some(Version::Tag(tag)) => write!(f, ":{tag}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry(text: &str) -> RegistryName {
        match text.parse::<Reference>().expect(text).location {
            Location::Registry(name) => name,
            Location::Layout(path) => panic!("{text} is the layout {}", path.display()),
        }
    }

    #[test]
    fn a_reference_is_written_as_it_was_read() {
        let digest = Digest::of(b"");
        for text in [
            "oci://ghcr.io/acme/sutartis".to_owned(),
            "oci://ghcr.io/acme/sutartis:0.2.0".to_owned(),
            format!("oci://localhost:5000/sutartis@{digest}"),
            "oci://[::1]:5000/a/b-c.d__e/f:latest".to_owned(),
            "oci-layout:/srv/mirror".to_owned(),
            "oci-layout:/srv/mirror:0.2.0".to_owned(),
            "oci-layout:mirror:latest".to_owned(),
            format!("oci-layout:mirror/sutartis@{digest}"),
        ] {
            assert_eq!(text.parse::<Reference>().expect(&text).to_string(), text);
        }
    }

    #[test]
    fn a_digest_is_believed_over_the_tag_before_it() {
        let digest = Digest::of(b"");
        let reference = format!("oci://ghcr.io/acme/sutartis:0.2.0@{digest}");

        let reference: Reference = reference.parse().unwrap();

        assert_eq!(reference.version, Some(Version::Digest(digest)));
        assert_eq!(
            reference.location.to_string(),
            "oci://ghcr.io/acme/sutartis"
        );
    }

    #[test]
    fn web_addresses_are_refused_with_what_to_do() {
        for text in ["http://a.example/p.wasm", "HTTPS://a.example/p.wasm"] {
            assert!(Reference::is_meant(text), "{text}");
            let refused = text.parse::<Reference>();
            assert_eq!(refused, Err(ReferenceError::WebAddress), "{text}");
        }
        assert!(!Reference::is_meant("plugin.wasm"));
    }

    #[test]
    fn malformed_references_are_refused() {
        for text in [
            "plugin.wasm",
            "ftp://a.example/p",
            "oci://",
            "oci://ghcr.io",
            "oci://ghcr.io/",
            "oci:///acme",
            "oci://:5000/acme",
            "oci://user@ghcr.io/acme",
            "oci://ghcr.io#x/acme",
            "oci://ghcr.io\\a/acme",
            "oci://%67hcr.io/acme",
            "oci://ghcr.io:x/acme",
            "oci://ghcr.io/Acme",
            "oci://ghcr.io/acme//p",
            "oci://ghcr.io/../p",
            "oci://ghcr.io/acme._p",
            "oci://ghcr.io/-acme",
            "oci://ghcr.io/acme:",
            "oci://ghcr.io/acme:a+b",
            "oci://ghcr.io/acme:.a",
            "oci://ghcr.io/acme@sha256:00",
            "oci://ghcr.io/acme?x",
            "oci-layout:",
            "oci-layout:@sha256:00",
        ] {
            assert!(text.parse::<Reference>().is_err(), "{text}");
        }
        let long = format!("oci://ghcr.io/acme:{}", "x".repeat(LONGEST_TAG + 1));
        assert!(long.parse::<Reference>().is_err());
    }

    #[test]
    fn a_registry_on_this_machine_alone_is_spoken_to_by_plain_http() {
        for (text, base) in [
            ("oci://127.0.0.1:5000/a", "http://127.0.0.1:5000/v2/a/"),
            ("oci://localhost/a", "http://localhost/v2/a/"),
            ("oci://localhost:443/a", "http://localhost:443/v2/a/"),
            ("oci://[::1]/a", "http://[::1]/v2/a/"),
            (
                "oci://registry.lan:5000/a/b",
                "https://registry.lan:5000/v2/a/b/",
            ),
            (
                "oci://localhost.example/a",
                "https://localhost.example/v2/a/",
            ),
            ("oci://GHCR.io/a", "https://ghcr.io/v2/a/"),
            (
                "oci://docker.io/a",
                "https://registry-1.docker.io/v2/library/a/",
            ),
            (
                "oci://docker.io/a/b",
                "https://registry-1.docker.io/v2/a/b/",
            ),
        ] {
            assert_eq!(registry(text).base().as_str(), base);
        }
    }

    #[test]
    fn a_tag_may_be_a_semantic_version() {
        let version = |tag: &str| tag.parse::<Tag>().unwrap().version();
        assert_eq!(version("1.2.3"), Some(semver::Version::new(1, 2, 3)));
        assert_eq!(version("1.2.3-rc.1_b").unwrap().build.as_str(), "b");
        assert_eq!(version("v1.2.3"), None);
        assert_eq!(version("latest"), None);
    }
}
