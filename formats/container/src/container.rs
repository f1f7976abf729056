use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use parafa_format_core::{DigestAlgorithm, Environment, Hasher, Note, Refusal, refusal};
use parafa_xades::{DataObjects, Piece};
use parafa_zip::{Archive, Entry, Error};

use crate::limits::Limits;
use crate::manifest;
use crate::part::{ADOC_RELATIONS, MANIFEST, META_INF, Part};
use crate::refusals::{about, too_much_to_verify, unsound, unsupported};

/// The media type of ADOC-V1.0.
const ADOC: &str = "application/vnd.lt.archyvai.adoc-2008";

/// A container with consistent archive and manifest. Its signatures are
/// unverified.
#[derive(Debug)]
pub struct Container<'a, E: Environment> {
    /// Environment for work on the bytes.
    pub environment: &'a E,
    /// Bytes of the container.
    pub document: &'a E::Blob,
    /// Limits in effect.
    pub limits: Limits,
    /// Media type of the container.
    pub media_type: &'static str,
    /// The ZIP archive.
    pub archive: Archive,
    /// Number of members that a signature adds.
    pub new_entries: u64,
    files: Vec<DataFile>,
    elements: Vec<SignedElement>,
    /// Names of the data files, and members with `ID`s of the elements.
    held: HashSet<(String, Option<String>)>,
    /// Members with metadata, which are not data files.
    metadata: HashSet<String>,
    /// Names of the signature files, in archive order.
    pub signature_files: Vec<String>,
    /// Names of members that differ from signature files only in case.
    pub misnamed_signature_files: Vec<String>,
    /// Names of members after which nothing can be added.
    pub seals: Vec<String>,
    /// Notes on the container.
    pub notes: Vec<Note>,
    /// Indices of members in the archive.
    places: HashMap<String, usize>,
    digests: RefCell<Digests>,
    /// Remaining bytes to inflate.
    inflatable: Cell<u64>,
    /// Remaining bytes to digest for time-stamps.
    stampable: Cell<u64>,
}

/// A data file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DataFile {
    /// Name of the member.
    pub name: String,
    /// Media type in the manifest.
    pub media_type: String,
    /// An attachment that need not be signed.
    pub is_attached: bool,
}

/// An element of a member that is signed individually, like the metadata of
/// ADOC.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignedElement {
    /// Name of the member.
    pub member: String,
    /// `ID` of the element.
    pub id: String,
    /// Canonical XML 1.0 of the element.
    pub octets: Vec<u8>,
}

impl SignedElement {
    /// Returns its id among the members of the container.
    #[must_use]
    pub fn member_id(&self) -> String {
        member_id(&self.member, Some(&self.id))
    }
}

/// Returns the id of a member, or of an element in it. File names may contain
/// `#` too, so the id does not reveal its kind.
pub(crate) fn member_id(member: &str, part: Option<&str>) -> String {
    part.map_or_else(|| member.to_owned(), |part| format!("{member}#{part}"))
}

/// Digests of members by index, or the errors.
type Digests = HashMap<(usize, DigestAlgorithm), Result<Vec<u8>, Error>>;

impl<'a, E: Environment> Container<'a, E> {
    /// Reads archive and manifest of a container with a media type. Its data
    /// files are all members in the manifest outside META-INF.
    ///
    /// # Errors
    /// The codes of the archive and of XML when the container cannot be read;
    /// `other-format`, `mdoc-not-accepted` or `unsupported-container` when it
    /// is of another kind; `container-unsound` when it violates its format.
    pub fn read(
        environment: &'a E,
        document: &'a E::Blob,
        media_type: &'static str,
    ) -> Result<Self, Refusal> {
        let limits = Limits::default();
        let archive = Archive::read(document, &limits.zip)?;
        let (stated, of_mimetype) = archive.media_type(environment, document)?;
        check_media_type(&stated, media_type)?;
        let named = |part| {
            let members = archive.members().map(|member| &member.name);
            let members = members.filter(move |name| Part::of(name) == part);
            members.cloned().collect::<Vec<_>>()
        };
        let of_cms = named(Part::CmsSignatures);
        if !of_cms.is_empty() {
            return Err(unsupported(
                "The container is signed with CAdES; only XAdES signatures are taken.",
            ));
        }
        let of_no_kind = named(Part::UnknownSignatures);
        if !of_no_kind.is_empty() {
            let detail = "The container has members that are named as signature files and are of another kind than XML.";
            return Err(unsound(detail, of_no_kind));
        }
        let files = read_manifest(environment, document, &archive, &limits, media_type)?;
        let mut container = Self {
            environment,
            document,
            media_type,
            new_entries: 1,
            files: Vec::new(),
            elements: Vec::new(),
            held: HashSet::new(),
            metadata: HashSet::new(),
            signature_files: named(Part::Signatures),
            misnamed_signature_files: named(Part::MisnamedSignatures),
            seals: named(Part::Seal),
            notes: [archive.notes(), &of_mimetype].concat(),
            places: places(&archive),
            digests: RefCell::default(),
            inflatable: Cell::new(limits.inflated_bytes),
            stampable: Cell::new(limits.stamped_bytes),
            limits,
            archive,
        };
        container.hold(files, Vec::new(), HashSet::new())?;
        Ok(container)
    }

