//! Answers to questions for data.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use parafa_api_diligence::requests::{AnswerOptions, Form, Question};
use parafa_api_diligence::views::{Answer, Subject};
use parafa_api_diligence::{ASICE, AnswerKind, JADES, Purpose, SignatureTier, schema_address};
use parafa_interpretation::{Bilingual, Endpoint, Interpretation, Library};
use parafa_organisation_signature::{AnswerSigner, ContainerFile, PluginDigest, SignatureLevel};
use parafa_platform::PlatformError;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::detached::Awaited;
use parafa_register_data::Query;
use parafa_registers::{RawAnswer, RegisterAnswer, SourceError};
use serde::Serialize;

use crate::accounts::LoggedCall;
use crate::attestation::attestation;
use crate::error::DiligenceError;
use crate::{Diligence, accounts, prices};

/// Media type of plain answers.
const JSON: &str = "application/json";
/// Name of the answer in a container.
const ANSWER_FILE: &str = "answer.json";

/// An answer in the requested form.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The media type.
    pub media_type: &'static str,
    /// The bytes.
    pub content: Bytes,
    /// File name of a container.
    pub file_name: Option<String>,
    /// The plugin that signed it.
    pub signed_by: Option<PluginDigest>,
}

/// An answer before it is signed or packed.
pub(crate) struct Composed {
    pub(crate) json: Bytes,
    /// The registers' answers, in the order of the queries.
    pub(crate) raw: Vec<RawAnswer>,
}

/// A question's caller, with the form of the answer.
pub(crate) struct Asked<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) options: AnswerOptions,
    /// Name of the attorney who signs the answer, if it is signed.
    attorney: Option<&'a str>,
    pub(crate) heard: &'a Heard,
}

impl Asked<'_> {
    /// Returns the certified statement on an answer made of `answers`, if it is
    /// signed.
    pub(crate) fn attestation(&self, answers: &[RawAnswer]) -> Option<Bilingual> {
        self.attorney.map(|attorney| attestation(attorney, answers))
    }
}

/// Digests of the registers' answers to a call so far, in the order of arrival.
#[derive(Default)]
pub(crate) struct Heard(Mutex<Vec<[u8; 32]>>);

impl Heard {
    fn note(&self, digests: impl Iterator<Item = [u8; 32]>) {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        heard.extend(digests);
    }

    fn digests(self) -> Vec<String> {
        let heard = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        heard.iter().map(hex::encode).collect()
    }
}

impl Diligence {
    /// Answers a question. The call is logged, and an answer billed, before
    /// this returns, unless the caller is gone by then. `reference` is the
    /// caller's reference. A caller with a claim on the request gets the same
    /// answer again.
    ///
    /// # Errors
    /// [`DiligenceError`]; nothing was charged then, except perhaps with
    /// [`DiligenceError::Unaccounted`].
    pub async fn answer(
        &self,
        caller: &Caller,
        question: &Question,
        options: AnswerOptions,
        reference: &str,
        awaited: &Awaited,
    ) -> Result<Answered, DiligenceError> {
        let is_reviewed = self.interpretation_reviewed_by.is_some();
        if options.interpret && caller.mode == KeyMode::Live && !is_reviewed {
            return Err(DiligenceError::NotReviewed);
        }
        let heard = Heard::default();
        let made = self.made(caller, question, options, &heard, awaited).await;
        let call = LoggedCall {
            caller,
            question,
            options,
            reference,
            raw_sha256: heard.digests(),
        };
        let error = match made {
            Ok(answered) => match self.account(&call, &answered, awaited).await {
                Ok(()) => return Ok(answered),
                Err(error) => error,
            },
            Err(error) => error,
        };
        if error.proves_nothing_stored() {
            self.log_unanswered(&call, &error).await;
        }
        Err(error)
    }

