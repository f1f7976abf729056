//! Reading of containers: report, members and evidence.

use parafa_container::{
    ADOC_V2_RELATIONS, Container, evidence, obstacle, report, signatures, unsigned,
};
use parafa_format_core::{
    DeriveRequest, Environment, Evidence, Made, Member, Note, Refusal, Report, Sink,
};

use crate::MEDIA_TYPE;

/// Specification of the format, beside its media type.
const FORMAT: &str = "EN 319 162-1";

/// Reads a container strictly, verifies its signatures, and reports its
/// properties. An obstacle to `sign` means that no further signature can be
/// added.
///
/// # Errors
/// A refusal with a code of the catalogue when the container is not accepted.
pub fn inspect<E: Environment>(environment: &E, document: &E::Blob) -> Result<Report, Refusal> {
    let mut container = Container::read(environment, document, MEDIA_TYPE)?;
    container.check_bytes()?;
    if container.member(ADOC_V2_RELATIONS).is_some() {
        let detail = "The container has relations as ADOC-V2.0 has them; it is taken as ASiC-E.";
        container.notes.push(Note::new("adoc-v2", detail));
    }
    let signatures = signatures(&container)?;
    let refusal = obstacle(&container, &signatures);
    let refusal = refusal.or_else(|| signatures.is_empty().then(unsigned));
    Ok(report(&container, &signatures, FORMAT, refusal))
}

/// Returns the data files, in the order of the manifest; the first is the main
/// one. The id of a file is its name.
///
/// # Errors
/// The refusals of containers that are not accepted.
pub fn members<E: Environment>(
    environment: &E,
    document: &E::Blob,
) -> Result<Vec<Member>, Refusal> {
    parafa_container::members(&Container::read(environment, document, MEDIA_TYPE)?)
}

/// Writes the bytes of a data file.
///
/// # Errors
/// `no-such-member` when there is none with that name, and the refusals of
/// containers that are not accepted.
pub fn extract<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    id: &str,
    out: &mut S,
) -> Result<(), Refusal> {
    let container = Container::read(environment, document, MEDIA_TYPE)?;
    parafa_container::extract(&container, id, out)
}

/// Returns evidence about every signature, in the order of the files; copies of
/// a signature are reported individually.
///
/// # Errors
/// A refusal when the container cannot be read, or its signatures exceed the
/// work limits.
pub fn verify<E: Environment>(environment: &E, document: &E::Blob) -> Result<Evidence, Refusal> {
    let container = Container::read(environment, document, MEDIA_TYPE)?;
    Ok(evidence(&container, &signatures(&container)?))
}

/// Marks an unsigned container by a comment in the archive. A signed one is
/// returned unchanged.
///
/// # Errors
/// The refusals of containers that are not accepted, or `bad-request` when the
/// request cannot be used.
pub fn rehearse<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &DeriveRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    let container = Container::read(environment, document, MEDIA_TYPE)?;
    parafa_container::rehearse(&container, request, out)
}
