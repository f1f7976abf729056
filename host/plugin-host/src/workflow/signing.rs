use std::sync::Arc;

use bytes::Bytes;
use parafa_catalogue::{DigestAlgorithm, NeedKind, Operation};

use super::asking::{answer_needs, refuse_repetition};
use super::contents::Basis;
use super::evidence;
use crate::{
    Answer, Answerer, CallError, Capability, ContractBreach, Document, Evidence, EvidenceError,
    Need, Outcome, Plugin, Progress, SignRequest, SignStep, SignatureEvidence, Suspension,
};

/// A signed document, checked against its input, its request and the answers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignedDocument {
    /// Its bytes.
    pub bytes: Bytes,
    /// The document, with the host's knowledge of it, for further calls.
    pub document: Document,
    /// The plugin's description of the output.
    pub outcome: Outcome,
    /// Evidence about the new signature.
    pub signature: SignatureEvidence,
    /// Evidence about the earlier signatures, in the document's order.
    pub earlier: Vec<SignatureEvidence>,
}

impl Plugin {
    /// Makes one step of signing, with the answers so far. An output is checked to preserve its
    /// input as declared; [`Plugin::drive_sign`] checks the rest.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document or request, or its fault.
    pub async fn sign(
        &self,
        document: impl Into<Document>,
        request: &SignRequest,
        answers: &[Answer],
    ) -> Result<SignStep, CallError> {
        let document = document.into();
        let basis = Basis::of(self, Capability::Sign, document.clone()).await?;
        self.sign_on(&basis, document, request, answers).await
    }

    /// Like `sign`, with a `Basis` already computed.
    async fn sign_on(
        &self,
        basis: &Basis,
        document: Document,
        request: &SignRequest,
        answers: &[Answer],
    ) -> Result<SignStep, CallError> {
        self.guest()
            .sign(document, request, &basis.covers(), answers, basis.kept)
            .await
    }

    /// Signs as far as the answers go: passes the plugin's needs to `answerer` until the document
    /// is signed or no more can be answered now. To resume, call it again with the same document
    /// and request and the answers of the [`crate::Suspension`], with new ones added.
    ///
    /// A document is returned only if all of these hold:
    ///
    /// - It has exactly one new signature, over the requested bytes, with the answered value, under
    ///   the request's certificate.
    /// - The new signature covers the whole content of the document.
    /// - Every earlier signature and member is unchanged.
    ///
    /// A caller that knows the document's media type checks that it is the same
    /// ([`Plugin::check_same_media_type`]), as for all other operations.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document or request, or its fault, including any condition above
    /// that fails.
    pub async fn drive_sign(
        &self,
        document: impl Into<Document>,
        request: &SignRequest,
        answers: Vec<Answer>,
        answerer: &dyn Answerer,
    ) -> Result<Progress, CallError> {
        drive(self, document.into(), request, answers, answerer).await
    }

    /// Like [`Plugin::drive_sign`], for a document that the caller made and that is therefore
    /// unsigned. The plugin is not asked for its signatures, and its preservation is the
    /// description's.
    ///
    /// A document is returned only if it has one signature in all.
    ///
    /// # Errors
    ///
    /// As of [`Plugin::drive_sign`].
    pub async fn drive_first_sign(
        &self,
        document: impl Into<Document>,
        request: &SignRequest,
        answerer: &dyn Answerer,
    ) -> Result<Progress, CallError> {
        drive_first(self, document.into(), request, answerer).await
    }
}

async fn drive(
    plugin: &Plugin,
    document: Document,
    request: &SignRequest,
    answers: Vec<Answer>,
    answerer: &dyn Answerer,
) -> Result<Progress, CallError> {
    // The evidence about the document is computed once: it does not change during signing.
    let before = match answers.is_empty() {
        true => Some(check_before_anybody_signs(plugin, document.clone()).await?),
        false => None,
    };
    let basis = Basis::of(plugin, Capability::Sign, document.clone()).await?;
    drive_on(plugin, &basis, before, document, request, answers, answerer).await
}

/// Drives the first signature of an unsigned document from its beginning.
async fn drive_first(
    plugin: &Plugin,
    document: Document,
    request: &SignRequest,
    answerer: &dyn Answerer,
) -> Result<Progress, CallError> {
    let basis = Basis::of_unsigned(plugin, Capability::Sign, document.clone()).await?;
    let (before, answers) = (Some(Evidence::default()), Vec::new());
    drive_on(plugin, &basis, before, document, request, answers, answerer).await
}

