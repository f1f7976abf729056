use std::sync::Arc;

use bytes::Bytes;
use parafa_catalogue::Preservation;
use wasmtime::Store;
use wasmtime::component::Resource;

use super::{Answered, Guest};
use crate::contract::bindings::{compose, types};
use crate::contract::bounds;
use crate::contract::convert::{self, About, Step};
use crate::contract::resources::{Blob, Sink};
use crate::contract::text::{NAME_BYTES, line};
use crate::runtime::platform::CallState;
use crate::runtime::preservation;
use crate::{
    Answer, ArchiveRequest, ArchiveStep, CallError, Capability, ComposeRequest, ContractBreach,
    DeriveRequest, Document, Evidence, FaultKind, MadeDocument, Member, Report, SignRequest,
    SignStep, SourceFile,
};

/// Most notes about a document that was made that are passed on.
const MOST_NOTES: usize = 20;

impl Guest {
    pub(crate) async fn describe(self: &Arc<Self>) -> Result<About, CallError> {
        self.call("describe", Vec::new(), |guest, store| {
            let called = guest
                .worlds
                .describe
                .instantiate(&mut *store)
                .and_then(|plugin| {
                    plugin
                        .parafa_format_description()
                        .call_describe(&mut *store)
                });
            Ok(Ok(guest.returned(store, called)?.try_into()?))
        })
        .await
    }

    pub(crate) async fn inspect(self: &Arc<Self>, document: Document) -> Result<Report, CallError> {
        self.call("inspect", vec![document], |guest, store| {
            let plugin = supported(guest.worlds.inspect.as_ref(), Capability::Inspect)?;
            let called = plugin.instantiate(&mut *store).and_then(|plugin| {
                let blob = lend_blob(store)?;
                plugin
                    .parafa_format_inspection()
                    .call_inspect(&mut *store, blob)
            });
            let answer = guest.returned(store, called)?;
            answered(answer, |report| Ok(convert::report(report)?))
        })
        .await
    }

    pub(crate) async fn sign(
        self: &Arc<Self>,
        document: Document,
        request: &SignRequest,
        covers: &[String],
        answers: &[Answer],
        kept: Preservation,
    ) -> Result<SignStep, CallError> {
        let request = convert::sign_request(request, covers);
        let answers: Vec<types::Answer> = answers.iter().map(Into::into).collect();
        self.call("sign", vec![document], move |guest, store| {
            let plugin = supported(guest.worlds.sign.as_ref(), Capability::Sign)?;
            let called = plugin.instantiate(&mut *store).and_then(|plugin| {
                let (blob, sink) = (lend_blob(store)?, lend_sink(store)?);
                plugin.parafa_format_signing().call_sign(
                    &mut *store,
                    blob,
                    &request,
                    &answers,
                    sink,
                )
            });
            let answer = guest.returned(store, called)?;
            answered(answer, |step| {
                Ok(match Step::try_from(step)? {
                    Step::Needs(needs) => SignStep::Needs(needs),
                    Step::Done(outcome) => SignStep::Done {
                        document: output_of(store, kept)?,
                        outcome,
                    },
                })
            })
        })
        .await
    }

    pub(crate) async fn archive(
        self: &Arc<Self>,
        document: Document,
        request: &ArchiveRequest,
        answers: &[Answer],
        kept: Preservation,
    ) -> Result<ArchiveStep, CallError> {
        let request = request.into();
        let answers: Vec<types::Answer> = answers.iter().map(Into::into).collect();
        self.call("archive", vec![document], move |guest, store| {
            let plugin = supported(guest.worlds.archive.as_ref(), Capability::Archive)?;
            let called = plugin.instantiate(&mut *store).and_then(|plugin| {
                let (blob, sink) = (lend_blob(store)?, lend_sink(store)?);
                plugin.parafa_format_archiving().call_archive(
                    &mut *store,
                    blob,
                    &request,
                    &answers,
                    sink,
                )
            });
            let answer = guest.returned(store, called)?;
            answered(answer, |step| {
                let outcome = match Step::try_from(step)? {
                    Step::Needs(needs) => return Ok(ArchiveStep::Needs(needs)),
                    Step::Done(outcome) => outcome,
                };
                let document = match (outcome.changed, store.data().output.is_empty()) {
                    (true, _) => Some(output_of(store, kept)?),
                    (false, true) => None,
                    (false, false) => return Err(ContractBreach::UnclaimedOutput.into()),
                };
                Ok(ArchiveStep::Done {
                    document,
                    outcome: outcome.archived,
                })
            })
        })
        .await
    }

    /// `flatten` or `rehearse`.
    pub(crate) async fn derive(
        self: &Arc<Self>,
        operation: Capability,
        document: Document,
        request: &DeriveRequest,
        kept: Preservation,
    ) -> Result<MadeDocument, CallError> {
        let request = request.into();
        self.call(operation.world(), vec![document], move |guest, store| {
            let called = match operation {
                Capability::Flatten => {
                    let plugin = supported(guest.worlds.flatten.as_ref(), operation)?;
                    plugin.instantiate(&mut *store).and_then(|plugin| {
                        let (blob, sink) = (lend_blob(store)?, lend_sink(store)?);
                        plugin.parafa_format_flattening().call_flatten(
                            &mut *store,
                            blob,
                            &request,
                            sink,
                        )
                    })
                }
                Capability::Rehearse => {
                    let plugin = supported(guest.worlds.rehearse.as_ref(), operation)?;
                    plugin.instantiate(&mut *store).and_then(|plugin| {
                        let (blob, sink) = (lend_blob(store)?, lend_sink(store)?);
                        plugin.parafa_format_rehearsal().call_rehearse(
                            &mut *store,
                            blob,
                            &request,
                            sink,
                        )
                    })
                }
                _ => return Err(FaultKind::Unsupported(operation)),
            };
            let answer = guest.returned(store, called)?;
            answered(answer, |made| made_document(store, made, kept))
        })
        .await
    }

