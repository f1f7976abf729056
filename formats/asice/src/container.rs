use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use parafa_format_core::{DigestAlgorithm, Environment, Hasher, Note, Refusal, refusal};
use parafa_xades::{DataObjects, Piece};
use parafa_zip::{Archive, Entry, Error};

use crate::MEDIA_TYPE;
use crate::limits::Limits;
use crate::manifest::{self, ManifestEntry};
use crate::part::{ADOC_RELATIONS, MANIFEST, Part};
use crate::refusals::{about, too_much_to_verify, unsound, unsupported};

/// A container whose archive and manifest agree on what it holds. Of its
/// signatures nothing is known.
pub(crate) struct Container<'a, E: Environment> {
    pub(crate) environment: &'a E,
    pub(crate) document: &'a E::Blob,
    pub(crate) limits: Limits,
    pub(crate) archive: Archive,
    /// The data files, in the order of the manifest.
    pub(crate) files: Vec<ManifestEntry>,
    /// Names of the signature files, in the order of their data.
    pub(crate) signature_files: Vec<String>,
    /// Names of members behind which nothing can be added.
    pub(crate) seals: Vec<String>,
    /// What is worth telling.
    pub(crate) notes: Vec<Note>,
    /// Places of members in the archive.
    places: HashMap<String, usize>,
    digests: RefCell<Digests>,
    /// Bytes that may still be inflated.
    inflatable: Cell<u64>,
}

/// Digests of members, by their places, or why there are none.
type Digests = HashMap<(usize, DigestAlgorithm), Result<Vec<u8>, Error>>;

impl<'a, E: Environment> Container<'a, E> {
    /// Reads archive and manifest.
    ///
    /// # Errors
    /// A refusal with a code of the archive or of XML when the container cannot
    /// be read, `other-format`, `mdoc-not-accepted` or `unsupported-container`
    /// when it is of another kind, and `container-unsound` when it is not built
    /// as ASiC-E says.
    pub(crate) fn read(environment: &'a E, document: &'a E::Blob) -> Result<Self, Refusal> {
        let limits = Limits::default();
        let archive = Archive::read(document, &limits.zip)?;
        let (media_type, of_mimetype) = archive.media_type(environment, document)?;
        check_media_type(&media_type)?;
        let named = |part| {
            let members = archive.members().map(|member| &member.name);
            let members = members.filter(move |name| Part::of(name) == part);
            members.cloned().collect::<Vec<_>>()
        };
        let of_cms = named(Part::CmsSignatures);
        if !of_cms.is_empty() {
            let detail = "The container is signed with CAdES; only XAdES signatures are taken.";
            return Err(unsound(detail, of_cms));
        }
        let files = read_manifest(environment, document, &archive, &limits)?;
        let mut container = Self {
            environment,
            document,
            files,
            signature_files: named(Part::Signatures),
            seals: named(Part::Seal),
            notes: [archive.notes(), &of_mimetype].concat(),
            places: places(&archive),
            digests: RefCell::default(),
            inflatable: Cell::new(limits.inflated_bytes),
            limits,
            archive,
        };
        container.note_oddities();
        Ok(container)
    }

    /// Whether a member is a data file.
    pub(crate) fn is_file(&self, name: &str) -> bool {
        Part::of(name) == Part::Data && self.places.contains_key(name)
    }

    /// The member of a name.
    pub(crate) fn member(&self, name: &str) -> Option<&Entry> {
        self.archive.entries().get(*self.places.get(name)?)
    }

    /// The digest of a data file.
    pub(crate) fn digest_of(
        &self,
        file: &ManifestEntry,
        algorithm: DigestAlgorithm,
    ) -> Result<Vec<u8>, Refusal> {
        let digest = self.digest_at(&file.name, algorithm);
        self.expect_inflatable()?;
        Ok(digest?)
    }

    /// Looks whether every member has the bytes that the archive tells of.
    pub(crate) fn check_bytes(&self) -> Result<(), Refusal> {
        for member in self.archive.members() {
            self.spend(member);
            self.expect_inflatable()?;
            member.check(self.environment, self.document)?;
        }
        Ok(())
    }

    /// Refuses when members were not inflated because that was too much.
    pub(crate) fn expect_inflatable(&self) -> Result<(), Refusal> {
        if self.inflatable.get() == 0 {
            Err(too_much_to_verify())
        } else {
            Ok(())
        }
    }

    fn digest_at(&self, name: &str, algorithm: DigestAlgorithm) -> Result<Vec<u8>, Error> {
        const MISSING: &str = "it is not there";

        let damaged = |reason: &str| Error::Member {
            name: name.to_owned(),
            reason: reason.to_owned(),
        };
        let place = self.places.get(name).copied();
        let member = place.and_then(|place| self.archive.entries().get(place));
        let (Some(place), Some(member)) = (place, member) else {
            return Err(damaged(MISSING));
        };
        let mut digests = self.digests.borrow_mut();
        let digest = digests.entry((place, algorithm)).or_insert_with(|| {
            self.spend(member);
            if self.inflatable.get() == 0 {
                return Err(damaged("more would be inflated than is"));
            }
            member.digest(self.environment, self.document, algorithm)
        });
        digest.clone()
    }

