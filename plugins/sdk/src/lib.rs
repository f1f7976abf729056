#![doc = include_str!("../README.md")]

// The macros that `generate!` makes name this crate from inside and outside.
extern crate self as parafa_plugin_sdk;

#[doc(hidden)]
pub mod bindings;
#[cfg(feature = "cms")]
pub mod cms;
mod convert;
mod evidence;
#[doc(hidden)]
pub mod glue;
mod host;

pub use host::{Host, HostBlob, HostHasher, HostSink, log};
pub use parafa_format_core as core;
#[doc(hidden)]
pub use wit_bindgen::rt;

/// Exports the functions of a format as a plugin, in this order:
///
/// `E` is an [`Environment`](parafa_format_core::Environment), `S` a
/// [`Sink`](parafa_format_core::Sink) for its blobs.
///
/// | name | function | |
/// |---|---|---|
/// | `about` | `fn() -> About` | required |
/// | `inspect` | `fn<E: Environment>(&E, &E::Blob) -> Result<Report, Refusal>` | optional |
/// | `members` | `fn<E: Environment>(&E, &E::Blob) -> Result<Vec<Member>, Refusal>` | optional, together with `extract` |
/// | `extract` | `fn<E, S: Sink<E::Blob>>(&E, &E::Blob, &str, &mut S) -> Result<(), Refusal>` | optional, together with `members` |
/// | `sign` | `fn<E, S: Sink<E::Blob>>(&E, &E::Blob, &SignRequest, &[Answer], &mut S) -> Result<Step, Refusal>` | optional, needs `verify` |
/// | `verify` | `fn<E: Environment>(&E, &E::Blob) -> Result<Evidence, Refusal>` | optional |
/// | `archive` | `fn<E, S: Sink<E::Blob>>(&E, &E::Blob, &ArchiveRequest, &[Answer], &mut S) -> Result<ArchiveStep, Refusal>` | optional, needs `verify` |
/// | `flatten` | `fn<E, S: Sink<E::Blob>>(&E, &E::Blob, &DeriveRequest, &mut S) -> Result<Made, Refusal>` | optional, needs `verify` |
/// | `rehearse` | the same | optional, needs `verify` |
/// | `compose` | `fn<E, S: Sink<E::Blob>>(&E, &[SourceFile<'_, E::Blob>], &ComposeRequest, &mut S) -> Result<Made, Refusal>` | optional |
#[macro_export]
macro_rules! export {
    (
        about = $about:path
        $(, inspect = $inspect:path)?
        $(, members = $members:path, extract = $extract:path)?
        $(, sign = $sign:path)?
        $(, verify = $verify:path)?
        $(, archive = $archive:path)?
        $(, flatten = $flatten:path)?
        $(, rehearse = $rehearse:path)?
        $(, compose = $compose:path)?
        $(,)?
    ) => {
        struct Plugin;

        // Native builds have only the format's functions, whose types the compiler checks: linkers
        // reject the names of the exports. They must be used somewhere, otherwise they count as
        // dead code.
        #[cfg(not(target_arch = "wasm32"))]
        const _: Plugin = Plugin;

        impl $crate::bindings::describe::Description for Plugin {
            fn describe() -> $crate::bindings::describe::About {
                $crate::glue::describe($about)
            }
        }
        #[cfg(target_arch = "wasm32")]
        $crate::bindings::describe::export_describe!(Plugin with_types_in $crate::bindings::describe);

        $(
            impl $crate::bindings::inspect::Inspection for Plugin {
                fn inspect(
                    document: &$crate::bindings::Blob,
                ) -> Result<$crate::bindings::inspect::Report, $crate::bindings::Refusal> {
                    $crate::glue::inspect(document, $inspect)
                }
            }
            #[cfg(target_arch = "wasm32")]
            $crate::bindings::inspect::export_inspect!(Plugin with_types_in $crate::bindings::inspect);
        )?

        $(
            impl $crate::bindings::contents::Container for Plugin {
                fn members(
                    document: &$crate::bindings::Blob,
                ) -> Result<Vec<$crate::bindings::contents::Member>, $crate::bindings::Refusal> {
                    $crate::glue::members(document, $members)
                }

                fn extract(
                    document: &$crate::bindings::Blob,
                    id: String,
                    out: &$crate::bindings::Sink,
                ) -> Result<(), $crate::bindings::Refusal> {
                    $crate::glue::extract(document, &id, out, $extract)
                }
            }
            #[cfg(target_arch = "wasm32")]
            $crate::bindings::contents::export_contents!(Plugin with_types_in $crate::bindings::contents);
        )?

        $(
            impl $crate::bindings::sign::Signing for Plugin {
                fn sign(
                    document: &$crate::bindings::Blob,
                    request: $crate::bindings::sign::Request,
                    answers: Vec<$crate::bindings::Answer>,
                    out: &$crate::bindings::Sink,
                ) -> Result<$crate::bindings::sign::Step, $crate::bindings::Refusal> {
                    $crate::glue::sign(document, request, answers, out, $sign)
                }
            }
            #[cfg(target_arch = "wasm32")]
            $crate::bindings::sign::export_sign!(Plugin with_types_in $crate::bindings::sign);
        )?

        $(
            impl $crate::bindings::verify::Verification for Plugin {
                fn verify(
                    document: &$crate::bindings::Blob,
                ) -> Result<$crate::bindings::verify::Evidence, $crate::bindings::Refusal> {
                    $crate::glue::verify(document, $verify)
                }
            }
            #[cfg(target_arch = "wasm32")]
            $crate::bindings::verify::export_verify!(Plugin with_types_in $crate::bindings::verify);
        )?

        $(
            impl $crate::bindings::archive::Archiving for Plugin {
                fn archive(
                    document: &$crate::bindings::Blob,
                    request: $crate::bindings::archive::Request,
                    answers: Vec<$crate::bindings::Answer>,
                    out: &$crate::bindings::Sink,
                ) -> Result<$crate::bindings::archive::Step, $crate::bindings::Refusal> {
                    $crate::glue::archive(document, request, answers, out, $archive)
                }
            }
            #[cfg(target_arch = "wasm32")]
            $crate::bindings::archive::export_archive!(Plugin with_types_in $crate::bindings::archive);
        )?

        $(
            impl $crate::bindings::flatten::Flattening for Plugin {
                fn flatten(
                    document: &$crate::bindings::Blob,
                    request: $crate::bindings::Derivation,
                    out: &$crate::bindings::Sink,
                ) -> Result<$crate::bindings::Made, $crate::bindings::Refusal> {
                    $crate::glue::derive(document, request, out, $flatten)
                }
            }
            #[cfg(target_arch = "wasm32")]
            $crate::bindings::flatten::export_flatten!(Plugin with_types_in $crate::bindings::flatten);
        )?

        $(
            impl $crate::bindings::rehearse::Rehearsal for Plugin {
                fn rehearse(
                    document: &$crate::bindings::Blob,
                    request: $crate::bindings::Derivation,
                    out: &$crate::bindings::Sink,
                ) -> Result<$crate::bindings::Made, $crate::bindings::Refusal> {
                    $crate::glue::derive(document, request, out, $rehearse)
                }
            }
            #[cfg(target_arch = "wasm32")]
            $crate::bindings::rehearse::export_rehearse!(Plugin with_types_in $crate::bindings::rehearse);
        )?

        $(
            impl $crate::bindings::compose::Composition for Plugin {
                fn compose(
                    files: Vec<$crate::bindings::compose::SourceFile>,
                    request: $crate::bindings::compose::Request,
                    out: &$crate::bindings::Sink,
                ) -> Result<$crate::bindings::Made, $crate::bindings::Refusal> {
                    $crate::glue::compose(&files, request, out, $compose)
                }
            }
            #[cfg(target_arch = "wasm32")]
            $crate::bindings::compose::export_compose!(Plugin with_types_in $crate::bindings::compose);
        )?
    };
}
