//! A format small enough to misbehave on demand, for the tests of the host.
//!
//! People sign a text, as in the format that `parafa plugin new` begins with: [`document`],
//! [`inspect`], [`sign`] and [`verify`] are its modules. Around that text is the data for tests of
//! the host. A document begins with the line `TOY <behaviour> <length>` and a body of that many
//! bytes; `FLAT` replaces `TOY` if it is read-only. Entries follow, each a line and the number of
//! bytes in it:
//!
//! ```text
//! member <stored|deflated> <role> <size> <bytes> <name>
//! signature <bytes>
//! validation <number of the signature> <bytes>
//! timestamp <bytes>
//! ```
//! The text begins with the digest of the document up to the end of its body. If it has members, it
//! begins with a list of their digests. The behaviour `honest` follows the contract;
//! [`Behaviour`](behaviour::Behaviour) lists the others.
//!
//! With the feature `container` it is the format `toy-container` (`plugins/toy-container`), whose
//! documents are made of files: it has `members` and `extract`.

mod archive;
mod behaviour;
pub mod compose;
pub mod derive;
#[path = "../../../host/plugin-tools/src/template/signing/document.rs"]
mod document;
#[path = "../../../host/plugin-tools/src/template/signing/inspect.rs"]
mod inspect;
mod inspection;
pub mod members;
mod pieces;
#[path = "../../../host/plugin-tools/src/template/signing/sign.rs"]
mod sign;
mod signing;
mod text;
mod toy;
mod verification;
#[path = "../../../host/plugin-tools/src/template/signing/verify.rs"]
mod verify;

use parafa_plugin_sdk::core::{Ability, About, Operation, Preservation};

#[cfg(not(feature = "container"))]
parafa_plugin_sdk::export!(
    about = about,
    inspect = inspection::inspect,
    sign = signing::sign,
    verify = verification::verify,
    archive = archive::archive,
    flatten = derive::flatten,
    rehearse = derive::rehearse,
    compose = compose::compose,
);
#[cfg(feature = "container")]
parafa_plugin_sdk::export!(
    about = about,
    inspect = inspection::inspect,
    members = members::members,
    extract = members::extract,
    sign = signing::sign,
    verify = verification::verify,
    archive = archive::archive,
);

const IS_CONTAINER: bool = cfg!(feature = "container");

const MEDIA_TYPE: &str = if IS_CONTAINER {
    "application/x-toy-container"
} else {
    "application/x-toy"
};
/// A media type of the plugin that no honest document has.
const SECOND_TYPE: &str = "application/x-second-toy";
/// A false media type of documents.
const OTHER_TYPE: &str = "text/x-other";

/// A signature.
const LEVEL_B: &str = "Toy-B-B";
/// A signature with a time-stamp.
const LEVEL_T: &str = "Toy-B-T";
/// A signature with a time-stamp and revocation data. It is a known level, since callers know none
/// of toys.
const LEVEL_LT: &str = "XAdES-LT";
/// A signature with these and a time-stamp over the document after it, a level unknown to callers.
const LEVEL_LTA: &str = "Toy-B-LTA";
/// A level that the description lacks.
const OWN_LEVEL: &str = "Toy-B-LT";

/// More than a host stores in one place.
const LONG: usize = 70 * 1024;

const SIGN: Ability = Ability {
    operation: Operation::Sign,
    preservation: Preservation::Whole,
    levels: &[LEVEL_B, LEVEL_T],
};

fn about() -> About {
    let of_any = About {
        id: "toy",
        version: env!("CARGO_PKG_VERSION"),
        media_types: &[MEDIA_TYPE, SECOND_TYPE],
        // The second one is how the signing API finds the plugin.
        extensions: &["toy", "sce"],
        abilities: &[
            SIGN,
            Ability {
                operation: Operation::Archive,
                preservation: Preservation::Whole,
                levels: &[LEVEL_LT],
            },
            Ability {
                operation: Operation::Flatten,
                preservation: Preservation::Rewrite,
                levels: &[],
            },
            Ability {
                operation: Operation::Rehearse,
                preservation: Preservation::Rewrite,
                levels: &[],
            },
        ],
    };
    if !IS_CONTAINER {
        return of_any;
    }
    About {
        id: "toy-container",
        media_types: &[MEDIA_TYPE],
        extensions: &["toybox", "bdoc"],
        abilities: &[
            SIGN,
            Ability {
                operation: Operation::Archive,
                preservation: Preservation::Rewrite,
                levels: &[LEVEL_LTA],
            },
        ],
        ..of_any
    }
}

/// Returns an overlong level that ends in a baseline level.
fn long_level() -> String {
    const END: &str = "-T";

    "x".repeat(LONG - END.len()) + END
}

/// Returns an overlong word.
fn long() -> String {
    "x".repeat(LONG)
}