    /// Sets the files and elements of the container: shown to signers, and
    /// covered by a new signature. The first file is the main one. Members with
    /// metadata may be signed without being shown as files.
    ///
    /// # Errors
    /// `container-unsound` when two of them have the same id.
    pub fn hold(
        &mut self,
        files: Vec<DataFile>,
        elements: Vec<SignedElement>,
        metadata: HashSet<String>,
    ) -> Result<(), Refusal> {
        self.files = files;
        self.elements = elements;
        let ids: Vec<String> = self.member_ids().collect();
        self.metadata = metadata;
        let files = self.files.iter().map(|file| (file.name.clone(), None));
        let elements = self.elements.iter();
        let elements = elements.map(|element| (element.member.clone(), Some(element.id.clone())));
        self.held = files.chain(elements).collect();
        if ids.iter().collect::<HashSet<_>>().len() < ids.len() {
            let none: [&str; 0] = [];
            return Err(unsound("Members of the container have one name.", none));
        }
        Ok(())
    }

    /// Returns the data files, the main one first.
    #[must_use]
    pub fn files(&self) -> &[DataFile] {
        &self.files
    }

    /// Returns the elements that are signed like files.
    #[must_use]
    pub fn elements(&self) -> &[SignedElement] {
        &self.elements
    }

    /// Returns the ids of files and elements, in order.
    pub fn member_ids(&self) -> impl Iterator<Item = String> {
        let files = self.files.iter().map(|file| file.name.clone());
        files.chain(self.elements.iter().map(SignedElement::member_id))
    }

    /// Returns whether a data file, or an element of a member, is shown to
    /// signers.
    #[must_use]
    pub fn holds(&self, member: &str, part: Option<&str>) -> bool {
        let key = (member.to_owned(), part.map(str::to_owned));
        self.held.contains(&key)
    }

    /// Returns whether a member is a data file shown to signers, has metadata,
    /// or belongs to the container itself.
    pub(crate) fn accounts_for(&self, member: &str) -> bool {
        Part::of(member) != Part::Data || self.metadata.contains(member) || self.holds(member, None)
    }

