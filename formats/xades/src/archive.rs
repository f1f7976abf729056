//! Raises signatures to level LT (EN 319 132-1, 6.3): adds their validation
//! material, so that no authority has to be asked any more. Existing content
//! stays unchanged, and the additions are neither signed nor time-stamped.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parafa_ades::{
    Answers, ChainLimits, Contents, Plan, Rules, Signature as _, ValidationMaterial, Values,
    due_chains, refuse, require_raisable, too_much_to_verify,
};
use parafa_format_core::{Answer, BaselineLevel, Environment, Refusal, Step, refusal};
use parafa_xml::{Document, Insertion, Limits, inserted};

use crate::examined::Examined;
use crate::file;
use crate::names::{XADES, XADES_141};
use crate::objects::DataObjects;
use crate::unsigned::with_properties;
use crate::verifier::{LIMITS, Verified, Verifier};

/// A signature file of a container.
#[derive(Clone, Copy, Debug)]
pub struct SignatureFile<'a> {
    /// Name of the member.
    pub name: &'a str,
    /// Content of the member.
    pub bytes: &'a [u8],
}

impl<'a> SignatureFile<'a> {
    fn parse(self) -> Result<Document<'a>, Refusal> {
        Document::parse(self.bytes, &Limits::default()).map_err(|error| error.in_member(self.name))
    }
}

/// Signature files whose signatures are at level LT.
#[derive(Clone, Debug)]
pub struct Raised {
    /// Lowest level of all signatures, one of `levels`.
    pub level: &'static str,
    /// New content of each file; `None` if it is unchanged.
    pub files: Vec<Option<String>>,
    /// Results for all signatures after raising, in the order of the files.
    pub signatures: Vec<Verified>,
}

