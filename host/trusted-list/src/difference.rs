//! Differences between lists and trust anchors.

use jiff::Timestamp;
use parafa_trust::{AuthorityKind, Certificate, Purpose, TrustEntry};
use serde::Serialize;

use crate::listed::{Listed, Window};

/// Maximum length of the part of a file name that names the certificate's subject.
const LONGEST_NAME: usize = 40;

/// Differences between lists and anchors, for a person to review.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Difference {
    /// Certificates that lists name as qualified and no anchor has.
    pub added: Vec<Added>,
    /// Anchors whose qualified period differs.
    pub changed: Vec<Changed>,
    /// Anchors that are no longer qualified, but not marked so yet.
    pub withdrawn: Vec<Changed>,
    /// Anchors that none of the lists contains, and that issued no qualified unit of theirs.
    pub unlisted: Vec<Unlisted>,
    /// Further remarks for the reviewer.
    pub notes: Vec<String>,
}

/// An anchor to add.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Added {
    /// The file that its certificate would be in.
    pub file: String,
    /// Subject of its certificate.
    pub subject: String,
    /// Its certificate's SHA-256.
    pub sha256: String,
    /// Purpose for which it would be accepted.
    pub purpose: &'static str,
    /// Period in which it is qualified.
    #[serde(flatten)]
    pub window: Window,
    /// The name of the service.
    pub service: String,
    /// Name of the provider.
    pub provider: String,
    /// The list that names it.
    pub territory: String,
    /// Policies by which the list distinguishes its certificates.
    pub policies: Vec<String>,
    /// The certificate, DER.
    #[serde(skip)]
    pub(crate) certificate: Vec<u8>,
}

/// An anchor whose qualified period differs.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// Its file.
    pub file: String,
    /// Subject of its certificate.
    pub subject: String,
    /// Its certificate's SHA-256.
    pub sha256: String,
    /// Purposes for which it is accepted.
    pub purposes: Vec<&'static str>,
    /// Qualified period in `trust.toml`.
    pub before: Window,
    /// Qualified period in the lists.
    pub after: Window,
    /// Its place among the entries.
    #[serde(skip)]
    pub(crate) entry: usize,
}

/// An anchor that no list contains.
#[derive(Clone, Debug, Serialize)]
pub struct Unlisted {
    /// Its file.
    pub file: String,
    /// Subject of its certificate.
    pub subject: String,
    /// Its certificate's SHA-256.
    pub sha256: String,
    /// Purposes for which it is accepted.
    pub purposes: Vec<&'static str>,
}

/// Input of the comparison.
pub(crate) struct Comparison<'a> {
    pub(crate) listed: &'a [Listed],
    /// The entries of `trust.toml`.
    pub(crate) entries: &'a [TrustEntry],
    /// File of each entry.
    pub(crate) files: &'a [String],
    pub(crate) now: Timestamp,
}

impl Difference {
    /// Returns true if there is nothing to write.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.withdrawn.is_empty()
    }
}

