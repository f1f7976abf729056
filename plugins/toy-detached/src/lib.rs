//! A format with detached signatures, for the tests of the host.
//!
//! The signed text lists the files outside the document, with the SHA-256 of each. It is signed as
//! in the format that `parafa plugin new` begins with. The document consists of the signatures'
//! additions to that text, and is empty before the first signature.

mod detached;
#[path = "../../../host/plugin-tools/src/template/signing/document.rs"]
mod document;
#[path = "../../../host/plugin-tools/src/template/signing/inspect.rs"]
mod inspect;
#[path = "../../../host/plugin-tools/src/template/signing/sign.rs"]
mod sign;
#[path = "../../toy/src/text.rs"]
mod text;
#[path = "../../../host/plugin-tools/src/template/signing/verify.rs"]
mod verify;

use parafa_plugin_sdk::core::{Ability, About, Operation, Preservation};

parafa_plugin_sdk::export!(
    about = about,
    inspect = detached::inspect,
    sign = detached::sign,
    verify = detached::verify,
);

const MEDIA_TYPE: &str = "application/x-toy-detached";
const LEVEL_B: &str = "Toy-B-B";
const LEVEL_T: &str = "Toy-B-T";

fn about() -> About {
    About {
        id: "toy-detached",
        version: env!("CARGO_PKG_VERSION"),
        media_types: &[MEDIA_TYPE],
        extensions: &["toysig"],
        abilities: &[Ability {
            operation: Operation::Sign,
            preservation: Preservation::Whole,
            levels: &[LEVEL_B, LEVEL_T],
        }],
    }
}