    /// Returns the member with a name.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Entry> {
        self.archive.entries().get(*self.places.get(name)?)
    }

    /// Returns the bytes of an XML member.
    ///
    /// # Errors
    /// There is none, it exceeds `most`, or it cannot be inflated.
    pub fn read_member(&self, name: &str, most: u64) -> Result<Vec<u8>, Refusal> {
        let Some(member) = self.member(name) else {
            let detail = format!("The container has no member {name:?}.");
            return Err(unsound(detail, [name]));
        };
        self.spend(member);
        self.expect_inflatable()?;
        Ok(member.read(self.environment, self.document, most)?)
    }

    /// Returns the digest of a data file.
    pub(crate) fn digest_of(
        &self,
        file: &DataFile,
        algorithm: DigestAlgorithm,
    ) -> Result<Vec<u8>, Refusal> {
        let digest = self.digest_at(&file.name, algorithm);
        self.expect_inflatable()?;
        Ok(digest?)
    }

    /// Checks the bytes of every member against the archive.
    ///
    /// # Errors
    /// A mismatch, or the limit of inflated bytes is exceeded.
    pub fn check_bytes(&self) -> Result<(), Refusal> {
        for member in self.archive.members() {
            self.spend(member);
            self.expect_inflatable()?;
            member.check(self.environment, self.document)?;
        }
        Ok(())
    }

    /// Refuses if the limit of inflated bytes was reached.
    ///
    /// # Errors
    /// `too-much-to-verify` in this case.
    pub fn expect_inflatable(&self) -> Result<(), Refusal> {
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

    /// Returns a member after charging its inflated bytes.
    fn inflatable_member(&self, name: &str) -> Result<&Entry, String> {
        let member = self.member(name).ok_or("it is not there")?;
        self.spend(member);
        if self.inflatable.get() == 0 {
            return Err("more would be inflated than is".to_owned());
        }
        Ok(member)
    }

    /// Charges the inflated bytes of a member.
    fn spend(&self, member: &Entry) {
        if member.deflated {
            let left = self.inflatable.get().saturating_sub(member.size);
            self.inflatable.set(left);
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
                Piece::Member(name) => {
                    let member = self.inflatable_member(name)?;
                    let left = self.stampable.get().checked_sub(member.size);
                    self.stampable.set(left.unwrap_or(0));
                    left.ok_or("more would be digested than is")?;
                    let hashed = member.hash(self.document, &mut hasher);
                    hashed.map_err(|error| error.to_string())?;
                }
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

/// Refuses a type other than `expected`: extensions decide nothing.
fn check_media_type(media_type: &str, expected: &str) -> Result<(), Refusal> {
    const MDOC: &str = "application/vnd.lt.archyvai.mdoc-2010";
    /// Types supported by plugins.
    const TAKEN: [(&str, &str); 2] = [
        ("application/vnd.etsi.asic-e+zip", "an ASiC-E"),
        (ADOC, "an ADOC"),
    ];
    const OTHERS: [(&str, &str); 3] = [
        ("application/vnd.etsi.asic-s+zip", "an ASiC-S"),
        ("application/vnd.bdoc-1.0", "a BDOC 1.0"),
        ("application/vnd.lt.sodra.egas-2009", "an EGAS"),
    ];

    let named = |known: &[(&str, &'static str)]| {
        let mut known = known.iter();
        let known = known.find(|(known, _)| *known == media_type);
        known.map(|(_, name)| *name)
    };
    if media_type == expected {
        Ok(())
    } else if let Some(name) = named(&TAKEN) {
        let detail = format!("The container is {name}.");
        Err(about(refusal::OTHER_FORMAT, detail, [media_type]))
    } else if media_type == MDOC {
        Err(Refusal::new(
            refusal::MDOC_NOT_ACCEPTED,
            "An MDOC takes a first signature only.",
        ))
    } else {
        Err(unsupported(match named(&OTHERS) {
            Some(name) => format!("The container is {name}, which is not taken; ASiC-E is."),
            None => format!("The container is of the type {media_type:?}, which is not taken."),
        }))
    }
}

/// Returns the data files: exactly the members of the archive outside META-INF.
fn read_manifest<E: Environment>(
    environment: &E,
    document: &E::Blob,
    archive: &Archive,
    limits: &Limits,
    media_type: &str,
) -> Result<Vec<DataFile>, Refusal> {
    let Some(member) = archive.member(MANIFEST) else {
        let detail = "The container has no manifest.";
        return Err(unsound(detail, [MANIFEST]));
    };
    let bytes = member.read(environment, document, limits.manifest_bytes)?;
    let entries = manifest::read(&bytes, &limits.xml, media_type)?;
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
    let in_meta_inf: Vec<&str> = entries
        .iter()
        .map(|entry| entry.name.as_str())
        .filter(|name| is_stray(name, media_type))
        .collect();
    if !in_meta_inf.is_empty() {
        let detail = "The manifest names members of META-INF, which other programs take for files and nobody signs.";
        return Err(unsound(detail, in_meta_inf));
    }
    let entries = entries.into_iter();
    let files: Vec<_> = entries
        .filter(|entry| Part::of(&entry.name) == Part::Data)
        .map(|entry| DataFile {
            name: entry.name,
            media_type: entry.media_type,
            is_attached: false,
        })
        .collect();
    if files.is_empty() {
        let none: [&str; 0] = [];
        return Err(unsound("The container holds no files.", none));
    }
    Ok(files)
}

/// Returns whether a manifest entry is below META-INF without a defined
/// meaning: libdigidocpp shows such members as data files. Manifests of
/// ADOC-V1.0 list its relations.
fn is_stray(name: &str, media_type: &str) -> bool {
    let is_known = media_type == ADOC && name == ADOC_RELATIONS;
    name.starts_with(META_INF) && Part::of(name) == Part::Other && !is_known
}

fn places(archive: &Archive) -> HashMap<String, usize> {
    let entries = archive.entries().iter().enumerate();
    entries
        .filter(|(_, entry)| !entry.is_folder())
        .map(|(place, entry)| (entry.name.clone(), place))
        .collect()
}
