use async_trait::async_trait;
use bytes::Bytes;
use futures::future;
use serde::{Deserialize, Serialize};

use crate::evidence;
use crate::{
    Answer, CallError, ContractBreach, Document, EvidenceError, Need, NeedKind, Outcome, Plugin,
    SignRequest, SignStep, SignatureEvidence,
};

/// Gets what plugins need: signatures, time-stamps, certificates, revocation.
#[async_trait]
pub trait Answerer: Send + Sync {
    /// Answers a need, or puts it off. The needs of one step are asked for at
    /// the same time.
    async fn answer(&self, need: &Need) -> Reply;
}

/// What an [`Answerer`] says to a need.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Reply {
    /// The bytes, or the reason why there are none and never will be.
    Answered(Result<Vec<u8>, String>),
    /// Somebody has to act first, or a service is down: suspend.
    NotNow,
}

/// How far a signature has come.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Progress {
    /// The document is signed.
    Done(Box<SignedDocument>),
    /// Something must be answered first.
    Suspended(Suspension),
}

/// A signature in the making, at rest. It can be stored and taken up by
/// another process.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Suspension {
    /// What is still needed.
    pub needs: Vec<Need>,
    /// What was answered so far; pass it, with answers to `needs` added, to
    /// the next call.
    pub answers: Vec<Answer>,
}

/// A signed document, checked against its input, its request and the answers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignedDocument {
    /// The document.
    pub bytes: Bytes,
    /// What was made.
    pub outcome: Outcome,
    /// Evidence about the new signature.
    pub signature: SignatureEvidence,
    /// Evidence about the earlier signatures, in the document's order.
    pub earlier: Vec<SignatureEvidence>,
}

pub(crate) async fn drive(
    plugin: &Plugin,
    document: Document,
    request: &SignRequest,
    mut answers: Vec<Answer>,
    answerer: &dyn Answerer,
) -> Result<Progress, CallError> {
    if answers.is_empty() {
        check_before_anybody_signs(plugin, document.clone()).await?;
    }
    for _ in 0..plugin.max_rounds() {
        let needs = match plugin.sign(document.clone(), request, &answers).await? {
            SignStep::Needs(needs) => needs,
            SignStep::Done {
                document: output,
                outcome,
            } => {
                return finish(plugin, document, request, &answers, output, outcome)
                    .await
                    .map(|signed| Progress::Done(Box::new(signed)));
            }
        };
        check_needs(&needs, request, &answers).map_err(|breach| plugin.broken(breach))?;
        let replies = future::join_all(needs.iter().map(|need| answerer.answer(need))).await;
        let mut open = Vec::new();
        for (need, reply) in needs.into_iter().zip(replies) {
            match reply {
                Reply::Answered(outcome) => answers.push(Answer { need, outcome }),
                Reply::NotNow => open.push(need),
            }
        }
        if !open.is_empty() {
            return Ok(Progress::Suspended(Suspension {
                needs: open,
                answers,
            }));
        }
    }
    Err(plugin.broken(ContractBreach::TooManyRounds(plugin.max_rounds())))
}

/// What would spoil the check of the finished signature, found while nobody
/// has signed in vain.
async fn check_before_anybody_signs(plugin: &Plugin, document: Document) -> Result<(), CallError> {
    let evidence = plugin.verify(document).await?;
    evidence::refuse_ambiguous_ids(&evidence)
        .map_err(|error| plugin.broken(ContractBreach::Evidence(error)))
}

/// Nothing is asked twice, and exactly one signature is asked for, over the
/// digest that the device makes.
fn check_needs(
    needs: &[Need],
    request: &SignRequest,
    answers: &[Answer],
) -> Result<(), ContractBreach> {
    for (position, need) in needs.iter().enumerate() {
        if answers.iter().any(|answer| answer.need.id == need.id) {
            return Err(ContractBreach::AnsweredNeed(need.id.clone()));
        }
        if needs
            .iter()
            .take(position)
            .any(|earlier| earlier.id == need.id)
        {
            return Err(ContractBreach::DuplicateNeed(need.id.clone()));
        }
    }
    let asked = answers.iter().map(|answer| &answer.need).chain(needs);
    let mut signatures = asked.filter(|need| need.kind == NeedKind::Signature);
    if let Some(signature) = signatures.next()
        && signature.digest_algorithm != Some(request.signature_algorithm.digest())
    {
        return Err(ContractBreach::unknown(
            "digest algorithm of the request",
            signature
                .digest_algorithm
                .map_or("none", crate::DigestAlgorithm::name),
        ));
    }
    match signatures.next() {
        Some(second) => Err(ContractBreach::DuplicateNeed(second.id.clone())),
        None => Ok(()),
    }
}

async fn finish(
    plugin: &Plugin,
    document: Document,
    request: &SignRequest,
    answers: &[Answer],
    output: Document,
    outcome: Outcome,
) -> Result<SignedDocument, CallError> {
    let refused = |error: EvidenceError| plugin.broken(ContractBreach::Evidence(error));
    let signed = evidence::Signed::by(answers).map_err(refused)?;
    let before = verify(plugin, document).await?;
    let after = verify(plugin, output.clone()).await?;
    let (signature, earlier) =
        evidence::check(&before, after, &signed, request, &outcome).map_err(refused)?;
    Ok(SignedDocument {
        bytes: output.into_bytes(),
        outcome,
        signature,
        earlier,
    })
}

/// A plugin that signs a document cannot refuse it, nor what it made of it.
async fn verify(plugin: &Plugin, document: Document) -> Result<Vec<SignatureEvidence>, CallError> {
    match plugin.verify(document).await {
        Err(CallError::Refused(refusal)) => {
            Err(plugin.broken(ContractBreach::VerifyRefuses(refusal.code)))
        }
        verified => verified,
    }
}
