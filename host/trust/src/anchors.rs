//! The authorities that the operator trusts.

mod manifest;

pub use self::manifest::TrustConfigError;

use std::path::Path;
use std::time::Duration;

use der::asn1::ObjectIdentifier;
use jiff::Timestamp;
use serde::Deserialize;

use crate::certificate::Certificate;
use crate::ocsp::OcspSettings;
use crate::path::{self, PathError};

/// Purpose for which an authority's certificates are accepted.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Qualified signatures of natural persons.
    Signing,
    /// Time-stamps.
    Timestamping,
    /// Authentication of natural persons.
    Authentication,
}

/// Position of an authority in paths.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum AuthorityKind {
    /// A trusted root.
    Root,
    /// A trusted issuing authority, as trusted lists name them.
    Issuing,
    /// Not trusted itself: a step to a trusted authority.
    Intermediate,
}

/// One configured authority.
#[derive(Clone, Debug)]
pub struct TrustEntry {
    /// Its certificate.
    pub certificate: Certificate,
    /// Position in paths.
    pub kind: AuthorityKind,
    /// Purposes for which its certificates are accepted.
    pub purposes: Vec<Purpose>,
    /// eID methods that it serves; empty means all.
    pub methods: Vec<String>,
    /// Start of the period in which its certificates count as qualified.
    pub qualified_from: Option<Timestamp>,
    /// End of that period, exclusive.
    pub qualified_until: Option<Timestamp>,
    /// Policies that a leaf must have, all of them.
    pub policies: Vec<ObjectIdentifier>,
    /// Settings of OCSP requests about its leaves.
    pub ocsp: OcspSettings,
    /// Maximum age of a CRL about its leaves; `None` allows the age that its nextUpdate allows.
    pub crl_max_age: Option<Duration>,
}

impl TrustEntry {
    /// An authority without restrictions.
    #[must_use]
    pub fn new(certificate: Certificate, kind: AuthorityKind, purposes: &[Purpose]) -> Self {
        Self {
            certificate,
            kind,
            purposes: purposes.to_vec(),
            methods: Vec::new(),
            qualified_from: None,
            qualified_until: None,
            policies: Vec::new(),
            ocsp: OcspSettings::default(),
            crl_max_age: None,
        }
    }

    /// Returns true if its certificates count as qualified at `at`.
    #[must_use]
    pub fn is_qualified_at(&self, at: Timestamp) -> bool {
        self.qualified_from.is_none_or(|from| from <= at)
            && self.qualified_until.is_none_or(|until| at < until)
    }

    /// A required policy that `leaf` lacks.
    #[must_use]
    pub fn missing_policy(&self, leaf: &Certificate) -> Option<ObjectIdentifier> {
        self.policies
            .iter()
            .find(|policy| !leaf.policies().contains(policy))
            .copied()
    }

    fn serves(&self, purpose: Purpose, method: Option<&str>) -> bool {
        let by_method = method.is_none_or(|method| {
            self.methods.is_empty() || self.methods.iter().any(|served| served == method)
        });
        self.purposes.contains(&purpose) && by_method
    }

    fn is_anchor(&self) -> bool {
        matches!(self.kind, AuthorityKind::Root | AuthorityKind::Issuing)
    }
}

/// A path and the entry that decides about its leaf.
#[derive(Clone, Debug)]
pub(crate) struct TrustedPath<'a> {
    /// Certificates from the leaf to the anchor, both included.
    pub(crate) chain: Vec<Certificate>,
    /// The anchor nearest to the leaf.
    pub(crate) anchor: &'a TrustEntry,
}

/// All configured authorities.
///
/// They are read from one folder that holds PEM files and a `trust.toml`, whose form
/// `docs/trust.md` describes.
///
/// `root` and `issuing` entries are anchors: a path may end at either, and the anchor nearest to
/// the leaf decides about policies, qualification and revocation. `intermediate` entries only help
/// to find a path for their purposes and methods. Of their other fields only the settings of OCSP
/// count, for the certificates that they issued themselves.
///
/// The validation data kept in a document also end at an anchor, or at the root above one.
/// Authorities between an issuing authority and its root must be configured as `intermediate`.
#[derive(Clone, Debug, Default)]
pub struct TrustAnchors {
    entries: Vec<TrustEntry>,
}

