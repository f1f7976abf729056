//! Adds one signature of ETSI TS 101 903 with a time-stamp (XAdES-T), and
//! metadata about its signer.

use std::collections::HashSet;

use parafa_container::{
    Container, MANIFEST, Signing, bad_request, manifest, number_of, require_coverage, signatures,
};
use parafa_format_core::{Answer, Environment, Outcome, Refusal, SignRequest, Sink, Step, levels};
use parafa_pki::Certificate;
use parafa_xades::{Profile, signing_time};
use parafa_xml::Limits;
use parafa_zip::{Content, Entry, MIMETYPE, Writer};

use crate::MEDIA_TYPE;
use crate::document::Adoc;
use crate::metadata::{SignatureMetadata, line, signature_element};
use crate::obstacle::obstacle;
use crate::relations::{self, Addition, Kind, RELATIONS, ROOT};

/// Folder of signature files.
const SIGNATURES: &str = "META-INF/signatures/";
/// Media type of the folder in the manifest.
const SIGNATURES_TYPE: &str = "application/vnd.lt.archyvai.adoc-2008#signatures-folder";
/// Media type of metadata and signature files.
pub(crate) const XML_MEDIA_TYPE: &str = "text/xml";

/// Signs an ADOC, with the first or a further signature. It covers all
/// documents, the metadata about the document and its authors, and new metadata
/// about the signature itself.
///
/// Without answers the step needs a `signature`, then a `timestamp` at any
/// level: every signature of an ADOC has one. No bytes need to be reserved.
///
/// # Errors
/// The codes of `inspect` or of the obstacle, or `bad-request` when the request
/// or an answer cannot be used.
pub fn sign<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &SignRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<Step, Refusal> {
    let signing = Signing {
        is_stamped: true,
        ..Signing::parse(request)?
    };
    let adoc = Adoc::read(environment, document)?;
    let container = &adoc.container;
    if answers.is_empty() {
        container.check_bytes()?;
    }
    if let Some(obstacle) = obstacle(&adoc, &signatures(container)?) {
        return Err(obstacle);
    }
    require_coverage(container, &request.covers)?;

    let place = Place::find(&adoc);
    let metadata = place.metadata_of(&signing)?;
    let limits = &container.limits.xml;
    let own = signature_element(&place.metadata, &metadata, &place.id, limits)?;
    let draft = signing.draft(container, Profile::Adoc, &place.id, &[own])?;
    let relations = place.relations(&adoc)?;
    let manifest = place.manifest(&adoc)?;
    let file = match signing.signature_file(environment, &draft, answers)? {
        Step::Needs(needs) => return Ok(Step::Needs(needs)),
        Step::Done(file) => file,
    };

    let signed = Signed {
        relations,
        manifest,
        metadata,
        file,
    };
    signed.write(&adoc, &place, request.time, out)?;
    Ok(Step::Done(Outcome {
        media_type: MEDIA_TYPE.to_owned(),
        level: levels::XADES_T.to_owned(),
        signature_id: place.signature_id(),
    }))
}

/// Returns the limits that edited relations and manifest must keep to be
/// readable.
fn edited_limits<E: Environment>(container: &Container<'_, E>) -> Limits {
    let most = usize::try_from(container.limits.manifest_bytes).unwrap_or(usize::MAX);
    let limits = container.limits.xml.clone();
    Limits {
        bytes: limits.bytes.min(most),
        ..limits
    }
}

/// Names and identifiers of a new signature.
struct Place {
    /// `Id` of the signature, and `ID` of its metadata.
    id: String,
    /// Name of the signature file.
    file: String,
    /// Name of the member with its metadata.
    metadata: String,
}

impl Place {
    /// Chooses a number above those of existing signature files and metadata
    /// members, and names that no member has, ignoring case.
    fn find<E: Environment>(adoc: &Adoc<'_, E>) -> Self {
        let members = || adoc.container.archive.members();
        let taken: HashSet<String> = members()
            .map(|member| member.name.to_ascii_lowercase())
            .collect();
        let numbered = members().map(|member| member.name.as_str());
        let numbered = numbered.filter(|name| {
            let files = &adoc.container.signature_files;
            name.starts_with("metadata/signableMetadata") || files.iter().any(|file| file == name)
        });
        let highest = numbered.filter_map(number_of).max();
        let mut number = highest.map_or(0, |highest| u64::from(highest) + 1);
        loop {
            let place = Self {
                id: format!("signature_{number}"),
                file: format!("{SIGNATURES}signatures{number}.xml"),
                metadata: format!("metadata/signableMetadata{number}.xml"),
            };
            let names = [&place.file, &place.metadata];
            if !names
                .iter()
                .any(|name| taken.contains(&name.to_ascii_lowercase()))
            {
                return place;
            }
            number += 1;
        }
    }