    /// Returns the answer, if it can be billed.
    async fn made(
        &self,
        caller: &Caller,
        question: &Question,
        options: AnswerOptions,
        heard: &Heard,
        awaited: &Awaited,
    ) -> Result<Answered, DiligenceError> {
        let (_, price) = prices::price(question, options);
        let checked: Result<_, DiligenceError> = self
            .records
            .read(|tx| Box::pin(async move { Ok(accounts::check(tx, caller, price).await?) }))
            .await;
        checked?.map_err(|cause| DiligenceError::PaymentRequired(Box::new(cause)))?;
        let attorney = match options.form {
            Form::Json => None,
            Form::Signed(_) | Form::Container => Some(self.signer_of(caller)?.signatory()),
        };
        let asked = Asked {
            caller,
            options,
            attorney,
            heard,
        };
        let composed = match question {
            Question::Report(entity) => self.report(&asked, entity).await?,
            question => self.single(&asked, question).await?,
        };
        if awaited.is_abandoned() {
            return Err(DiligenceError::Abandoned);
        }
        self.in_form(caller, subject(question), composed, options.form)
            .await
    }

    /// Answers from one register.
    async fn single(
        &self,
        asked: &Asked<'_>,
        question: &Question,
    ) -> Result<Composed, DiligenceError> {
        let Asked {
            caller,
            options,
            heard,
            ..
        } = *asked;
        let (query, kind, endpoint) = query_of(question).ok_or(PlatformError::Inconsistent(
            "a report was taken for the answer of one register",
        ))?;
        let answer = self.ask(caller.mode, &query, heard).await?;
        let interpretation = self.interpretation(options, endpoint, &answer.data)?;
        let (retrieved_at, source) = (answer.retrieved_at, answer.source());
        let (data, raw) = answer.into_raw();
        let code = Some(subject(question).to_owned());
        let json = json(&Answer {
            schema: schema_address(&self.base_url, kind),
            subject: match question {
                Question::PropertyExtract(_) => Subject {
                    unique_number: code,
                    ..Subject::default()
                },
                _ => Subject {
                    entity_code: code,
                    ..Subject::default()
                },
            },
            retrieved_at,
            source,
            purpose: shown_purpose(question, options),
            sandbox: sandbox(caller),
            data: &data,
            interpretation,
            attestation: asked.attestation(&raw),
        })?;
        Ok(Composed { json, raw })
    }

    /// Queries a register.
    pub(crate) async fn ask(
        &self,
        mode: KeyMode,
        query: &Query,
        heard: &Heard,
    ) -> Result<RegisterAnswer, DiligenceError> {
        match self.registers.of(mode).answer(query).await {
            Ok(answer) => {
                heard.note(answer.digests());
                Ok(answer)
            }
            Err(SourceError::NoData(absent)) => {
                heard.note(absent.digests());
                Err(DiligenceError::NoData(absent))
            }
            Err(SourceError::NotOffered { register, .. }) => {
                Err(DiligenceError::NotOffered(register))
            }
            Err(SourceError::Unavailable(why)) => Err(DiligenceError::Register {
                register: query.register(),
                why,
            }),
        }
    }

    /// Returns the interpretation of the data, if requested.
    pub(crate) fn interpretation(
        &self,
        options: AnswerOptions,
        endpoint: Option<Endpoint>,
        data: &impl Serialize,
    ) -> Result<Option<Interpretation>, DiligenceError> {
        let Some(endpoint) = endpoint.filter(|_| options.interpret) else {
            return Ok(None);
        };
        let data = serde_json::to_value(data);
        let data = data.map_err(|_| PlatformError::Inconsistent("data are no JSON"))?;
        Ok(Some(Interpretation {
            reviewed_by: self.interpretation_reviewed_by.clone(),
            ..Library::current().interpret(endpoint, &data)
        }))
    }

    fn signer_of(&self, caller: &Caller) -> Result<&AnswerSigner, DiligenceError> {
        let signer = self.signers.of(caller.mode);
        signer.ok_or(DiligenceError::NoSigner)
    }

