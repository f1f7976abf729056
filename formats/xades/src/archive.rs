//! Raises signatures to level LT (EN 319 132-1, 6.3): what they are verified
//! with is put beside them, so that nobody has to be asked any more. Nothing that
//! was there changes, and nothing that is put in is signed or stamped.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parafa_ades::{
    Answers, ChainLimits, Contents, Plan, Rules, Signature as _, ValidationMaterial, due_chains,
    refuse, require_raisable, too_much_to_verify,
};
use parafa_format_core::{
    Answer, BaselineLevel, Environment, Integrity, Refusal, Step, levels, refusal,
};
use parafa_xml::{Document, Limits};

use crate::examined::Examined;
use crate::file;
use crate::names::{XADES, XADES_141};
use crate::objects::DataObjects;
use crate::unsigned::{Insertion, inserted, with_properties};
use crate::verify::Verifier;

/// A signature file of a container.
#[derive(Clone, Copy, Debug)]
pub struct SignatureFile<'a> {
    /// Its name, as references to it have it.
    pub name: &'a str,
    /// What it holds.
    pub document: &'a Document<'a>,
}

/// Signature files whose signatures are at level LT.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Raised {
    /// The lowest level of all signatures, one of `levels`.
    pub level: &'static str,
    /// What becomes of each file; `None`: it stays as it is.
    pub files: Vec<Option<String>>,
}