    fn signature_id(&self) -> String {
        format!("{}#{}", self.file, self.id)
    }

    fn metadata_of(&self, signing: &Signing<'_>) -> Result<String, Refusal> {
        let certificate = Certificate::from_der(signing.certificate);
        let certificate =
            certificate.map_err(|_| bad_request("The signer's certificate cannot be read."))?;
        let time = signing_time(signing.time);
        let time = time.ok_or_else(|| bad_request("The signing time cannot be written."))?;
        let metadata = SignatureMetadata {
            id: &self.id,
            signature: &self.signature_id(),
            time: &time,
            signer: &line(&certificate.person_name().unwrap_or_default()),
        };
        Ok(metadata.write())
    }

    /// Adds the relations of the new signature: from the document and every
    /// signed part to the signature file.
    fn relations<E: Environment>(&self, adoc: &Adoc<'_, E>) -> Result<String, Refusal> {
        let container = &adoc.container;
        let to_signature = |source, elements| Addition {
            source,
            target: &self.file,
            kind: Kind::Signatures,
            elements,
        };
        let mut additions = vec![
            Addition {
                source: ROOT,
                target: &self.metadata,
                kind: Kind::Signable,
                elements: Vec::new(),
            },
            to_signature(ROOT, Vec::new()),
        ];
        let files = container.files().iter();
        additions.extend(files.map(|file| to_signature(&file.name, Vec::new())));
        for elements in container.elements().chunk_by(|a, b| a.member == b.member) {
            let ids = elements.iter().map(|element| element.id.as_str()).collect();
            additions.push(to_signature(&elements[0].member, ids));
        }
        additions.push(to_signature(&self.metadata, vec![&self.id]));
        relations::with_additions(&adoc.relations, &edited_limits(container), &additions)
    }

    fn manifest<E: Environment>(&self, adoc: &Adoc<'_, E>) -> Result<String, Refusal> {
        let container = &adoc.container;
        let bytes = container.read_member(MANIFEST, container.limits.manifest_bytes)?;
        let entries = [
            (self.metadata.as_str(), XML_MEDIA_TYPE),
            (SIGNATURES, SIGNATURES_TYPE),
            (&self.file, XML_MEDIA_TYPE),
        ];
        manifest::with_entries(&bytes, &edited_limits(container), &entries)
    }
}

/// Edited and new members of a signed document.
struct Signed {
    relations: String,
    manifest: String,
    metadata: String,
    file: String,
}

impl Signed {
    /// Rewrites the archive: relations and manifest in place, all other entries
    /// unchanged, and the new members last.
    fn write<E: Environment, S: Sink<E::Blob>>(
        &self,
        adoc: &Adoc<'_, E>,
        place: &Place,
        time: i64,
        out: &mut S,
    ) -> Result<(), Refusal> {
        let container = &adoc.container;
        let entries = container.archive.entries();
        let (first, rest): (Vec<&Entry>, Vec<&Entry>) =
            entries.iter().partition(|entry| entry.name == MIMETYPE);
        let mut writer = Writer::new(out, time);
        for entry in first.into_iter().chain(rest) {
            let edited = match entry.name.as_str() {
                RELATIONS => &self.relations,
                MANIFEST => &self.manifest,
                _ => {
                    writer.keep(container.document, entry)?;
                    continue;
                }
            };
            writer.add(&entry.name, &Content::Bytes(edited.as_bytes()))?;
        }
        writer.add(&place.metadata, &Content::Bytes(self.metadata.as_bytes()))?;
        writer.add(&place.file, &Content::Bytes(self.file.as_bytes()))?;
        writer.finish(container.archive.comment())?;
        Ok(())
    }
}