async fn drive_on(
    plugin: &Plugin,
    basis: &Basis,
    mut before: Option<Evidence>,
    document: Document,
    request: &SignRequest,
    mut answers: Vec<Answer>,
    answerer: &dyn Answerer,
) -> Result<Progress, CallError> {
    for _ in 0..plugin.max_rounds() {
        let step = plugin.sign_on(basis, document.clone(), request, &answers);
        let needs = match step.await? {
            SignStep::Needs(needs) => needs,
            SignStep::Done {
                document: output,
                outcome,
            } => {
                let is_unsigned = || document.answers().by(plugin.digest()).is_unsigned;
                let before = match before.take() {
                    Some(before) => before,
                    None if is_unsigned() => Evidence::default(),
                    None => plugin.evidence(Capability::Sign, document).await?,
                };
                return finish(plugin, basis, &before, request, &answers, output, outcome)
                    .await
                    .map(|signed| Progress::Done(Box::new(signed)));
            }
        };
        check_needs(&needs, request, &answers)
            .map_err(|breach| plugin.broken(Capability::Sign, breach))?;
        let open = answer_needs(needs, &mut answers, answerer).await;
        if !open.is_empty() {
            return Ok(Progress::Suspended(Suspension {
                needs: open,
                answers,
            }));
        }
    }
    Err(plugin.broken(
        Capability::Sign,
        ContractBreach::TooManyRounds(plugin.max_rounds()),
    ))
}

/// Checks, before a person signs in vain, for causes that would fail the check of the finished
/// signature.
async fn check_before_anybody_signs(
    plugin: &Plugin,
    document: Document,
) -> Result<Evidence, CallError> {
    let answers = document.answers();
    if answers.by(plugin.digest()).is_unsigned {
        return Ok(Evidence::default());
    }
    let evidence = plugin.verify(document).await?;
    if evidence == Evidence::default() {
        answers.note(plugin.digest(), |known| known.is_unsigned = true);
    }
    evidence::refuse_ambiguous_ids(&evidence.signatures)
        .map_err(|error| plugin.broken(Capability::Sign, ContractBreach::Evidence(error)))?;
    Ok(evidence)
}

/// Checks that no need is repeated, and that exactly one signature is requested, over the device's
/// digest.
fn check_needs(
    needs: &[Need],
    request: &SignRequest,
    answers: &[Answer],
) -> Result<(), ContractBreach> {
    refuse_repetition(needs, answers)?;
    let asked = answers.iter().map(|answer| &answer.need).chain(needs);
    let mut signatures = asked.filter(|need| need.kind == NeedKind::Signature);
    if let Some(signature) = signatures.next()
        && signature.digest_algorithm != Some(request.signature_algorithm.digest())
    {
        return Err(ContractBreach::unknown(
            "digest algorithm of the request",
            signature
                .digest_algorithm
                .map_or("none", DigestAlgorithm::name),
        ));
    }
    match signatures.next() {
        Some(second) => Err(ContractBreach::DuplicateNeed(second.id.clone())),
        None => Ok(()),
    }
}

async fn finish(
    plugin: &Plugin,
    basis: &Basis,
    before: &Evidence,
    request: &SignRequest,
    answers: &[Answer],
    output: Document,
    outcome: Outcome,
) -> Result<SignedDocument, CallError> {
    let refused =
        |error: EvidenceError| plugin.broken(Capability::Sign, ContractBreach::Evidence(error));
    let signed = evidence::Signed::by(answers).map_err(refused)?;
    plugin.check_media_type(Capability::Sign, &outcome.media_type)?;
    if !plugin.levels(Operation::Sign).contains(&outcome.level) {
        let breach = ContractBreach::unknown("level of the plugin", &outcome.level);
        return Err(plugin.broken(Capability::Sign, breach));
    }
    let output_of = basis.check_output(plugin, Capability::Sign, output.clone());
    let covers = output_of.await?;
    let after = plugin.evidence(Capability::Sign, output.clone()).await?;
    let verified = Arc::new(after.clone());
    let signing = evidence::Signing {
        request,
        outcome: &outcome,
        covers: covers.as_ref(),
    };
    let checked = evidence::check(before, after, signed, &signing);
    let (signature, earlier) = checked.map_err(refused)?;
    output
        .answers()
        .note(plugin.digest(), |said| said.evidence = Some(verified));
    Ok(SignedDocument {
        bytes: output.bytes().clone(),
        document: output,
        outcome,
        signature,
        earlier,
    })
}
