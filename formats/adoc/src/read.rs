//! What an ADOC is, holds and proves.

use parafa_container::{evidence, report, signatures, unsigned};
use parafa_format_core::{
    DeriveRequest, Environment, Evidence, Made, Member, Refusal, Report, Sink,
};

use crate::VERSION;
use crate::document::Adoc;
use crate::obstacle::obstacle;

/// Reads an ADOC strictly, verifies its signatures, and tells what it is;
/// whether it takes a further signature is told by an obstacle of `sign`.
///
/// # Errors
/// A refusal with a code of the catalogue when the document is not taken.
pub fn inspect<E: Environment>(environment: &E, document: &E::Blob) -> Result<Report, Refusal> {
    let adoc = Adoc::read(environment, document)?;
    adoc.container.check_bytes()?;
    let signatures = signatures(&adoc.container)?;
    let refusal = obstacle(&adoc, &signatures);
    let refusal = refusal.or_else(|| signatures.is_empty().then(unsigned));
    Ok(report(&adoc.container, &signatures, VERSION, refusal))
}

/// The main document, its appendices, what is attached, and the metadata that
/// signatures are over, element by element. The id of a file is its name, that
/// of metadata the name of their member with the `ID` of the element.
///
/// # Errors
/// The refusals of documents that are not taken.
pub fn members<E: Environment>(
    environment: &E,
    document: &E::Blob,
) -> Result<Vec<Member>, Refusal> {
    parafa_container::members(&Adoc::read(environment, document)?.container)
}

/// Writes the bytes of a file, or metadata in their canonical form.
///
/// # Errors
/// `no-such-member` when there is none of that id, and the refusals of documents
/// that are not taken.
pub fn extract<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    id: &str,
    out: &mut S,
) -> Result<(), Refusal> {
    let adoc = Adoc::read(environment, document)?;
    parafa_container::extract(&adoc.container, id, out)
}

/// Evidence about every signature, in the order of their files.
///
/// # Errors
/// A refusal when the document cannot be read, or its signatures take more work
/// than is done.
pub fn verify<E: Environment>(environment: &E, document: &E::Blob) -> Result<Evidence, Refusal> {
    let adoc = Adoc::read(environment, document)?;
    Ok(evidence(&adoc.container, &signatures(&adoc.container)?))
}

/// Marks a document that nobody has signed as unsigned, by the comment of the
/// archive. One that has a signature comes out as it is.
///
/// # Errors
/// The refusals of documents that are not taken, or `bad-request` when the
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