    async fn in_form(
        &self,
        caller: &Caller,
        subject: &str,
        composed: Composed,
        form: Form,
    ) -> Result<Answered, DiligenceError> {
        let Composed { json, raw } = composed;
        let signer = || self.signer_of(caller);
        Ok(match form {
            Form::Json => Answered {
                media_type: JSON,
                content: json,
                file_name: None,
                signed_by: None,
            },
            Form::Signed(tier) => {
                let signed = signer()?.jades(json, level(tier)).await?;
                Answered {
                    media_type: JADES,
                    content: signed.content,
                    file_name: None,
                    signed_by: Some(signed.plugin),
                }
            }
            Form::Container => {
                let signed = signer()?.asice(files(json, raw)).await?;
                Answered {
                    media_type: ASICE,
                    content: signed.content,
                    file_name: Some(format!("{}.asice", subject.replace(':', "-"))),
                    signed_by: Some(signed.plugin),
                }
            }
        })
    }
}

fn level(tier: SignatureTier) -> SignatureLevel {
    match tier {
        SignatureTier::JadesT => SignatureLevel::T,
        SignatureTier::JadesLt => SignatureLevel::Lt,
    }
}

/// Returns the answer, and the registers' answers beside it.
fn files(json: Bytes, raw: Vec<RawAnswer>) -> Vec<ContainerFile> {
    let answer = ContainerFile {
        name: ANSWER_FILE.to_owned(),
        media_type: JSON.to_owned(),
        content: json,
    };
    let raw = raw.into_iter().zip(1..).map(|(answer, number)| {
        let extension = match answer.media_type.ends_with("json") {
            true => "json",
            false => "bin",
        };
        ContainerFile {
            name: format!("raw/{number}-{}.{extension}", answer.register.slug()),
            media_type: answer.media_type.to_owned(),
            content: answer.raw,
        }
    });
    std::iter::once(answer).chain(raw).collect()
}

/// Returns the query of a question and the kind of its answer; `None` for a
/// report, which needs several queries.
fn query_of(question: &Question) -> Option<(Query, AnswerKind, Option<Endpoint>)> {
    let (query, endpoint) = match question.clone() {
        Question::Profile(entity) => (Query::CompanyProfile(entity), Some(Endpoint::Profile)),
        Question::Participants(entity) => (Query::Participants(entity), None),
        Question::BeneficialOwners(entity) => {
            let endpoint = Endpoint::BeneficialOwners;
            (Query::BeneficialOwners(entity), Some(endpoint))
        }
        Question::RealEstate(entity) => (Query::RealEstate(entity), None),
        Question::PropertyExtract(number) => (Query::PropertyExtract(number), None),
        Question::Seizures(entity) => (Query::Seizures(entity), Some(Endpoint::Seizures)),
        Question::Cases(entity) => (Query::Cases(entity), None),
        Question::Report(_) => return None,
    };
    let kind = AnswerKind::of(&query)?;
    Some((query, kind, endpoint))
}

pub(crate) fn subject(question: &Question) -> &str {
    match question {
        Question::Profile(entity)
        | Question::Participants(entity)
        | Question::BeneficialOwners(entity)
        | Question::RealEstate(entity)
        | Question::Seizures(entity)
        | Question::Cases(entity)
        | Question::Report(entity) => entity.as_str(),
        Question::PropertyExtract(number) => number.as_str(),
    }
}

/// Returns the purpose, where the answer repeats it.
pub(crate) fn shown_purpose(question: &Question, options: AnswerOptions) -> Option<Purpose> {
    let repeats = matches!(
        question,
        Question::BeneficialOwners(_) | Question::Report(_)
    );
    options.purpose.filter(|_| repeats)
}

pub(crate) fn sandbox(caller: &Caller) -> Option<bool> {
    (caller.mode == KeyMode::Test).then_some(true)
}

pub(crate) fn json(view: &impl Serialize) -> Result<Bytes, DiligenceError> {
    let json = serde_json::to_vec(view);
    let json = json.map_err(|_| PlatformError::Inconsistent("an answer is no JSON"))?;
    Ok(json.into())
}
