use bytes::Bytes;
use parafa_catalogue::{NeedKind, Operation};

use crate::asking::{answer_needs, refuse_repetition};
use crate::contents::Basis;
use crate::evidence;
use crate::{
    Answer, Answerer, ArchiveRequest, ArchiveStep, Archived, CallError, Capability, ContractBreach,
    Document, Need, Plugin, Progress, SignatureEvidence, Suspension,
};

const ARCHIVE: Capability = Capability::Archive;

/// A document at an archival level, checked against its input and the claim.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ArchivedDocument {
    /// The document; none when it was at that level already.
    pub bytes: Option<Bytes>,
    /// What was made.
    pub outcome: Archived,
    /// Evidence about its signatures, in the document's order.
    pub signatures: Vec<SignatureEvidence>,
}

pub(crate) async fn drive(
    plugin: &Plugin,
    document: Document,
    request: &ArchiveRequest,
    mut answers: Vec<Answer>,
    answerer: &dyn Answerer,
) -> Result<Progress<ArchivedDocument>, CallError> {
    let basis = Basis::of(plugin, ARCHIVE, document.clone()).await?;
    for _ in 0..plugin.max_rounds() {
        let step = plugin.archive_on(&basis, document.clone(), request, &answers);
        let needs = match step.await? {
            ArchiveStep::Needs(needs) => needs,
            ArchiveStep::Done {
                document: output,
                outcome,
            } => {
                return finish(plugin, &basis, document, &answers, output, outcome)
                    .await
                    .map(|archived| Progress::Done(Box::new(archived)));
            }
        };
        check_needs(&needs, &answers).map_err(|breach| plugin.broken(ARCHIVE, breach))?;
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

/// Nothing is asked twice, and nobody is asked to sign.
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
    document: Document,
    answers: &[Answer],
    output: Option<Document>,
    outcome: Archived,
) -> Result<ArchivedDocument, CallError> {
    let broken = |breach| plugin.broken(ARCHIVE, breach);
    plugin.check_media_type(ARCHIVE, &outcome.media_type)?;
    if !plugin.levels(Operation::Archive).contains(&outcome.level) {
        let breach = ContractBreach::unknown("level of an archive", &outcome.level);
        return Err(broken(breach));
    }
    if output.as_ref() == Some(&document) {
        return Err(broken(ContractBreach::NothingChanged));
    }
    let before = plugin.evidence(ARCHIVE, document).await?;
    let after = match &output {
        Some(output) => {
            basis.check_output(plugin, ARCHIVE, output.clone()).await?;
            plugin.evidence(ARCHIVE, output.clone()).await?
        }
        None => before.clone(),
    };
    let signatures = evidence::check_archived(&before, after, answers, &outcome)
        .map_err(|error| broken(ContractBreach::Evidence(error)))?;
    Ok(ArchivedDocument {
        bytes: output.map(Document::into_bytes),
        outcome,
        signatures,
    })
}
