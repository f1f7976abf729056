//! What `wit-bindgen` makes of the contract: the host's interfaces once, and
//! one module for each world that a plugin may have.
#![allow(missing_docs, unreachable_pub, clippy::all, reason = "generated code")]

pub use platform::parafa::format::crypto::{self, Hasher};
pub use platform::parafa::format::documents::{self, Blob, Sink};
pub use platform::parafa::format::log;
pub use platform::parafa::format::types::{
    self, Answer, Derivation, Made, Need, Note, Parameter, Refusal,
};

mod platform {
    wit_bindgen::generate!({
        path: "../../wit/parafa-format-0.1",
        world: "platform",
        generate_unused_types: true,
        runtime_path: "::parafa_plugin_sdk::rt",
    });
}

pub mod describe {
    wit_bindgen::generate!({
        path: "../../wit/parafa-format-0.1",
        world: "describe",
        with: {
            "parafa:format/crypto@0.1.0": super::crypto,
            "parafa:format/documents@0.1.0": super::documents,
            "parafa:format/log@0.1.0": super::log,
            "parafa:format/types@0.1.0": super::types,
        },
        export_macro_name: "export_describe",
        pub_export_macro: true,
        runtime_path: "::parafa_plugin_sdk::rt",
    });

    pub use exports::parafa::format::description::{About, Guest as Description, Preservation};
}

pub mod inspect {
    wit_bindgen::generate!({
        path: "../../wit/parafa-format-0.1",
        world: "inspect",
        with: {
            "parafa:format/crypto@0.1.0": super::crypto,
            "parafa:format/documents@0.1.0": super::documents,
            "parafa:format/log@0.1.0": super::log,
            "parafa:format/types@0.1.0": super::types,
        },
        export_macro_name: "export_inspect",
        pub_export_macro: true,
        runtime_path: "::parafa_plugin_sdk::rt",
    });

    pub use exports::parafa::format::inspection::{
        Field, Guest as Inspection, Report, SignatureSummary,
    };
}

pub mod sign {
    wit_bindgen::generate!({
        path: "../../wit/parafa-format-0.1",
        world: "sign",
        with: {
            "parafa:format/crypto@0.1.0": super::crypto,
            "parafa:format/documents@0.1.0": super::documents,
            "parafa:format/log@0.1.0": super::log,
            "parafa:format/types@0.1.0": super::types,
        },
        export_macro_name: "export_sign",
        pub_export_macro: true,
        runtime_path: "::parafa_plugin_sdk::rt",
    });

    pub use exports::parafa::format::signing::{Guest as Signing, Outcome, Request, Step};
}

pub mod verify {
    wit_bindgen::generate!({
        path: "../../wit/parafa-format-0.1",
        world: "verify",
        with: {
            "parafa:format/crypto@0.1.0": super::crypto,
            "parafa:format/documents@0.1.0": super::documents,
            "parafa:format/log@0.1.0": super::log,
            "parafa:format/types@0.1.0": super::types,
        },
        export_macro_name: "export_verify",
        pub_export_macro: true,
        runtime_path: "::parafa_plugin_sdk::rt",
    });

    pub use exports::parafa::format::verification::{
        Guest as Verification, LaterChanges, SignatureEvidence, TimestampEvidence,
    };
}

pub mod archive {
    wit_bindgen::generate!({
        path: "../../wit/parafa-format-0.1",
        world: "archive",
        with: {
            "parafa:format/crypto@0.1.0": super::crypto,
            "parafa:format/documents@0.1.0": super::documents,
            "parafa:format/log@0.1.0": super::log,
            "parafa:format/types@0.1.0": super::types,
        },
        export_macro_name: "export_archive",
        pub_export_macro: true,
        runtime_path: "::parafa_plugin_sdk::rt",
    });

    pub use exports::parafa::format::archiving::{Guest as Archiving, Outcome, Request, Step};
}

pub mod flatten {
    wit_bindgen::generate!({
        path: "../../wit/parafa-format-0.1",
        world: "flatten",
        with: {
            "parafa:format/crypto@0.1.0": super::crypto,
            "parafa:format/documents@0.1.0": super::documents,
            "parafa:format/log@0.1.0": super::log,
            "parafa:format/types@0.1.0": super::types,
        },
        export_macro_name: "export_flatten",
        pub_export_macro: true,
        runtime_path: "::parafa_plugin_sdk::rt",
    });

    pub use exports::parafa::format::flattening::Guest as Flattening;
}

pub mod rehearse {
    wit_bindgen::generate!({
        path: "../../wit/parafa-format-0.1",
        world: "rehearse",
        with: {
            "parafa:format/crypto@0.1.0": super::crypto,
            "parafa:format/documents@0.1.0": super::documents,
            "parafa:format/log@0.1.0": super::log,
            "parafa:format/types@0.1.0": super::types,
        },
        export_macro_name: "export_rehearse",
        pub_export_macro: true,
        runtime_path: "::parafa_plugin_sdk::rt",
    });

    pub use exports::parafa::format::rehearsal::Guest as Rehearsal;
}

pub mod compose {
    wit_bindgen::generate!({
        path: "../../wit/parafa-format-0.1",
        world: "compose",
        with: {
            "parafa:format/crypto@0.1.0": super::crypto,
            "parafa:format/documents@0.1.0": super::documents,
            "parafa:format/log@0.1.0": super::log,
            "parafa:format/types@0.1.0": super::types,
        },
        export_macro_name: "export_compose",
        pub_export_macro: true,
        runtime_path: "::parafa_plugin_sdk::rt",
    });

    pub use exports::parafa::format::composition::{Guest as Composition, Request, SourceFile};
}
