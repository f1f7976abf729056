//! Reading of ADOC documents: report, members and evidence.

use parafa_container::{evidence, report, signatures, unsigned};
use parafa_format_core::{
    DeriveRequest, Environment, Evidence, Made, Member, Refusal, Report, Sink,
};

use crate::VERSION;
use crate::document::Adoc;
use crate::obstacle::obstacle;

/// Reads an ADOC strictly, verifies its signatures, and reports its properties.
/// An obstacle to `sign` means that no further signature can be added.
///
/// # Errors
/// A refusal with a code of the catalogue when the document is not accepted.
pub fn inspect<E: Environment>(environment: &E, document: &E::Blob) -> Result<Report, Refusal> {
    let adoc = Adoc::read(environment, document)?;
    adoc.container.check_bytes()?;
    let signatures = signatures(&adoc.container)?;
    let refusal = obstacle(&adoc, &signatures);
    let refusal = refusal.or_else(|| signatures.is_empty().then(unsigned));
    Ok(report(&adoc.container, &signatures, VERSION, refusal))
}

/// Returns the main document, its appendices, attachments, and the signed
/// metadata, element by element. The id of a file is its name, that of metadata
/// the member name with the element's `ID`.
///
/// # Errors
/// The refusals of documents that are not accepted.
pub fn members<E: Environment>(
    environment: &E,
    document: &E::Blob,
) -> Result<Vec<Member>, Refusal> {
    parafa_container::members(&Adoc::read(environment, document)?.container)
}

/// Writes the bytes of a file, or the canonical form of metadata.
///
/// # Errors
/// `no-such-member` when the id does not exist, and the refusals of documents
/// that are not accepted.
pub fn extract<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    id: &str,
    out: &mut S,
) -> Result<(), Refusal> {
    let adoc = Adoc::read(environment, document)?;
    parafa_container::extract(&adoc.container, id, out)
}

/// Returns evidence about every signature, in the order of the files.
///
/// # Errors
/// A refusal when the document cannot be read, or its signatures exceed the
/// work limits.
pub fn verify<E: Environment>(environment: &E, document: &E::Blob) -> Result<Evidence, Refusal> {
    let adoc = Adoc::read(environment, document)?;
    Ok(evidence(&adoc.container, &signatures(&adoc.container)?))
}

/// Marks an unsigned document by a comment in the archive. A signed one is
/// returned unchanged.
///
/// # Errors
/// The refusals of documents that are not accepted, or `bad-request` when the
/// request cannot be used.
pub fn rehearse<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &DeriveRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    let adoc = Adoc::read(environment, document)?;
    parafa_container::rehearse(&adoc.container, request, out)
}
