//! The calls of a component, in any version of the contract.

use std::sync::Arc;

use semver::Version;
use wasmtime::Store;
use wasmtime::component::{Component, Linker, Resource};

use super::Answered;
use crate::contract::convert::{About, ArchiveOutcome, Made, Step};
use crate::contract::resources::{Blob, Sink};
use crate::runtime::platform::CallState;
use crate::{
    Answer, ArchiveRequest, Capability, ComposeRequest, ContractBreach, DeriveRequest, Evidence,
    FaultKind, Member, Outcome, Refusal, Report, SignRequest,
};

/// A component's worlds of the contract, ready to be instantiated. The output of an operation is in
/// the state of the call.
pub(super) trait Worlds: Send + Sync {
    fn describe(&self, store: &mut Store<CallState>) -> Called<About>;
    fn inspect(&self, store: &mut Store<CallState>) -> Called<Report>;
    fn members(&self, store: &mut Store<CallState>) -> Called<Vec<Member>>;
    fn extract(&self, store: &mut Store<CallState>, id: &str) -> Called<()>;
    fn sign(
        &self,
        store: &mut Store<CallState>,
        request: &SignRequest,
        covers: &[String],
        answers: &[Answer],
    ) -> Called<Step<Outcome>>;
    fn verify(&self, store: &mut Store<CallState>) -> Called<Evidence>;
    fn archive(
        &self,
        store: &mut Store<CallState>,
        request: &ArchiveRequest,
        answers: &[Answer],
    ) -> Called<Step<ArchiveOutcome>>;
    fn flatten(&self, store: &mut Store<CallState>, request: &DeriveRequest) -> Called<Made>;
    fn rehearse(&self, store: &mut Store<CallState>, request: &DeriveRequest) -> Called<Made>;
    /// Composes a document of files with these names and media types; their contents are the call's
    /// documents, in the same order.
    fn compose(
        &self,
        store: &mut Store<CallState>,
        files: Vec<(String, String)>,
        request: &ComposeRequest,
    ) -> Called<Made>;
}

/// A component's answer, or the reason why there is none.
pub(super) type Called<T> = Result<Answered<T>, Failure>;

/// Reasons why a call has no answer.
pub(super) enum Failure {
    /// The call ended in an error.
    Ended(wasmtime::Error),
    /// The answer is outside the contract, or the call is unsupported.
    Fault(FaultKind),
}

impl From<wasmtime::Error> for Failure {
    fn from(error: wasmtime::Error) -> Self {
        Self::Ended(error)
    }
}

impl From<FaultKind> for Failure {
    fn from(kind: FaultKind) -> Self {
        Self::Fault(kind)
    }
}

impl From<ContractBreach> for Failure {
    fn from(breach: ContractBreach) -> Self {
        Self::Fault(breach.into())
    }
}

/// Links a component written against a version that the host knows; succeeds only if it exports the
/// worlds of its capabilities, `has`.
pub(super) fn link(
    version: &Version,
    linker: &Linker<CallState>,
    component: &Component,
    has: impl Fn(Capability) -> bool,
) -> wasmtime::Result<Arc<dyn Worlds>> {
    let worlds: Arc<dyn Worlds> = if version.major == 0 {
        Arc::new(v0_2::Linked::link(linker, component, has)?)
    } else {
        Arc::new(v1_0::Linked::link(linker, component, has)?)
    };
    Ok(worlds)
}

