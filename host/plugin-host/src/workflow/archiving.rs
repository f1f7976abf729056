use bytes::Bytes;
use parafa_catalogue::{NeedKind, Operation};
use tokio::sync::OnceCell;

use super::asking::{answer_needs, refuse_repetition};
use super::contents::Basis;
use super::evidence::{self, Archiving};
use crate::{
    Answer, Answerer, ArchiveRequest, ArchiveStep, Archived, CallError, Capability, ContractBreach,
    Document, Evidence, Need, Plugin, Progress, SignatureEvidence, Suspension,
};

const ARCHIVE: Capability = Capability::Archive;

/// A document at an archival level, checked against its input and the claim.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ArchivedDocument {
    /// The document; `None` if it had that level already.
    pub bytes: Option<Bytes>,
    /// The plugin's description of the document.
    pub outcome: Archived,
    /// Evidence about its signatures, in the document's order.
    pub signatures: Vec<SignatureEvidence>,
}

impl Plugin {
    /// Makes one step of archiving, with the answers so far. An output is checked to preserve its
    /// input as declared; [`Plugin::drive_archive`] checks the rest.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document or request, or its fault.
    pub async fn archive(
        &self,
        document: impl Into<Document>,
        request: &ArchiveRequest,
        answers: &[Answer],
    ) -> Result<ArchiveStep, CallError> {
        let document = document.into();
        let basis = Basis::of(self, Capability::Archive, document.clone()).await?;
        self.archive_on(&basis, document, request, answers).await
    }

    /// Like `archive`, with a `Basis` already computed.
    async fn archive_on(
        &self,
        basis: &Basis,
        document: Document,
        request: &ArchiveRequest,
        answers: &[Answer],
    ) -> Result<ArchiveStep, CallError> {
        self.guest()
            .archive(document, request, answers, basis.kept)
            .await
    }

    /// Raises a document's signatures to the requested level as far as the answers go, as
    /// [`Plugin::drive_sign`] signs.
    ///
    /// A document is returned only if all of these hold, also where the plugin reports that no
    /// change is needed:
    ///
    /// - It has the earlier signatures and members unchanged, and no others.
    /// - The lowest of its levels is at least the requested one, and equals the plugin's claim.
    /// - It has the earlier revocation data and time-stamps, and exactly the answered new ones.
    /// - At B-LTA these are one over the whole document, or one in each signature, also where it
    ///   had that level already.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document or request, or its fault, including any condition above
    /// that fails.
    pub async fn drive_archive(
        &self,
        document: impl Into<Document>,
        request: &ArchiveRequest,
        answers: Vec<Answer>,
        answerer: &dyn Answerer,
    ) -> Result<Progress<ArchivedDocument>, CallError> {
        drive(self, document.into(), request, answers, answerer).await
    }
}

async fn drive(
    plugin: &Plugin,
    document: Document,
    request: &ArchiveRequest,
    mut answers: Vec<Answer>,
    answerer: &dyn Answerer,
) -> Result<Progress<ArchivedDocument>, CallError> {
    let basis = Basis::of(plugin, ARCHIVE, document.clone()).await?;
    // The evidence about the document is computed once: it does not change during archiving.
    let before = OnceCell::new();
    let verified = || before.get_or_try_init(|| plugin.evidence(ARCHIVE, document.clone()));
    for _ in 0..plugin.max_rounds() {
        let step = plugin.archive_on(&basis, document.clone(), request, &answers);
        let needs = match step.await? {
            ArchiveStep::Needs(needs) => needs,
            ArchiveStep::Done {
                document: output,
                outcome,
            } => {
                let before = verified().await?;
                let archiving = Archiving {
                    target: request.target_level,
                    answers: &answers,
                    outcome: &outcome,
                };
                return finish(plugin, &basis, &document, before, output, &archiving)
                    .await
                    .map(|archived| Progress::Done(Box::new(archived)));
            }
        };
        let broken = |breach| plugin.broken(ARCHIVE, breach);
        check_needs(&needs, &answers).map_err(broken)?;
        if needs.iter().any(|need| need.kind == NeedKind::Timestamp) {
            let signatures = &verified().await?.signatures;
            evidence::check_timestamps_asked(&needs, &answers, signatures).map_err(broken)?;
        }
        let open = answer_needs(needs, &mut answers, answerer).await;
        if !open.is_empty() {
            return Ok(Progress::Suspended(Suspension {
                needs: open,
                answers,
            }));
        }
    }
    Err(plugin.broken(ARCHIVE, ContractBreach::TooManyRounds(plugin.max_rounds())))
}

/// Checks that no need is repeated and no signature is requested.
fn check_needs(needs: &[Need], answers: &[Answer]) -> Result<(), ContractBreach> {
    refuse_repetition(needs, answers)?;
    match needs.iter().find(|need| need.kind == NeedKind::Signature) {
        Some(need) => Err(ContractBreach::unknown("need of an archive", &need.id)),
        None => Ok(()),
    }
}

async fn finish(
    plugin: &Plugin,
    basis: &Basis,
    document: &Document,
    before: &Evidence,
    output: Option<Document>,
    archiving: &Archiving<'_>,
) -> Result<ArchivedDocument, CallError> {
    let outcome = archiving.outcome;
    let broken = |breach| plugin.broken(ARCHIVE, breach);
    plugin.check_media_type(ARCHIVE, &outcome.media_type)?;
    if !plugin.levels(Operation::Archive).contains(&outcome.level) {
        let breach = ContractBreach::unknown("level of an archive", &outcome.level);
        return Err(broken(breach));
    }
    if output.as_ref() == Some(document) {
        return Err(broken(ContractBreach::NothingChanged));
    }
    let after = match &output {
        Some(output) => {
            basis.check_output(plugin, ARCHIVE, output.clone()).await?;
            plugin.evidence(ARCHIVE, output.clone()).await?
        }
        None => before.clone(),
    };
    let signatures = evidence::check_archived(before, after, archiving)
        .map_err(|error| broken(ContractBreach::Evidence(error)))?;
    Ok(ArchivedDocument {
        bytes: output.map(Document::into_bytes),
        outcome: outcome.clone(),
        signatures,
    })
}
