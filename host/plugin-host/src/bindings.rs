//! What `wasmtime` makes of the contract: the host's interfaces once, and one
//! module for each world that a plugin may have.
#![allow(missing_docs, unreachable_pub, clippy::all, reason = "generated code")]

pub use platform::Platform;
pub use platform::parafa::format::{crypto, documents, log, types};

mod platform {
    wasmtime::component::bindgen!({
        path: "../../wit/parafa-format-0.1",
        world: "platform",
        imports: { default: trappable },
        with: {
            "parafa:format/crypto.hasher": crate::resources::Hasher,
            "parafa:format/documents.blob": crate::resources::Blob,
            "parafa:format/documents.sink": crate::resources::Sink,
        },
    });
}

pub mod describe {
    wasmtime::component::bindgen!({
        path: "../../wit/parafa-format-0.1",
        world: "describe",
        with: {
            "parafa:format/crypto": super::crypto,
            "parafa:format/documents": super::documents,
            "parafa:format/log": super::log,
            "parafa:format/types": super::types,
        },
    });
}

pub mod inspect {
    wasmtime::component::bindgen!({
        path: "../../wit/parafa-format-0.1",
        world: "inspect",
        with: {
            "parafa:format/crypto": super::crypto,
            "parafa:format/documents": super::documents,
            "parafa:format/log": super::log,
            "parafa:format/types": super::types,
        },
    });
}

pub mod sign {
    wasmtime::component::bindgen!({
        path: "../../wit/parafa-format-0.1",
        world: "sign",
        with: {
            "parafa:format/crypto": super::crypto,
            "parafa:format/documents": super::documents,
            "parafa:format/log": super::log,
            "parafa:format/types": super::types,
        },
    });
}

pub mod verify {
    wasmtime::component::bindgen!({
        path: "../../wit/parafa-format-0.1",
        world: "verify",
        with: {
            "parafa:format/crypto": super::crypto,
            "parafa:format/documents": super::documents,
            "parafa:format/log": super::log,
            "parafa:format/types": super::types,
        },
    });
}

pub mod archive {
    wasmtime::component::bindgen!({
        path: "../../wit/parafa-format-0.1",
        world: "archive",
        with: {
            "parafa:format/crypto": super::crypto,
            "parafa:format/documents": super::documents,
            "parafa:format/log": super::log,
            "parafa:format/types": super::types,
        },
    });
}

pub mod flatten {
    wasmtime::component::bindgen!({
        path: "../../wit/parafa-format-0.1",
        world: "flatten",
        with: {
            "parafa:format/crypto": super::crypto,
            "parafa:format/documents": super::documents,
            "parafa:format/log": super::log,
            "parafa:format/types": super::types,
        },
    });
}

pub mod rehearse {
    wasmtime::component::bindgen!({
        path: "../../wit/parafa-format-0.1",
        world: "rehearse",
        with: {
            "parafa:format/crypto": super::crypto,
            "parafa:format/documents": super::documents,
            "parafa:format/log": super::log,
            "parafa:format/types": super::types,
        },
    });
}

pub mod compose {
    wasmtime::component::bindgen!({
        path: "../../wit/parafa-format-0.1",
        world: "compose",
        with: {
            "parafa:format/crypto": super::crypto,
            "parafa:format/documents": super::documents,
            "parafa:format/log": super::log,
            "parafa:format/types": super::types,
        },
    });
}