    pub(crate) async fn compose(
        self: &Arc<Self>,
        files: &[SourceFile],
        request: &ComposeRequest,
    ) -> Result<MadeDocument, CallError> {
        let request = request.into();
        let documents = files.iter().map(|file| file.content.clone()).collect();
        let files: Vec<_> = files
            .iter()
            .map(|file| (file.name.clone(), file.media_type.clone()))
            .collect();
        self.call("compose", documents, move |guest, store| {
            let plugin = supported(guest.worlds.compose.as_ref(), Capability::Compose)?;
            let called = plugin.instantiate(&mut *store).and_then(|plugin| {
                let mut sources = Vec::with_capacity(files.len());
                for (place, (name, media_type)) in files.into_iter().enumerate() {
                    sources.push(compose::SourceFile {
                        name,
                        media_type,
                        content: store.data_mut().resources.push(Blob::Given(place))?,
                    });
                }
                let sink = lend_sink(store)?;
                plugin.parafa_format_composition().call_compose(
                    &mut *store,
                    &sources,
                    &request,
                    sink,
                )
            });
            let answer = guest.returned(store, called)?;
            answered(answer, |made| {
                made_document(store, made, Preservation::Rewrite)
            })
        })
        .await
    }

    pub(crate) async fn verify(
        self: &Arc<Self>,
        document: Document,
    ) -> Result<Evidence, CallError> {
        self.call("verify", vec![document], |guest, store| {
            let plugin = supported(guest.worlds.verify.as_ref(), Capability::Verify)?;
            let called = plugin.instantiate(&mut *store).and_then(|plugin| {
                let blob = lend_blob(store)?;
                plugin
                    .parafa_format_verification()
                    .call_verify(&mut *store, blob)
            });
            let answer = guest.returned(store, called)?;
            answered(answer, |evidence| Ok(evidence.try_into()?))
        })
        .await
    }

    pub(crate) async fn members(
        self: &Arc<Self>,
        document: Document,
    ) -> Result<Vec<Member>, CallError> {
        self.call("members", vec![document], |guest, store| {
            let plugin = supported(guest.worlds.contents.as_ref(), Capability::Contents)?;
            let called = plugin.instantiate(&mut *store).and_then(|plugin| {
                let blob = lend_blob(store)?;
                plugin
                    .parafa_format_container()
                    .call_members(&mut *store, blob)
            });
            let answer = guest.returned(store, called)?;
            answered(answer, |members| {
                bounds::members(members.len())?;
                let members = members.into_iter().map(convert::member);
                Ok(members.collect::<Result<_, _>>()?)
            })
        })
        .await
    }

    pub(crate) async fn extract(
        self: &Arc<Self>,
        document: Document,
        id: &str,
    ) -> Result<Bytes, CallError> {
        let id = id.to_owned();
        self.call("extract", vec![document], move |guest, store| {
            let plugin = supported(guest.worlds.contents.as_ref(), Capability::Contents)?;
            let called = plugin.instantiate(&mut *store).and_then(|plugin| {
                let (blob, sink) = (lend_blob(store)?, lend_sink(store)?);
                plugin
                    .parafa_format_container()
                    .call_extract(&mut *store, blob, &id, sink)
            });
            let answer = guest.returned(store, called)?;
            answered(answer, |()| {
                Ok(output_of(store, Preservation::Rewrite)?.into_bytes())
            })
        })
        .await
    }
}

/// A handle of the call's first document.
fn lend_blob(store: &mut Store<CallState>) -> wasmtime::Result<Resource<Blob>> {
    let blob = store.data_mut().resources.push(Blob::Given(0))?;
    Ok(Resource::new_borrow(blob.rep()))
}

fn lend_sink(store: &mut Store<CallState>) -> wasmtime::Result<Resource<Sink>> {
    let sink = store.data_mut().resources.push(Sink)?;
    Ok(Resource::new_borrow(sink.rep()))
}

/// What was written, which keeps of the call's first document what it should.
fn output_of(store: &Store<CallState>, kept: Preservation) -> Result<Document, FaultKind> {
    let CallState {
        documents, output, ..
    } = store.data();
    let document = documents.first().cloned().unwrap_or_default();
    preservation::check(kept, document.bytes(), output)?;
    let bytes = output.assemble(documents)?;
    Ok(document.followed_by(bytes, output.kept_prefix()))
}

fn made_document(
    store: &Store<CallState>,
    made: types::Made,
    kept: Preservation,
) -> Result<MadeDocument, FaultKind> {
    if store.data().output.is_empty() {
        return Err(ContractBreach::Missing("the output").into());
    }
    bounds::media_type(&made.media_type)?;
    let document = output_of(store, kept)?;
    Ok(MadeDocument {
        bytes: document.bytes().clone(),
        document,
        media_type: made.media_type,
        notes: made
            .notes
            .iter()
            .take(MOST_NOTES)
            .map(|note| line(note, NAME_BYTES).into_owned())
            .collect(),
    })
}

fn supported<T>(plugin: Option<&T>, capability: Capability) -> Result<&T, FaultKind> {
    plugin.ok_or(FaultKind::Unsupported(capability))
}

/// What `read` makes of an answer that is no refusal.
fn answered<T, U>(
    answer: Result<T, types::Refusal>,
    read: impl FnOnce(T) -> Result<U, FaultKind>,
) -> Result<Answered<U>, FaultKind> {
    match answer {
        Ok(answer) => Ok(Ok(read(answer)?)),
        Err(refusal) => Ok(Err(convert::refusal(refusal)?)),
    }
}
