//! The format `@id@` as a Parafa plugin: text in UTF-8 that is signed by appending to it. Replace
//! it by the real format.
//!
//! A signature is a line `Signed: SECONDS`, the claimed time, and a detached CMS signature in the
//! textual encoding of RFC 7468 over everything before its first line. All of it is plain Rust
//! against the traits of `parafa_plugin_sdk::core` and runs natively in tests.

mod document;
mod inspect;
mod sign;
mod verify;

use inspect::inspect;
use parafa_plugin_sdk::core::{Ability, About, Operation, Preservation};

parafa_plugin_sdk::export!(
    about = about,
    inspect = inspect,
    sign = sign::sign,
    verify = verify::verify,
);

const MEDIA_TYPE: &str = "application/x-@id@";

/// The part after a level's last hyphen is compared in every format.
const LEVEL_B: &str = "@id@-B-B";
/// With a time-stamp.
const LEVEL_T: &str = "@id@-B-T";

/// Describes this plugin.
pub fn about() -> About {
    About {
        id: "@id@",
        version: env!("CARGO_PKG_VERSION"),
        media_types: &[MEDIA_TYPE],
        extensions: &["@extension@"],
        // The host checks this of `sign`: its output begins with one copy of the whole document.
        abilities: &[Ability {
            operation: Operation::Sign,
            preservation: Preservation::Whole,
            levels: &[LEVEL_B, LEVEL_T],
        }],
    }
}

#[cfg(test)]
mod tests;
