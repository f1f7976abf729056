//! Bindings of the contract 0.2 that `wit-bindgen` generates.
#![allow(missing_docs, unreachable_pub, clippy::all, reason = "generated code")]

wit_bindgen::generate!({
    path: "../../wit/parafa-format-0.2",
    inline: "
        package parafa:toy;

        world plugin {
            include parafa:format/describe@0.2.0;
            include parafa:format/inspect@0.2.0;
            include parafa:format/sign@0.2.0;
            include parafa:format/verify@0.2.0;
        }
    ",
    world: "plugin",
    generate_all,
});

export!(Plugin with_types_in self);

use crate::plugin::Plugin;
