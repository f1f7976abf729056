//! Queries to registers for an order, and their log.

use jiff::Timestamp;
use parafa_api_diligence::Purpose;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::billing::{Amount, UsageItem};
use parafa_platform::register_calls::{CallOutcome, CallRow};
use parafa_register_data::data::CompanyProfile;
use parafa_register_data::{EntityCode, Query, Register, RegisterData, Role, RoleHolder};
use parafa_registers::{RegisterAnswer, SourceError, Unavailable};
use uuid::Uuid;

use crate::Identifications;
use crate::error::IdentificationError;
use crate::form::OrderForm;
use crate::records::OrderRow;

/// The registers' data on an entity and on the holders of a role in it.
pub(crate) struct RegisterFacts {
    pub(crate) profile: Box<CompanyProfile>,
    pub(crate) holders: Vec<RoleHolder>,
    pub(crate) answers: Vec<RegisterAnswer>,
}

/// Context of queries: the workspace, the subject and the purpose.
pub(crate) struct Asked<'a> {
    tenant: Uuid,
    key: Uuid,
    mode: KeyMode,
    entity: &'a EntityCode,
    role: Role,
    purpose: Purpose,
    order: Uuid,
    /// The creating request, as long as there is no order.
    request_id: Option<&'a str>,
}

impl<'a> Asked<'a> {
    pub(crate) fn by(
        caller: &Caller,
        form: &'a OrderForm,
        order: Uuid,
        request_id: &'a str,
    ) -> Self {
        Self {
            tenant: caller.tenant,
            key: caller.key,
            mode: caller.mode,
            entity: &form.entity,
            role: form.role,
            purpose: form.purpose,
            order,
            request_id: Some(request_id),
        }
    }

    pub(crate) fn again(row: &'a OrderRow) -> Self {
        Self {
            tenant: row.tenant,
            key: row.ordered_with,
            mode: row.mode,
            entity: &row.entity,
            role: row.role,
            purpose: row.purpose,
            order: row.id,
            request_id: None,
        }
    }

    /// Returns the caller's reference in the log.
    fn reference(&self, outcome: CallOutcome) -> String {
        match self.request_id {
            Some(request_id) if outcome != CallOutcome::Answered => request_id.to_owned(),
            _ => self.order.to_string(),
        }
    }
}

impl Identifications {
    /// Queries the registers; returns `None` where they know no such entity, or
    /// no such role in it. The queries are logged, with the purpose, before the
    /// data are used.
    pub(crate) async fn facts(
        &self,
        asked: &Asked<'_>,
    ) -> Result<Option<RegisterFacts>, IdentificationError> {
        let (facts, raw_sha256) = self.ask(asked).await;
        let outcome = match &facts {
            Ok(Some(_)) => CallOutcome::Answered,
            Ok(None) => CallOutcome::NoData,
            Err(IdentificationError::NotOffered(_)) => CallOutcome::NotOffered,
            Err(_) => CallOutcome::UpstreamUnavailable,
        };
        let store = &self.records.store;
        let row = CallRow {
            tenant: asked.tenant,
            id: store.new_id().await?,
            at: store.now().await?,
            key: asked.key,
            mode: asked.mode,
            item: UsageItem::IdentificationPackage,
            subject: asked.entity.to_string(),
            purpose: Some(asked.purpose.as_str().to_owned()),
            outcome,
            raw_sha256,
            charged: Amount::default(),
            reference: Some(asked.reference(outcome)),
            form: None,
        };
        let row = &row;
        store
            .transact(|tx| Box::pin(async move { tx.insert(row).await }))
            .await?;
        facts
    }

    /// Queries the registers; returns the data, with the SHA-256 of every
    /// answer.
    async fn ask(
        &self,
        asked: &Asked<'_>,
    ) -> (
        Result<Option<RegisterFacts>, IdentificationError>,
        Vec<String>,
    ) {
        let holders = Query::RoleHolders {
            entity: asked.entity.clone(),
            role: asked.role,
        };
        let profile = Query::CompanyProfile(asked.entity.clone());
        let (held, known) = tokio::join!(
            self.registers.ask(asked.mode, &holders),
            self.registers.ask(asked.mode, &profile),
        );
        let came = [&held, &known].into_iter().flat_map(digests);
        let digests = came.map(hex::encode).collect();
        let facts = match (held, known) {
            (Ok(held), Ok(known)) => {
                let facts = RegisterFacts::of(held, known);
                facts
                    .map(Some)
                    .ok_or(IdentificationError::RegisterUnavailable(holders.register()))
            }
            (Err(SourceError::NotOffered { register, .. }), _)
            | (_, Err(SourceError::NotOffered { register, .. })) => {
                Err(IdentificationError::NotOffered(register))
            }
            (Err(SourceError::Unavailable(why)), _) => Err(unavailable(&holders, &why)),
            (_, Err(SourceError::Unavailable(why))) => Err(unavailable(&profile, &why)),
            (Err(SourceError::NoData(_)), _) | (_, Err(SourceError::NoData(_))) => Ok(None),
        };
        (facts, digests)
    }
}

/// Returns the SHA-256 of an answer as received, and of its parts, if there was
/// one.
fn digests(asked: &Result<RegisterAnswer, SourceError>) -> Vec<[u8; 32]> {
    match asked {
        Ok(answer) => answer.digests().collect(),
        Err(SourceError::NoData(absent)) => absent.digests().collect(),
        Err(SourceError::NotOffered { .. } | SourceError::Unavailable(_)) => Vec::new(),
    }
}

fn unavailable(query: &Query, why: &Unavailable) -> IdentificationError {
    match why {
        Unavailable::TooLong { .. } => IdentificationError::RegisterAnswerTooLong(query.register()),
        _ => IdentificationError::RegisterUnavailable(query.register()),
    }
}

impl RegisterFacts {
    /// Combines answers; `None` where one is of another kind than requested.
    fn of(held: RegisterAnswer, known: RegisterAnswer) -> Option<Self> {
        match (held.data.clone(), known.data.clone()) {
            (RegisterData::RoleHolders(held_by), RegisterData::CompanyProfile(profile)) => {
                Some(Self {
                    profile,
                    holders: held_by.holders,
                    answers: vec![held, known],
                })
            }
            _ => None,
        }
    }

    /// Returns the queried registers, with the time of each answer.
    pub(crate) fn sources(&self) -> Vec<(Register, Timestamp)> {
        let answers = self.answers.iter();
        answers
            .map(|answer| (answer.register, answer.retrieved_at))
            .collect()
    }
}
