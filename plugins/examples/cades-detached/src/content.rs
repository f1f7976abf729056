//! The signed file, which stands beside the document.

use parafa_plugin_sdk::core::{
    Blob, Companion, DigestAlgorithm, Environment, Part, Refusal, refusal,
};

/// Returns the file; `None` if the caller gave none.
pub(crate) fn content<E: Environment>(
    environment: &E,
) -> Result<Option<Companion<E::Blob>>, Refusal> {
    let mut files = environment.companions().into_iter();
    match (files.next(), files.next()) {
        (file, None) => Ok(file),
        (_, Some(_)) => {
            let detail = "A signature covers one file, and several are beside the document.";
            Err(Refusal::new(refusal::BAD_REQUEST, detail))
        }
    }
}

/// Returns its digest. The bytes stay with the host.
pub(crate) fn digest<E: Environment>(
    environment: &E,
    algorithm: DigestAlgorithm,
    file: &Companion<E::Blob>,
) -> Vec<u8> {
    let whole = Part::Range {
        source: &file.content,
        offset: 0,
        len: file.content.len(),
    };
    environment.digest(algorithm, &[whole])
}