impl TrustAnchors {
    /// Anchors from entries in memory.
    #[must_use]
    pub fn new(entries: Vec<TrustEntry>) -> Self {
        Self { entries }
    }

    /// Reads a folder of that form.
    ///
    /// # Errors
    /// [`TrustConfigError`] names the file and the field.
    pub fn load(folder: &Path) -> Result<Self, TrustConfigError> {
        manifest::load(folder).map(Self::new)
    }

    /// Every configured authority, in the order configured.
    #[must_use]
    pub fn entries(&self) -> &[TrustEntry] {
        &self.entries
    }

    /// Returns true if an anchor is configured for `purpose` and, if given, the eID `method`.
    #[must_use]
    pub fn has_anchor_for(&self, purpose: Purpose, method: Option<&str>) -> bool {
        self.anchors(purpose, method).next().is_some()
    }

    /// Returns true if a certificate is configured as an anchor.
    pub(crate) fn has_anchor(&self, certificate: &Certificate) -> bool {
        let mut anchors = self.entries.iter().filter(|entry| entry.is_anchor());
        anchors.any(|entry| entry.certificate == *certificate)
    }

    /// The configured authority that issued a certificate.
    pub(crate) fn issuer_of(&self, certificate: &Certificate) -> Option<&Certificate> {
        let mut authorities = self.entries.iter().map(|entry| &entry.certificate);
        authorities.find(|authority| certificate.is_issued_by(authority))
    }

    /// Returns true if a configured anchor's chain ends in this root: it is the anchor, or issued
    /// it, directly or through configured authorities. Trusted lists name issuing authorities, and
    /// documents hold the roots above them.
    pub(crate) fn lead_to(&self, root: &Certificate) -> bool {
        let mut below = vec![root];
        let mut above: Vec<&TrustEntry> = self.entries.iter().collect();
        while let Some(authority) = below.pop() {
            if self.has_anchor(authority) {
                return true;
            }
            let (issued, others) = above
                .into_iter()
                .partition::<Vec<_>, _>(|entry| entry.certificate.is_issued_by(authority));
            below.extend(issued.iter().map(|entry| &entry.certificate));
            above = others;
        }
        false
    }

    /// The path from `leaf` to an anchor for `purpose` and `method` that is
    /// valid at `at`. `embedded` are certificates that came with the leaf and
    /// are not trusted.
    pub(crate) fn path(
        &self,
        leaf: &Certificate,
        embedded: &[Certificate],
        purpose: Purpose,
        method: Option<&str>,
        at: Timestamp,
    ) -> Result<TrustedPath<'_>, PathError> {
        let intermediates = self
            .entries
            .iter()
            .filter(|entry| !entry.is_anchor() && entry.serves(purpose, method))
            .map(|entry| &entry.certificate)
            .chain(embedded);
        let trusted = self
            .anchors(purpose, method)
            .map(|entry| &entry.certificate);
        let chain = path::build(leaf, intermediates, trusted, at)?;
        let anchor = self.anchor_of(&chain, purpose, method);
        let anchor = anchor.ok_or(PathError::Shape)?;
        Ok(TrustedPath { chain, anchor })
    }

    /// The anchor for `purpose` and `method` that is nearest to a chain's leaf.
    pub(crate) fn anchor_of(
        &self,
        chain: &[Certificate],
        purpose: Purpose,
        method: Option<&str>,
    ) -> Option<&TrustEntry> {
        chain.iter().skip(1).find_map(|step| {
            self.anchors(purpose, method)
                .find(|entry| entry.certificate == *step)
        })
    }

    fn anchors(&self, purpose: Purpose, method: Option<&str>) -> impl Iterator<Item = &TrustEntry> {
        self.entries
            .iter()
            .filter(move |entry| entry.is_anchor() && entry.serves(purpose, method))
    }
}
