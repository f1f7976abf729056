use std::sync::Arc;

use bytes::Bytes;
use parafa_catalogue::Preservation;
use wasmtime::Store;

use super::{Answered, Guest};
use crate::contract::convert::{About, Made, Step};
use crate::contract::text::{NAME_BYTES, line};
use crate::runtime::platform::CallState;
use crate::runtime::preservation;
use crate::{
    Answer, ArchiveRequest, ArchiveStep, CallError, Capability, ComposeRequest, ContractBreach,
    DeriveRequest, Document, Evidence, FaultKind, MadeDocument, Member, Report, SignRequest,
    SignStep, SourceFile,
};

/// Most notes on a made document that are passed on.
const MOST_NOTES: usize = 20;

impl Guest {
    pub(crate) async fn describe(self: &Arc<Self>) -> Result<About, CallError> {
        self.call("describe", Vec::new(), |guest, store| {
            let called = guest.worlds.describe(store);
            guest.returned(store, called)
        })
        .await
    }

    pub(crate) async fn inspect(self: &Arc<Self>, document: Document) -> Result<Report, CallError> {
        self.call("inspect", vec![document], |guest, store| {
            let called = guest.worlds.inspect(store);
            guest.returned(store, called)
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
        let (request, covers) = (request.clone(), covers.to_vec());
        let answers = answers.to_vec();
        self.call("sign", vec![document], move |guest, store| {
            let called = guest.worlds.sign(store, &request, &covers, &answers);
            let answer = guest.returned(store, called)?;
            and_then(answer, |step| {
                Ok(match step {
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
        let (request, answers) = (request.clone(), answers.to_vec());
        self.call("archive", vec![document], move |guest, store| {
            let called = guest.worlds.archive(store, &request, &answers);
            let answer = guest.returned(store, called)?;
            and_then(answer, |step| {
                let outcome = match step {
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

    /// Calls `flatten` or `rehearse`.
    pub(crate) async fn derive(
        self: &Arc<Self>,
        operation: Capability,
        document: Document,
        request: &DeriveRequest,
        kept: Preservation,
    ) -> Result<MadeDocument, CallError> {
        let request = request.clone();
        self.call(operation.world(), vec![document], move |guest, store| {
            let called = match operation {
                Capability::Flatten => guest.worlds.flatten(store, &request),
                Capability::Rehearse => guest.worlds.rehearse(store, &request),
                _ => return Err(FaultKind::Unsupported(operation)),
            };
            let answer = guest.returned(store, called)?;
            and_then(answer, |made| made_document(store, made, kept))
        })
        .await
    }

    pub(crate) async fn compose(
        self: &Arc<Self>,
        files: &[SourceFile],
        request: &ComposeRequest,
    ) -> Result<MadeDocument, CallError> {
        let request = request.clone();
        let documents = files.iter().map(|file| file.content.alone()).collect();
        let files: Vec<_> = files
            .iter()
            .map(|file| (file.name.clone(), file.media_type.clone()))
            .collect();
        self.call("compose", documents, move |guest, store| {
            let called = guest.worlds.compose(store, files, &request);
            let answer = guest.returned(store, called)?;
            and_then(answer, |made| {
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
            let called = guest.worlds.verify(store);
            guest.returned(store, called)
        })
        .await
    }

    pub(crate) async fn members(
        self: &Arc<Self>,
        document: Document,
    ) -> Result<Vec<Member>, CallError> {
        self.call("members", vec![document], |guest, store| {
            let called = guest.worlds.members(store);
            guest.returned(store, called)
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
            let called = guest.worlds.extract(store, &id);
            let answer = guest.returned(store, called)?;
            and_then(answer, |()| {
                Ok(output_of(store, Preservation::Rewrite)?.into_bytes())
            })
        })
        .await
    }
}

/// Returns the output, after checking that it preserves the call's first document.
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
    made: Made,
    kept: Preservation,
) -> Result<MadeDocument, FaultKind> {
    if store.data().output.is_empty() {
        return Err(ContractBreach::Missing("the output").into());
    }
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

/// Applies `then` to an answer that is not a refusal.
fn and_then<T, U>(
    answer: Answered<T>,
    make: impl FnOnce(T) -> Result<U, FaultKind>,
) -> Result<Answered<U>, FaultKind> {
    Ok(match answer {
        Ok(answer) => Ok(make(answer)?),
        Err(refusal) => Err(refusal),
    })
}