/// Raises every signature of a container to level LT, given the answers so far.
///
/// The step needs a `certificate` for every end of a chain that is not
/// self-signed. It needs `revocation` data for every certificate below an
/// anchor, unless the signature contains it. Missing material of the signer's
/// chain becomes CertificateValues and RevocationValues. Material of time-stamp
/// chains becomes TimeStampValidationData after all properties. So does all
/// material of a signature that has such values already (EN 319 132-1, 5.4 and
/// 5.5.1).
///
/// # Errors
/// `archive-incomplete` when there is no signature or material is unavailable,
/// with one subject per item. `archive-no-room` when a file would be too long;
/// `too-much-to-verify` when the chains exceed the work limits;
/// `container-unsound` when a file is no signature file. The refusals of XML
/// when one cannot be read.
pub fn archive<E: Environment, O: DataObjects>(
    environment: &E,
    objects: &O,
    files: &[SignatureFile<'_>],
    answers: &[Answer],
) -> Result<Step<Raised>, Refusal> {
    // Half of the limits: verifying the output takes more work, because others
    // sign it afterwards.
    let half = ChainLimits {
        signatures: LIMITS.signatures / 2,
        digested_bytes: LIMITS.digested_bytes / 2,
        ..LIMITS
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
        .map(|(file, additions)| raised_file(*file, additions))
        .collect::<Result<_, _>>()?;
    require_not_signed(files, &written, &examined)?;
    let verifier = Verifier::within(environment, objects, &half);
    let signatures = verified(&verifier, files, &written)?;
    Ok(Step::Done(Raised {
        level: lowest_level(&signatures)?,
        files: written,
        signatures,
    }))
}

fn examined<E: Environment, O: DataObjects>(
    verifier: &Verifier<'_, E, O>,
    file: SignatureFile<'_>,
) -> Result<Vec<Examined>, Refusal> {
    let document = file.parse()?;
    verifier.examine(file.name, &document).ok_or_else(|| {
        let detail = format!("The member {:?} is no signature file.", file.name);
        Refusal {
            subjects: vec![file.name.to_owned()],
            ..Refusal::new(refusal::CONTAINER_UNSOUND, detail)
        }
    })
}

/// Returns the missing material of every signature in every file, or the needs
/// to be answered first.
fn plan<E: Environment, O: DataObjects>(
    verifier: &Verifier<'_, E, O>,
    files: &[Vec<Examined>],
    answers: &Answers<'_>,
) -> Result<Step<Vec<Vec<Additions>>>, Refusal> {
    if files.iter().all(Vec::is_empty) {
        let detail = "The document has no signature that could be archived.";
        return Err(Refusal::new(refusal::ARCHIVE_INCOMPLETE, detail));
    }
    let materials: Vec<_> = files
        .iter()
        .flatten()
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
    let additions = chains.iter().map(|(examined, material, signer, stamped)| {
        let additions = Additions::new(examined, material, signer, stamped);
        (examined, additions)
    });
    let additions: Vec<_> = additions.collect();
    let sealed = additions.iter().filter(|(examined, additions)| {
        examined.verified.is_sealed && !additions.properties().is_empty()
    });
    let sealed = sealed.map(|(examined, _)| {
        let name = &examined.name;
        format!("{name}: an evidence record seals it, so that nothing can be added")
    });
    refuse(sealed.collect())?;
    let mut additions = additions.into_iter().map(|(_, additions)| additions);
    let of_files = files
        .iter()
        .map(|file| additions.by_ref().take(file.len()).collect());
    Ok(Step::Done(of_files.collect()))
}

/// Additions to one signature.
#[derive(Debug)]
struct Additions {
    /// For the signer's chain.
    own: Values,
    /// For the chains of time-stamps.
    stamped: Values,
}

impl Additions {
    fn new<E: Environment>(
        examined: &Examined,
        material: &ValidationMaterial<'_, E>,
        signer: &Contents,
        stamped: &[Contents],
    ) -> Self {
        let mut additions = Self {
            own: Values::default(),
            stamped: Values::default(),
        };
        // Each property may occur only once, and time-stamps may cover it.
        let own = if examined.material.has_values {
            &mut additions.stamped
        } else {
            &mut additions.own
        };
        let has_store = examined.material.has_store;
        own.add(material, signer, &Contents::default(), has_store);
        for contents in stamped {
            additions.stamped.add(material, contents, signer, has_store);
        }
        additions
    }

    /// Returns the serialized properties; empty if there are none.
    fn properties(&self) -> String {
        let mut text = String::new();
        if !self.stamped.is_empty() {
            let stamped = properties(&self.stamped);
            let _ = write!(
                text,
                "<xades141:TimeStampValidationData xmlns:xades141=\"{XADES_141}\">{stamped}\
                 </xades141:TimeStampValidationData>"
            );
        }
        text + &properties(&self.own)
    }
}

/// Returns CertificateValues and RevocationValues (EN 319 132-1, 5.4.1 and
/// 5.4.2), omitting empty ones.
fn properties(values: &Values) -> String {
    let certificates = encapsulated("EncapsulatedX509Certificate", &values.certificates);
    let lists = encapsulated("EncapsulatedCRLValue", &values.lists);
    let responses = encapsulated("EncapsulatedOCSPValue", &values.responses);
    let revocation = element("CRLValues", &lists) + &element("OCSPValues", &responses);
    property("CertificateValues", &certificates) + &property("RevocationValues", &revocation)
}

fn encapsulated(name: &str, ders: &[Vec<u8>]) -> String {
    let values = ders.iter().map(|der| BASE64_STANDARD.encode(der));
    values.map(|value| element(name, &value)).collect()
}

/// Returns an element with content; empty without content.
fn element(name: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    format!("<xades:{name}>{content}</xades:{name}>")
}

/// Like `element`, where the prefix may have another meaning.
fn property(name: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    format!("<xades:{name} xmlns:xades=\"{XADES}\">{content}</xades:{name}>")
}

/// Returns a file with the additions to its signatures, if any.
fn raised_file(
    file: SignatureFile<'_>,
    additions: &[Additions],
) -> Result<Option<String>, Refusal> {
    let document = file.parse()?;
    let signatures = file::signatures(&document).unwrap_or_default();
    let insertions: Vec<Insertion> = signatures
        .into_iter()
        .zip(additions)
        .filter_map(|(signature, additions)| {
            let properties = additions.properties();
            (!properties.is_empty()).then(|| with_properties(signature, &properties))?
        })
        .collect();
    Ok((!insertions.is_empty()).then(|| inserted(document.source(), insertions)))
}

/// Refuses to change files that another signature covers.
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

/// Verifies the signatures of the new files.
fn verified<E: Environment, O: DataObjects>(
    verifier: &Verifier<'_, E, O>,
    files: &[SignatureFile<'_>],
    written: &[Option<String>],
) -> Result<Vec<Verified>, Refusal> {
    let mut found = Vec::new();
    for (file, written) in files.iter().zip(written) {
        let document = match written {
            None => file.parse()?,
            Some(text) => Document::parse(text.as_bytes(), &Limits::default())
                .map_err(|error| no_room(file.name, &error))?,
        };
        found.extend(verifier.verify(&document).unwrap_or_default());
    }
    if verifier.is_exhausted() {
        return Err(too_much_to_verify());
    }
    Ok(found)
}

/// Returns the lowest level of the signatures, at least LT; the first of equal
/// ones.
fn lowest_level(signatures: &[Verified]) -> Result<&'static str, Refusal> {
    let levels = signatures.iter().map(|one| one.level);
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
