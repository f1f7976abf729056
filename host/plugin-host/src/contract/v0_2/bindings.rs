//! Bindings of the contract 0.2 that `wasmtime` generates: the host's interfaces once, and one
//! module for each world of a plugin.
#![allow(missing_docs, unreachable_pub, clippy::all, reason = "generated code")]

pub use platform::Platform;
pub use platform::parafa::format::{crypto, documents, log, types};

mod platform {
    wasmtime::component::bindgen!({
        path: "wit/parafa-format-0.2",
        world: "platform",
        imports: { default: trappable },
        with: {
            "parafa:format/crypto.hasher": crate::contract::resources::Hasher,
            "parafa:format/documents.blob": crate::contract::resources::Blob,
            "parafa:format/documents.sink": crate::contract::resources::Sink,
        },
    });
}

/// The module of a world, with the records of the interface that it exports.
macro_rules! world {
    ($module:ident, $world:tt $(, $interface:ident::$records:tt)?) => {
        pub mod $module {
            wasmtime::component::bindgen!({
                path: "wit/parafa-format-0.2",
                world: $world,
                with: {
                    "parafa:format/crypto": super::crypto,
                    "parafa:format/documents": super::documents,
                    "parafa:format/log": super::log,
                    "parafa:format/types": super::types,
                },
            });

            $(pub use exports::parafa::format::$interface::$records;)?
        }
    };
}

world!(describe, "describe", description::{Ability, About});
world!(inspect, "inspect", inspection::{Obstacle, Report});
world!(contents, "contents", container::{Member});
world!(sign, "sign", signing::{Request, Step});
world!(
    verify,
    "verify",
    verification::{Evidence, LaterChanges, SignatureEvidence, TimestampEvidence}
);
world!(archive, "archive", archiving::{Request, Step});
world!(flatten, "flatten");
world!(rehearse, "rehearse");
world!(compose, "compose", composition::{Request, SourceFile});
