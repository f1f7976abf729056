//! Reports: the data of all registers on one entity.

use jiff::Timestamp;
use parafa_api_diligence::requests::Question;
use parafa_api_diligence::views::{Report, ReportAnswer, Section, Sections};
use parafa_api_diligence::{AnswerKind, schema_address};
use parafa_interpretation::Endpoint;
use parafa_platform::PlatformError;
use parafa_platform::accounts::Caller;
use parafa_register_data::{EntityCode, Query, RegisterData};
use parafa_registers::{Absence, RegisterAnswer};

use crate::Diligence;
use crate::answer::{Asked, Composed, Heard, json, sandbox, shown_purpose};
use crate::error::DiligenceError;

/// A register's answer, or its answer that there is no data.
type Reply = Result<RegisterAnswer, Box<RegisterAnswer<Absence>>>;

/// Converts a register's answer to a section, and keeps its raw form.
macro_rules! section {
    ($answer:expr, $variant:ident, $raw:ident) => {
        match $answer {
            Err(absent) => {
                let (retrieved_at, source) = (absent.retrieved_at, absent.source());
                $raw.extend(absent.into_raw().1);
                Section::NoData {
                    retrieved_at,
                    source,
                }
            }
            Ok(answer) => {
                let (retrieved_at, source) = (answer.retrieved_at, answer.source());
                let (data, raw) = answer.into_raw();
                let RegisterData::$variant(data) = data else {
                    return Err(PlatformError::Inconsistent(
                        "a register answered something else than it was asked",
                    )
                    .into());
                };
                $raw.extend(raw);
                Section::Ok {
                    retrieved_at,
                    source,
                    data: *data,
                }
            }
        }
    };
}

impl Diligence {
    /// Queries every register at once. If one does not answer, the whole report fails.
    pub(crate) async fn report(
        &self,
        asked: &Asked<'_>,
        entity: &EntityCode,
    ) -> Result<Composed, DiligenceError> {
        let Asked {
            caller,
            options,
            heard,
            ..
        } = *asked;
        let ask = |query: fn(EntityCode) -> Query| {
            let query = query(entity.clone());
            async move { self.ask_if_any(caller, &query, heard).await }
        };
        // Open data have profiles only. Sources that are not offered are reported before a
        // temporary failure of the profile, for which a retry would help.
        let (participants, owners, real_estate, seizures, cases, profile) = futures::try_join!(
            ask(Query::Participants),
            ask(Query::BeneficialOwners),
            ask(Query::RealEstate),
            ask(Query::Seizures),
            ask(Query::Cases),
            ask(Query::CompanyProfile),
        )?;
        let profile = profile.map_err(DiligenceError::NoData)?;
        let others = [&participants, &owners, &real_estate, &seizures, &cases];
        let asked_at = others.into_iter().map(|answered| match answered {
            Ok(answer) => answer.retrieved_at,
            Err(absent) => absent.retrieved_at,
        });
        let retrieved_at = asked_at.fold(profile.retrieved_at, Timestamp::max);
        let mut raw = Vec::with_capacity(6);
        let report = Report {
            sections: Sections {
                profile: section!(Reply::Ok(profile), CompanyProfile, raw),
                participants: section!(participants, Participants, raw),
                beneficial_owners: section!(owners, BeneficialOwners, raw),
                real_estate: section!(real_estate, RealEstate, raw),
                seizures: section!(seizures, Seizures, raw),
                cases: section!(cases, Cases, raw),
            },
        };
        let interpretation = self.interpretation(options, Some(Endpoint::Report), &report)?;
        let json = json(&ReportAnswer {
            schema: schema_address(&self.base_url, AnswerKind::Report),
            entity_code: entity.to_string(),
            retrieved_at,
            purpose: shown_purpose(&Question::Report(entity.clone()), options),
            sandbox: sandbox(caller),
            data: report,
            interpretation,
            attestation: asked.attestation(&raw),
        })?;
        Ok(Composed { json, raw })
    }

    /// Like [`Diligence::ask`], where "no data" is an answer too.
    async fn ask_if_any(
        &self,
        caller: &Caller,
        query: &Query,
        heard: &Heard,
    ) -> Result<Reply, DiligenceError> {
        match self.ask(caller.mode, query, heard).await {
            Ok(answer) => Ok(Ok(answer)),
            Err(DiligenceError::NoData(absent)) => Ok(Err(absent)),
            Err(error) => Err(error),
        }
    }
}
