//! The format `cades-detached` as a Parafa plugin: a detached CAdES baseline signature (ETSI EN 319
//! 122-1, 6) over one file of any kind.
//!
//! The document is the `.p7s`, which is empty until somebody has signed. The signed file stands
//! beside it.

mod content;
mod inspect;
mod sign;
mod signature;
mod timestamps;
mod verify;

use parafa_plugin_sdk::core::{Ability, About, Operation, Preservation};

parafa_plugin_sdk::export!(
    about = about,
    inspect = inspect::inspect,
    sign = sign::sign,
    verify = verify::verify,
);

const MEDIA_TYPE: &str = "application/pkcs7-signature";
const LEVEL_B: &str = "CAdES-B-B";
const LEVEL_T: &str = "CAdES-B-T";

/// Describes this plugin.
pub fn about() -> About {
    About {
        id: "cades-detached",
        version: env!("CARGO_PKG_VERSION"),
        media_types: &[MEDIA_TYPE],
        extensions: &["p7s"],
        // Nothing is signed but an empty document, which is kept by any output.
        abilities: &[Ability {
            operation: Operation::Sign,
            preservation: Preservation::Whole,
            levels: &[LEVEL_B, LEVEL_T],
        }],
    }
}

#[cfg(test)]
mod tests;
