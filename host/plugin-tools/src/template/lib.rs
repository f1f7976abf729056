//! The format `@id@` as a Parafa plugin: text in UTF-8. Replace it by the real format.
//!
//! All of it is plain Rust against the traits of `parafa_plugin_sdk::core` and runs natively in
//! tests. A format that can also be signed adds `sign` and `verify` to `export!`, whose
//! documentation describes the arguments of each function; `parafa plugin new --with sign,verify`
//! begins with one.

use parafa_plugin_sdk::core::{About, Blob, Environment, Refusal, Report};

parafa_plugin_sdk::export!(about = about, inspect = inspect);

const MEDIA_TYPE: &str = "application/x-@id@";

/// Describes this plugin.
pub fn about() -> About {
    About {
        id: "@id@",
        version: env!("CARGO_PKG_VERSION"),
        media_types: &[MEDIA_TYPE],
        extensions: &["@extension@"],
        abilities: &[],
    }
}

/// Reports the type of a document, and whether it may be signed.
pub fn inspect<E: Environment>(_environment: &E, document: &E::Blob) -> Result<Report, Refusal> {
    let bytes = document.read_all();
    if bytes.is_empty() {
        return Err(Refusal::new("empty", "the document is empty"));
    }
    if std::str::from_utf8(&bytes).is_err() {
        return Err(Refusal::new("not-text", "the document is no text in UTF-8"));
    }
    Ok(Report::new(MEDIA_TYPE, "1"))
}

#[cfg(test)]
mod tests;