    /// A member whose bytes are taken from what may be inflated.
    fn inflatable_member(&self, name: &str) -> Result<&Entry, String> {
        let member = self.member(name).ok_or("it is not there")?;
        self.spend(member);
        if self.inflatable.get() == 0 {
            return Err("more would be inflated than is".to_owned());
        }
        Ok(member)
    }

    /// Takes what a member inflates to from what may be inflated.
    fn spend(&self, member: &Entry) {
        if member.deflated {
            let left = self.inflatable.get().saturating_sub(member.size);
            self.inflatable.set(left);
        }
    }

    fn note_oddities(&mut self) {
        for file in &self.files {
            if self
                .member(&file.name)
                .is_some_and(|member| member.size == 0)
            {
                let detail = format!("The file {:?} is empty.", file.name);
                self.notes.push(Note::new("empty-member", detail));
            }
        }
        if self.member(ADOC_RELATIONS).is_some() {
            let detail =
                "The container has relations as ADOC-V2.0 has them; it is taken as ASiC-E.";
            self.notes.push(Note::new("adoc-v2", detail));
        }
    }
}

impl<E: Environment> DataObjects for Container<'_, E> {
    fn contains(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    fn digest(&self, pieces: &[Piece<'_>], algorithm: DigestAlgorithm) -> Result<Vec<u8>, String> {
        if let [Piece::Member(name)] = pieces {
            let digest = self.digest_at(name, algorithm);
            return digest.map_err(|error| error.to_string());
        }
        let mut hasher = self.environment.hasher(algorithm.into());
        for piece in pieces {
            match piece {
                Piece::Bytes(bytes) => hasher.update(bytes),
                Piece::Member(name) => self
                    .inflatable_member(name)?
                    .hash(self.document, &mut hasher)
                    .map_err(|error| error.to_string())?,
            }
        }
        Ok(hasher.finish())
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let bytes = self.inflatable_member(name)?.read(
            self.environment,
            self.document,
            self.limits.xml.bytes as u64,
        );
        bytes.map_err(|error| error.to_string())
    }
}

/// Refuses what is no ASiC-E, by its media type: extensions decide nothing.
fn check_media_type(media_type: &str) -> Result<(), Refusal> {
    const ADOC: &str = "application/vnd.lt.archyvai.adoc-2008";
    const MDOC: &str = "application/vnd.lt.archyvai.mdoc-2010";
    const OTHERS: [(&str, &str); 3] = [
        ("application/vnd.etsi.asic-s+zip", "an ASiC-S"),
        ("application/vnd.bdoc-1.0", "a BDOC 1.0"),
        ("application/vnd.lt.sodra.egas-2009", "an EGAS"),
    ];

    match media_type {
        MEDIA_TYPE => Ok(()),
        ADOC => Err(about(
            refusal::OTHER_FORMAT,
            "The container is an ADOC.",
            [ADOC],
        )),
        MDOC => Err(Refusal::new(
            refusal::MDOC_NOT_ACCEPTED,
            "The container is an MDOC, which is not taken for signing.",
        )),
        other => {
            let known = OTHERS.iter().find(|(known, _)| *known == other);
            Err(unsupported(match known {
                Some((_, name)) => {
                    format!("The container is {name}, which is not taken; ASiC-E is.")
                }
                None => format!("The container is of the type {other:?}, which is not taken."),
            }))
        }
    }
}

/// The data files: exactly what stands in the archive outside of META-INF.
fn read_manifest<E: Environment>(
    environment: &E,
    document: &E::Blob,
    archive: &Archive,
    limits: &Limits,
) -> Result<Vec<ManifestEntry>, Refusal> {
    let Some(member) = archive.member(MANIFEST) else {
        let detail = "The container has no manifest.";
        return Err(unsound(detail, [MANIFEST]));
    };
    let bytes = member.read(environment, document, limits.manifest_bytes)?;
    let mut entries = manifest::read(&bytes, &limits.xml)?;
    let held: HashSet<&str> = archive
        .members()
        .map(|member| member.name.as_str())
        .collect();
    let named: HashSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let absent: Vec<&str> = entries
        .iter()
        .map(|entry| entry.name.as_str())
        .filter(|name| !held.contains(name))
        .collect();
    if !absent.is_empty() {
        let detail = "The manifest names members that the container does not have.";
        return Err(unsound(detail, absent));
    }
    let unnamed: Vec<&str> = archive
        .members()
        .map(|member| member.name.as_str())
        .filter(|name| Part::of(name) == Part::Data && !named.contains(name))
        .collect();
    if !unnamed.is_empty() {
        let detail = "The container has files that its manifest does not name.";
        return Err(unsound(detail, unnamed));
    }
    entries.retain(|entry| Part::of(&entry.name) == Part::Data);
    if entries.is_empty() {
        let none: [&str; 0] = [];
        return Err(unsound("The container holds no files.", none));
    }
    Ok(entries)
}

fn places(archive: &Archive) -> HashMap<String, usize> {
    let entries = archive.entries().iter().enumerate();
    entries
        .filter(|(_, entry)| !entry.is_folder())
        .map(|(place, entry)| (entry.name.clone(), place))
        .collect()
}
