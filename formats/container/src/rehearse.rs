use parafa_format_core::{
    Blob, DeriveRequest, Environment, Made, Refusal, Sink, expect_no_params, parse_seed,
};
use parafa_zip::Writer;

use crate::container::Container;
use crate::signatures::signatures;

/// Comment of an unsigned container, in Lithuanian and English.
const BANNER: &str = "NEPASIRAŠYTA · UNSIGNED: this container carries no signature.";

/// Marks an unsigned container by a comment in the archive. A signed one is
/// returned unchanged.
///
/// # Errors
/// The error of an unreadable signature file, or `bad-request` when the request
/// cannot be used.
pub fn rehearse<E: Environment, S: Sink<E::Blob>>(
    container: &Container<'_, E>,
    request: &DeriveRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    parse_seed(&request.seed)?;
    expect_no_params(&request.params)?;
    let (archive, document) = (&container.archive, container.document);
    if signatures(container)?.is_empty() && archive.comment() != BANNER.as_bytes() {
        Writer::append(out, request.time, document, archive).finish(BANNER.as_bytes())?;
    } else {
        out.copy(document, 0, document.len());
    }
    Ok(Made::new(container.media_type))
}
