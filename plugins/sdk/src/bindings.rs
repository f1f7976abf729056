//! Bindings of the contract that `wit-bindgen` generates: the host's interfaces once, and one
//! module for each world of a plugin.
#![allow(missing_docs, unreachable_pub, clippy::all, reason = "generated code")]

pub use platform::parafa::format::companions;
pub use platform::parafa::format::crypto::{self, Hasher};
pub use platform::parafa::format::documents::{self, Blob, Sink};
pub use platform::parafa::format::log;
pub use platform::parafa::format::types::{
    self, Answer, Derivation, Digest, Made, Need, Note, Parameter, Payload, Refusal,
};

mod platform {
    wit_bindgen::generate!({
        path: "wit",
        world: "platform",
        generate_unused_types: true,
        runtime_path: "::parafa_plugin_sdk::rt",
    });
}

/// Defines the module of a world: its exports, and the macro that exports them.
macro_rules! world {
    ($module:ident $world:tt $export:tt, $interface:ident::{$($item:tt)*}) => {
        pub mod $module {
            wit_bindgen::generate!({
                path: "wit",
                world: $world,
                with: {
                    "parafa:format/companions@1.0.0": super::companions,
                    "parafa:format/crypto@1.0.0": super::crypto,
                    "parafa:format/documents@1.0.0": super::documents,
                    "parafa:format/log@1.0.0": super::log,
                    "parafa:format/types@1.0.0": super::types,
                },
                export_macro_name: $export,
                pub_export_macro: true,
                runtime_path: "::parafa_plugin_sdk::rt",
            });

            pub use exports::parafa::format::$interface::{$($item)*};
        }
    };
}

world!(describe "describe" "export_describe", description::{Ability, About, Guest as Description});
world!(
    inspect "inspect" "export_inspect",
    inspection::{
        Field, FieldKind, Guest as Inspection, Kept, Obstacle, Report, SignatureSummary,
    }
);
world!(
    contents "contents" "export_contents",
    container::{Guest as Container, Member, MemberRole}
);
world!(
    sign "sign" "export_sign",
    signing::{Guest as Signing, Outcome, Request, Step, TargetLevel}
);
world!(
    verify "verify" "export_verify",
    verification::{
        ChangeKind, Coverage, Evidence, Guest as Verification, LaterChanges, MemberCheck,
        SignatureEvidence, SignatureKind, TimestampEvidence,
    }
);
world!(
    archive "archive" "export_archive",
    archiving::{Guest as Archiving, Outcome, Request, Step, TargetLevel}
);
world!(flatten "flatten" "export_flatten", flattening::{Guest as Flattening});
world!(rehearse "rehearse" "export_rehearse", rehearsal::{Guest as Rehearsal});
world!(
    compose "compose" "export_compose",
    composition::{Guest as Composition, Request, SourceFile}
);