/// Implements the calls by the bindings of a version. Those of all versions have the same names,
/// but no type in common.
macro_rules! calls_of {
    ($version:ident) => {
        mod $version {
            use wasmtime::Store;
            use wasmtime::component::{Component, Linker};

            use super::{Called, Worlds, answered, lend_blob, lend_sink, supported};
            use crate::contract::bounds;
            use crate::contract::convert::{About, ArchiveOutcome, Made, Step};
            use crate::contract::resources::Blob;
            use crate::contract::$version::bindings::archive::ArchivePre;
            use crate::contract::$version::bindings::compose::{self, ComposePre};
            use crate::contract::$version::bindings::contents::ContentsPre;
            use crate::contract::$version::bindings::describe::DescribePre;
            use crate::contract::$version::bindings::flatten::FlattenPre;
            use crate::contract::$version::bindings::inspect::InspectPre;
            use crate::contract::$version::bindings::rehearse::RehearsePre;
            use crate::contract::$version::bindings::sign::SignPre;
            use crate::contract::$version::bindings::verify::VerifyPre;
            use crate::contract::$version::convert;
            use crate::runtime::platform::CallState;
            use crate::{
                Answer, ArchiveRequest, Capability, ComposeRequest, ContractBreach, DeriveRequest,
                Evidence, Member, Outcome, Report, SignRequest,
            };

            pub(super) struct Linked {
                archive: Option<ArchivePre<CallState>>,
                compose: Option<ComposePre<CallState>>,
                contents: Option<ContentsPre<CallState>>,
                describe: DescribePre<CallState>,
                flatten: Option<FlattenPre<CallState>>,
                inspect: Option<InspectPre<CallState>>,
                rehearse: Option<RehearsePre<CallState>>,
                sign: Option<SignPre<CallState>>,
                verify: Option<VerifyPre<CallState>>,
            }

            impl Linked {
                pub(super) fn link(
                    linker: &Linker<CallState>,
                    component: &Component,
                    has: impl Fn(Capability) -> bool,
                ) -> wasmtime::Result<Self> {
                    let linked = linker.instantiate_pre(component)?;
                    let of = |capability| has(capability).then(|| linked.clone());
                    Ok(Self {
                        archive: of(Capability::Archive).map(ArchivePre::new).transpose()?,
                        compose: of(Capability::Compose).map(ComposePre::new).transpose()?,
                        contents: of(Capability::Contents).map(ContentsPre::new).transpose()?,
                        flatten: of(Capability::Flatten).map(FlattenPre::new).transpose()?,
                        inspect: of(Capability::Inspect).map(InspectPre::new).transpose()?,
                        rehearse: of(Capability::Rehearse).map(RehearsePre::new).transpose()?,
                        sign: of(Capability::Sign).map(SignPre::new).transpose()?,
                        verify: of(Capability::Verify).map(VerifyPre::new).transpose()?,
                        describe: DescribePre::new(linked)?,
                    })
                }
            }

            impl Worlds for Linked {
                fn describe(&self, store: &mut Store<CallState>) -> Called<About> {
                    let plugin = self.describe.instantiate(&mut *store)?;
                    let about = plugin
                        .parafa_format_description()
                        .call_describe(&mut *store)?;
                    Ok(Ok(convert::about(about)?))
                }

                fn inspect(&self, store: &mut Store<CallState>) -> Called<Report> {
                    let plugin = supported(self.inspect.as_ref(), Capability::Inspect)?;
                    let plugin = plugin.instantiate(&mut *store)?;
                    let blob = lend_blob(store)?;
                    let answer = plugin
                        .parafa_format_inspection()
                        .call_inspect(&mut *store, blob)?;
                    answered(answer, convert::refusal, convert::report)
                }

                fn members(&self, store: &mut Store<CallState>) -> Called<Vec<Member>> {
                    let plugin = supported(self.contents.as_ref(), Capability::Contents)?;
                    let plugin = plugin.instantiate(&mut *store)?;
                    let blob = lend_blob(store)?;
                    let answer = plugin
                        .parafa_format_container()
                        .call_members(&mut *store, blob)?;
                    answered(answer, convert::refusal, |members| {
                        bounds::members(members.len())?;
                        let members = members.into_iter().map(convert::member);
                        members.collect::<Result<Vec<_>, ContractBreach>>()
                    })
                }

                fn extract(&self, store: &mut Store<CallState>, id: &str) -> Called<()> {
                    let plugin = supported(self.contents.as_ref(), Capability::Contents)?;
                    let plugin = plugin.instantiate(&mut *store)?;
                    let (blob, sink) = (lend_blob(store)?, lend_sink(store)?);
                    let answer = plugin.parafa_format_container().call_extract(
                        &mut *store,
                        blob,
                        id,
                        sink,
                    )?;
                    answered(answer, convert::refusal, |()| Ok(()))
                }

                fn sign(
                    &self,
                    store: &mut Store<CallState>,
                    request: &SignRequest,
                    covers: &[String],
                    answers: &[Answer],
                ) -> Called<Step<Outcome>> {
                    let plugin = supported(self.sign.as_ref(), Capability::Sign)?;
                    let plugin = plugin.instantiate(&mut *store)?;
                    let (blob, sink) = (lend_blob(store)?, lend_sink(store)?);
                    let answer = plugin.parafa_format_signing().call_sign(
                        &mut *store,
                        blob,
                        &convert::sign_request(request, covers),
                        &convert::answers(answers),
                        sink,
                    )?;
                    answered(answer, convert::refusal, convert::sign_step)
                }

                fn verify(&self, store: &mut Store<CallState>) -> Called<Evidence> {
                    let plugin = supported(self.verify.as_ref(), Capability::Verify)?;
                    let plugin = plugin.instantiate(&mut *store)?;
                    let blob = lend_blob(store)?;
                    let answer = plugin
                        .parafa_format_verification()
                        .call_verify(&mut *store, blob)?;
                    answered(answer, convert::refusal, convert::evidence)
                }

                fn archive(
                    &self,
                    store: &mut Store<CallState>,
                    request: &ArchiveRequest,
                    answers: &[Answer],
                ) -> Called<Step<ArchiveOutcome>> {
                    let plugin = supported(self.archive.as_ref(), Capability::Archive)?;
                    let request = match convert::archive_request(request) {
                        Ok(request) => request,
                        Err(refused) => return Ok(Err(refused)),
                    };
                    let plugin = plugin.instantiate(&mut *store)?;
                    let (blob, sink) = (lend_blob(store)?, lend_sink(store)?);
                    let answer = plugin.parafa_format_archiving().call_archive(
                        &mut *store,
                        blob,
                        &request,
                        &convert::answers(answers),
                        sink,
                    )?;
                    answered(answer, convert::refusal, convert::archive_step)
                }

                fn flatten(
                    &self,
                    store: &mut Store<CallState>,
                    request: &DeriveRequest,
                ) -> Called<Made> {
                    let plugin = supported(self.flatten.as_ref(), Capability::Flatten)?;
                    let plugin = plugin.instantiate(&mut *store)?;
                    let (blob, sink) = (lend_blob(store)?, lend_sink(store)?);
                    let answer = plugin.parafa_format_flattening().call_flatten(
                        &mut *store,
                        blob,
                        &convert::derivation(request),
                        sink,
                    )?;
                    answered(answer, convert::refusal, convert::made)
                }

                fn rehearse(
                    &self,
                    store: &mut Store<CallState>,
                    request: &DeriveRequest,
                ) -> Called<Made> {
                    let plugin = supported(self.rehearse.as_ref(), Capability::Rehearse)?;
                    let plugin = plugin.instantiate(&mut *store)?;
                    let (blob, sink) = (lend_blob(store)?, lend_sink(store)?);
                    let answer = plugin.parafa_format_rehearsal().call_rehearse(
                        &mut *store,
                        blob,
                        &convert::derivation(request),
                        sink,
                    )?;
                    answered(answer, convert::refusal, convert::made)
                }

                fn compose(
                    &self,
                    store: &mut Store<CallState>,
                    files: Vec<(String, String)>,
                    request: &ComposeRequest,
                ) -> Called<Made> {
                    let plugin = supported(self.compose.as_ref(), Capability::Compose)?;
                    let plugin = plugin.instantiate(&mut *store)?;
                    let mut sources = Vec::with_capacity(files.len());
                    for (place, (name, media_type)) in files.into_iter().enumerate() {
                        let content = store.data_mut().resources.push(Blob::Given(place));
                        sources.push(compose::SourceFile {
                            name,
                            media_type,
                            content: content.map_err(wasmtime::Error::from)?,
                        });
                    }
                    let sink = lend_sink(store)?;
                    let answer = plugin.parafa_format_composition().call_compose(
                        &mut *store,
                        &sources,
                        &convert::compose_request(request),
                        sink,
                    )?;
                    answered(answer, convert::refusal, convert::made)
                }
            }
        }
    };
}

calls_of!(v0_2);
calls_of!(v1_0);

/// Returns a handle of the call's first document.
fn lend_blob(store: &mut Store<CallState>) -> wasmtime::Result<Resource<Blob>> {
    let blob = store.data_mut().resources.push(Blob::Given(0))?;
    Ok(Resource::new_borrow(blob.rep()))
}

fn lend_sink(store: &mut Store<CallState>) -> wasmtime::Result<Resource<Sink>> {
    let sink = store.data_mut().resources.push(Sink)?;
    Ok(Resource::new_borrow(sink.rep()))
}

fn supported<T>(plugin: Option<&T>, capability: Capability) -> Result<&T, FaultKind> {
    plugin.ok_or(FaultKind::Unsupported(capability))
}

/// Converts an answer, or a refusal.
fn answered<T, R, U>(
    answer: Result<T, R>,
    refusal: impl FnOnce(R) -> Result<Refusal, ContractBreach>,
    read: impl FnOnce(T) -> Result<U, ContractBreach>,
) -> Called<U> {
    Ok(match answer {
        Ok(answer) => Ok(read(answer)?),
        Err(refused) => Err(refusal(refused)?),
    })
}
