//! Appends one XAdES baseline signature (ETSI EN 319 132-1) as a new file.

use std::collections::HashSet;
use std::fmt::Write as _;

use parafa_container::{Container, Signing, number_of, obstacle, require_coverage, signatures};
use parafa_format_core::{
    Answer, Environment, Outcome, Refusal, SEED_BYTES, SignRequest, Sink, Step, levels,
};
use parafa_xades::Profile;
use parafa_zip::{Content, Writer};

use crate::MEDIA_TYPE;

/// Signs all data files of a container, with the first or a further signature.
///
/// Without answers the step needs a `signature`; at level B-T it then needs a
/// `timestamp`. No bytes need to be reserved: the file may have any length.
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
    let signing = Signing::parse(request)?;
    let container = Container::read(environment, document, MEDIA_TYPE)?;
    if answers.is_empty() {
        container.check_bytes()?;
    }
    let signatures = signatures(&container)?;
    if let Some(obstacle) = obstacle(&container, &signatures) {
        return Err(obstacle);
    }
    require_coverage(&container, &request.covers)?;

    let place = Place::find(&container, &signing.seed);
    let draft = signing.draft(&container, Profile::Baseline, &place.id, &[])?;
    let file = match signing.signature_file(environment, &draft, answers)? {
        Step::Needs(needs) => return Ok(Step::Needs(needs)),
        Step::Done(file) => file,
    };

    let archive = &container.archive;
    let mut writer = Writer::append(out, request.time, document, archive);
    writer.add(&place.file, &Content::Bytes(file.as_bytes()))?;
    writer.finish(archive.comment())?;
    Ok(Step::Done(Outcome {
        media_type: MEDIA_TYPE.to_owned(),
        level: if signing.is_stamped {
            levels::XADES_B_T
        } else {
            levels::XADES_B_B
        }
        .to_owned(),
        signature_id: format!("{}#{}", place.file, place.id),
    }))
}

/// Name and identifier of a new signature.
struct Place {
    /// Name of its file.
    file: String,
    /// `Id` of the signature.
    id: String,
}

impl Place {
    /// Chooses a number above those of existing signature files, and a name
    /// that no member has, ignoring case.
    fn find<E: Environment>(container: &Container<'_, E>, seed: &[u8; SEED_BYTES]) -> Self {
        let names = container.archive.members();
        let taken: HashSet<String> = names
            .map(|member| member.name.to_ascii_lowercase())
            .collect();
        let numbers = container.signature_files.iter();
        let highest = numbers.filter_map(|name| number_of(name)).max();
        let mut number = highest.map_or(0, |highest| u64::from(highest) + 1);
        let named = |number| format!("META-INF/signatures{number}.xml");
        while taken.contains(&named(number).to_ascii_lowercase()) {
            number += 1;
        }
        let mut id = format!("S{number}-");
        for byte in &seed[..ID_BYTES] {
            let _ = write!(id, "{byte:02x}");
        }
        Self {
            file: named(number),
            id,
        }
    }
}

/// Number of seed bytes in an identifier.
const ID_BYTES: usize = 8;