impl Comparison<'_> {
    pub(crate) fn difference(&self) -> Difference {
        let mut difference = Difference::default();
        for (place, (entry, file)) in self.entries.iter().zip(self.files).enumerate() {
            self.look_at_entry(place, entry, file, &mut difference);
        }
        for listed in self.listed {
            self.look_at_listed(listed, &mut difference);
        }
        difference
    }

    fn look_at_entry(
        &self,
        place: usize,
        entry: &TrustEntry,
        file: &str,
        difference: &mut Difference,
    ) {
        let purposes: Vec<Purpose> = [Purpose::Signing, Purpose::Timestamping]
            .into_iter()
            .filter(|purpose| is_anchor_for(entry, *purpose))
            .collect();
        if purposes.is_empty() {
            return;
        }
        let named = self.listed.iter().filter(|listed| {
            listed.certificate == entry.certificate && purposes.contains(&listed.purpose)
        });
        let mut windows: Vec<Window> = named.map(|listed| listed.window).collect();
        windows.dedup();
        let certificate = &entry.certificate;
        let (subject, sha256) = (subject(certificate), sha256(certificate));
        let purposes: Vec<&'static str> = purposes.into_iter().map(name).collect();
        let before = Window {
            from: entry.qualified_from,
            until: entry.qualified_until,
        };
        match windows[..] {
            [] if self.issued_a_stamper(entry) => {}
            [] => difference.unlisted.push(Unlisted {
                file: file.to_owned(),
                subject,
                sha256,
                purposes,
            }),
            [after] if after == before => {}
            [after] => {
                let changed = Changed {
                    file: file.to_owned(),
                    subject,
                    sha256,
                    purposes,
                    before,
                    after,
                    entry: place,
                };
                match after.until {
                    Some(_) => difference.withdrawn.push(changed),
                    None => difference.changed.push(changed),
                }
            }
            _ => difference.notes.push(format!(
                "{file} ({subject}) is qualified at other times for each of its purposes: give each an entry of its own"
            )),
        }
    }

    /// Returns true if an anchor issued the certificate of a qualified time-stamping service. Lists
    /// name the time-stamping unit; anchors are authorities.
    fn issued_a_stamper(&self, entry: &TrustEntry) -> bool {
        is_anchor_for(entry, Purpose::Timestamping)
            && self.listed.iter().any(|listed| {
                listed.purpose == Purpose::Timestamping
                    && listed.is_granted()
                    && listed.certificate.is_issued_by(&entry.certificate)
            })
    }

    fn look_at_listed(&self, listed: &Listed, difference: &mut Difference) {
        let certificate = &listed.certificate;
        let is_current = listed.is_granted() && self.now < certificate.not_after();
        let is_known = self.entries.iter().any(|entry| {
            is_anchor_for(entry, listed.purpose)
                && (entry.certificate == *certificate || is_unit_below(listed, entry))
        });
        if !is_current || is_known {
            return;
        }
        let subject = subject(certificate);
        if !certificate.is_authority() {
            difference.notes.push(match listed.purpose {
                Purpose::Timestamping => format!(
                    "{}: {subject} ({}) stamps times and is no authority: its stamps count once the authority that issued it is an anchor for timestamping",
                    listed.territory, listed.provider
                ),
                _ => format!(
                    "{}: {subject} ({}) is no authority's certificate, and so no anchor",
                    listed.territory, listed.provider
                ),
            });
            return;
        }
        difference.added.push(Added {
            file: file_name(certificate),
            subject,
            sha256: sha256(certificate),
            purpose: name(listed.purpose),
            window: listed.window,
            service: listed.service.clone(),
            provider: listed.provider.clone(),
            territory: listed.territory.clone(),
            policies: listed.policies.clone(),
            certificate: certificate.der().to_vec(),
        });
    }
}

/// Returns true if the entry's authority issued the certificate of a listed time-stamping unit.
fn is_unit_below(listed: &Listed, entry: &TrustEntry) -> bool {
    listed.purpose == Purpose::Timestamping
        && !listed.certificate.is_authority()
        && listed.certificate.is_issued_by(&entry.certificate)
}

fn is_anchor_for(entry: &TrustEntry, purpose: Purpose) -> bool {
    entry.kind != AuthorityKind::Intermediate && entry.purposes.contains(&purpose)
}

/// Name of a purpose in `trust.toml`.
fn name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Signing => "signing",
        Purpose::Timestamping => "timestamping",
        Purpose::Authentication => "authentication",
    }
}

fn subject(certificate: &Certificate) -> String {
    let name = certificate.subject().common_name();
    name.unwrap_or("without a common name").to_owned()
}

fn sha256(certificate: &Certificate) -> String {
    hex::encode_upper(certificate.sha256())
}

/// File name from a certificate's subject and digest.
fn file_name(certificate: &Certificate) -> String {
    let subject = certificate.subject().common_name().unwrap_or_default();
    let words = subject.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut name = words.join("-").to_ascii_lowercase();
    name.truncate(LONGEST_NAME);
    let digest = hex::encode(&certificate.sha256()[..8]);
    let parts = [name.trim_end_matches('-'), digest.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}.pem", parts.join("-"))
}
