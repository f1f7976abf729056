//! Bindings of the contract 1.0 that `wasmtime` generates: the host's interfaces once, and one
//! module for each world of a plugin.
#![allow(missing_docs, unreachable_pub, clippy::all, reason = "generated code")]

pub use platform::Platform;
pub use platform::parafa::format::{companions, crypto, documents, log, types};

mod platform {
    wasmtime::component::bindgen!({
        path: "wit/parafa-format-1.0",
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
                path: "wit/parafa-format-1.0",
                world: $world,
                with: {
                    "parafa:format/companions": super::companions,
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
world!(inspect, "inspect", inspection::{FieldKind, Obstacle, Report});
world!(contents, "contents", container::{Member, MemberRole});
world!(sign, "sign", signing::{Request, Step, TargetLevel});
world!(
    verify,
    "verify",
    verification::{
        ChangeKind, Coverage, Evidence, LaterChanges, MemberCheck, SignatureEvidence,
        SignatureKind, TimestampEvidence,
    }
);
world!(archive, "archive", archiving::{Request, Step, TargetLevel});
world!(flatten, "flatten");
world!(rehearse, "rehearse");
world!(compose, "compose", composition::{Request, SourceFile});