/// Raises every signature of a container to level LT, given what was answered so
/// far.
///
/// The step needs a `certificate` for every end of a chain that does not sign
/// itself, and `revocation` data for every certificate below an anchor whose
/// revocation data the signature does not hold. What is missing of the signer's
/// chain becomes CertificateValues and RevocationValues; what is missing of the
/// chains of time-stamps, and all of a signature that has such values already,
/// TimeStampValidationData, behind all properties (EN 319 132-1, 5.4 and 5.5.1).
///
/// # Errors
/// `archive-incomplete` when there is no signature, or something cannot be had,
/// with one subject for everything that is missing; `archive-no-room` when a
/// file would be too long; `too-much-to-verify` when the chains take more work
/// than is done; `container-unsound` when one is no signature file.
pub fn archive<E: Environment, O: DataObjects>(
    environment: &E,
    objects: &O,
    files: &[SignatureFile<'_>],
    answers: &[Answer],
) -> Result<Step<Raised>, Refusal> {
    // What is written here has to be verified with as much work as is done.
    let limits = ChainLimits::default();
    let half = ChainLimits {
        signatures: limits.signatures / 2,
        digested_bytes: limits.digested_bytes / 2,
        ..limits
    };
    let verifier = Verifier::within(environment, objects, &half);
    let examined = files
        .iter()
        .map(|file| examined(&verifier, *file))
        .collect::<Result<Vec<_>, _>>()?;
    let answers = Answers::new(answers);
    let plans = match plan(&verifier, &examined, &answers)? {
        Step::Needs(needs) => return Ok(Step::Needs(needs)),
        Step::Done(plans) => plans,
    };
    let written: Vec<Option<String>> = files
        .iter()
        .zip(&plans)
        .map(|(file, additions)| raised_file(file.document, additions))
        .collect();
    require_not_signed(files, &written, &examined)?;
    let verifier = Verifier::within(environment, objects, &half);
    let level = level_of(&verifier, files, &written)?;
    Ok(Step::Done(Raised {
        level,
        files: written,
    }))
}

fn examined<E: Environment, O: DataObjects>(
    verifier: &Verifier<'_, E, O>,
    file: SignatureFile<'_>,
) -> Result<Vec<Examined>, Refusal> {
    verifier.examine(file.name, file.document).ok_or_else(|| {
        let detail = format!("The member {:?} is no signature file.", file.name);
        Refusal {
            subjects: vec![file.name.to_owned()],
            ..Refusal::new(refusal::CONTAINER_UNSOUND, detail)
        }
    })
}

/// What every signature of every file lacks, or what has to be asked first.
fn plan<E: Environment, O: DataObjects>(
    verifier: &Verifier<'_, E, O>,
    files: &[Vec<Examined>],
    answers: &Answers<'_>,
) -> Result<Step<Vec<Vec<Additions>>>, Refusal> {
    if files.iter().all(Vec::is_empty) {
        let detail = "The document has no signature that could be archived.";
        return Err(Refusal::new(refusal::ARCHIVE_INCOMPLETE, detail));
    }
    let signatures = files.iter().flatten();
    let materials: Vec<_> = signatures
        .clone()
        .map(|examined| {
            let mut material = verifier.material();
            examined.add_to(&mut material);
            answers.add_to(&mut material);
            let position = examined.position(&material, Rules::Complete);
            (examined, material, position)
        })
        .collect();
    require_raisable(
        materials
            .iter()
            .map(|(examined, _, position)| (examined.name(), position)),
    )?;
    let sealed = signatures.filter(|examined| examined.verified.is_sealed);
    let sealed = sealed.map(|examined| format!("{}: an evidence record seals it", examined.name));
    refuse(sealed.collect())?;

    let mut plan = Plan::default();
    let mut chains = Vec::new();
    for (examined, material, position) in materials {
        let own = [
            (examined.name(), position.signer),
            (examined.name(), position.timestamps),
        ];
        let one = std::slice::from_ref(examined);
        let due = due_chains(&material, one, examined.archive_timestamps(), &own);
        for (name, contents) in own.iter().chain(&due) {
            plan.add(&material, name, contents, answers);
        }
        if material.is_exhausted() {
            return Err(too_much_to_verify());
        }
        let [(_, signer), (_, timestamps)] = own;
        let stamped = std::iter::once(timestamps);
        let stamped = stamped.chain(due.into_iter().map(|(_, contents)| contents));
        chains.push((examined, material, signer, stamped.collect::<Vec<_>>()));
    }
    let needs = plan.into_needs()?;
    if !needs.is_empty() {
        return Ok(Step::Needs(needs));
    }
    let mut additions = chains.iter().map(|(examined, material, signer, stamped)| {
        Additions::new(examined, material, signer, stamped)
    });
    let of_files = files
        .iter()
        .map(|file| additions.by_ref().take(file.len()).collect());
    Ok(Step::Done(of_files.collect()))
}

/// What is put beside one signature.
#[derive(Debug)]
struct Additions {
    /// Of the signer's chain.
    own: parafa_ades::Additions,
    /// Of the chains of time-stamps.
    stamped: parafa_ades::Additions,
}

impl Additions {
    fn new<E: Environment>(
        examined: &Examined,
        material: &ValidationMaterial<'_, E>,
        signer: &Contents,
        stamped: &[Contents],
    ) -> Self {
        let mut additions = Self {
            own: parafa_ades::Additions::default(),
            stamped: parafa_ades::Additions::default(),
        };
        // There may be one of each, and time-stamps may be over them.
        let own = if examined.material.has_values {
            &mut additions.stamped
        } else {
            &mut additions.own
        };
        own.add(material, signer, &Contents::default());
        for contents in stamped {
            additions.stamped.add(material, contents, signer);
        }
        additions
    }

    /// The properties, as they are written; empty when there are none.
    fn properties(&self) -> String {
        let mut text = String::new();
        if !self.stamped.is_empty() {
            let stamped = values(&self.stamped);
            let _ = write!(
                text,
                "<xades141:TimeStampValidationData xmlns:xades141=\"{XADES_141}\">{stamped}\
                 </xades141:TimeStampValidationData>"
            );
        }
        text + &values(&self.own)
    }
}

/// CertificateValues and RevocationValues (EN 319 132-1, 5.4.1 and 5.4.2), without
/// those that would be empty.
fn values(additions: &parafa_ades::Additions) -> String {
    let certificates = encapsulated("EncapsulatedX509Certificate", &additions.certificates);
    let lists = encapsulated("EncapsulatedCRLValue", &additions.lists);
    let responses = encapsulated("EncapsulatedOCSPValue", &additions.responses);
    let revocation = element("CRLValues", &lists) + &element("OCSPValues", &responses);
    property("CertificateValues", &certificates) + &property("RevocationValues", &revocation)
}

fn encapsulated(name: &str, ders: &[Vec<u8>]) -> String {
    let values = ders.iter().map(|der| BASE64_STANDARD.encode(der));
    values.map(|value| element(name, &value)).collect()
}

/// An element with a content, and none without.
fn element(name: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    format!("<xades:{name}>{content}</xades:{name}>")
}

/// The same where the prefix may mean something else.
fn property(name: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    format!("<xades:{name} xmlns:xades=\"{XADES}\">{content}</xades:{name}>")
}

/// A file with what its signatures lack, if they lack anything.
fn raised_file(document: &Document<'_>, additions: &[Additions]) -> Option<String> {
    let signatures = file::signatures(document).unwrap_or_default();
    let insertions: Vec<Insertion> = signatures
        .into_iter()
        .zip(additions)
        .filter_map(|(signature, additions)| {
            let properties = additions.properties();
            (!properties.is_empty()).then(|| with_properties(signature, &properties))?
        })
        .collect();
    (!insertions.is_empty()).then(|| inserted(document.source(), insertions))
}

/// Refuses to change files that another signature is over.
fn require_not_signed(
    files: &[SignatureFile<'_>],
    written: &[Option<String>],
    examined: &[Vec<Examined>],
) -> Result<(), Refusal> {
    let changed: Vec<&str> = files
        .iter()
        .zip(written)
        .filter_map(|(file, written)| written.as_ref().map(|_| file.name))
        .collect();
    let faults = examined.iter().flatten().flat_map(|examined| {
        let covers = examined.verified.covers.iter();
        let covers = covers.filter(|covered| changed.contains(&covered.member.as_str()));
        covers.map(|covered| {
            let member = &covered.member;
            format!(
                "{member}: {} is over it, so that nothing can be added",
                examined.name
            )
        })
    });
    refuse(faults.collect())
}

/// The lowest level that is found in what was written, the first of its kind.
fn level_of<E: Environment, O: DataObjects>(
    verifier: &Verifier<'_, E, O>,
    files: &[SignatureFile<'_>],
    written: &[Option<String>],
) -> Result<&'static str, Refusal> {
    let mut found = Vec::new();
    for (file, written) in files.iter().zip(written) {
        let verified = match written {
            None => verifier.verify(file.document),
            Some(text) => {
                let document = Document::parse(text.as_bytes(), &Limits::default());
                let document = document.map_err(|error| no_room(file.name, &error))?;
                verifier.verify(&document)
            }
        };
        found.extend(verified.unwrap_or_default());
    }
    if verifier.is_exhausted() {
        return Err(too_much_to_verify());
    }
    let levels = found.iter().map(|one| match one.integrity {
        Integrity::Intact => one.level,
        _ => levels::UNKNOWN,
    });
    let lowest = levels.min_by_key(|level| BaselineLevel::of(level));
    lowest
        .filter(|level| BaselineLevel::of(level) >= Some(BaselineLevel::Lt))
        .ok_or_else(|| {
            let detail = "What the document holds does not let its signatures be raised.";
            Refusal::new(refusal::ARCHIVE_INCOMPLETE, detail)
        })
}

fn no_room(name: &str, error: &parafa_xml::Error) -> Refusal {
    let detail = format!("What {name:?} would have to hold is more than is taken: {error}.");
    Refusal {
        subjects: vec![name.to_owned()],
        ..Refusal::new(refusal::ARCHIVE_NO_ROOM, detail)
    }
}
