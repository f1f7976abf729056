use wasmtime::component::{Component, Linker};

use crate::Capability;
use crate::contract::bindings::archive::ArchivePre;
use crate::contract::bindings::compose::ComposePre;
use crate::contract::bindings::contents::ContentsPre;
use crate::contract::bindings::describe::DescribePre;
use crate::contract::bindings::flatten::FlattenPre;
use crate::contract::bindings::inspect::InspectPre;
use crate::contract::bindings::rehearse::RehearsePre;
use crate::contract::bindings::sign::SignPre;
use crate::contract::bindings::verify::VerifyPre;
use crate::runtime::platform::CallState;

/// The worlds of the contract that a component has, ready to be instantiated.
#[derive(Clone)]
pub(super) struct Worlds {
    pub(super) archive: Option<ArchivePre<CallState>>,
    pub(super) compose: Option<ComposePre<CallState>>,
    pub(super) contents: Option<ContentsPre<CallState>>,
    pub(super) describe: DescribePre<CallState>,
    pub(super) flatten: Option<FlattenPre<CallState>>,
    pub(super) inspect: Option<InspectPre<CallState>>,
    pub(super) rehearse: Option<RehearsePre<CallState>>,
    pub(super) sign: Option<SignPre<CallState>>,
    pub(super) verify: Option<VerifyPre<CallState>>,
}

impl Worlds {
    pub(super) fn link(
        linker: &Linker<CallState>,
        component: &Component,
        has: impl Fn(Capability) -> bool,
    ) -> wasmtime::Result<Self> {
        let linked = linker.instantiate_pre(component)?;
        Ok(Self {
            archive: has(Capability::Archive)
                .then(|| ArchivePre::new(linked.clone()))
                .transpose()?,
            compose: has(Capability::Compose)
                .then(|| ComposePre::new(linked.clone()))
                .transpose()?,
            contents: has(Capability::Contents)
                .then(|| ContentsPre::new(linked.clone()))
                .transpose()?,
            flatten: has(Capability::Flatten)
                .then(|| FlattenPre::new(linked.clone()))
                .transpose()?,
            inspect: has(Capability::Inspect)
                .then(|| InspectPre::new(linked.clone()))
                .transpose()?,
            rehearse: has(Capability::Rehearse)
                .then(|| RehearsePre::new(linked.clone()))
                .transpose()?,
            sign: has(Capability::Sign)
                .then(|| SignPre::new(linked.clone()))
                .transpose()?,
            verify: has(Capability::Verify)
                .then(|| VerifyPre::new(linked.clone()))
                .transpose()?,
            describe: DescribePre::new(linked)?,
        })
    }
}
