//! Billing of answers, and the log of calls.

use parafa_api_diligence::SignatureTier;
use parafa_api_diligence::requests::{AnswerOptions, Form, Question};
use parafa_api_http::KeptAnswer;
use parafa_organisation_signature::{PluginDigest, SignatureUnavailable};
use parafa_platform::PlatformError;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::agreement::{NotBillable, check_billable};
use parafa_platform::billing::{self, Amount, Used};
use parafa_platform::detached::Awaited;
use parafa_platform::plugins::is_disabled;
use parafa_platform::register_calls::{CallForm, CallOutcome, CallRow, Tier};
use parafa_store::{StoreError, Transaction};

use crate::answer::{Answered, subject};
use crate::error::DiligenceError;
use crate::{Diligence, prices};

/// A call to be logged, with any outcome.
pub(crate) struct LoggedCall<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) question: &'a Question,
    pub(crate) options: AnswerOptions,
    /// The caller's reference.
    pub(crate) reference: &'a str,
    pub(crate) raw_sha256: Vec<String>,
}

impl Diligence {
    /// Charges for an answer and logs its call, with the stored answer for
    /// repetitions, in one commit. Returns the reason if that cannot be done now:
    /// the funds may be used up meanwhile, the signing plugin disabled, or the
    /// caller gone.
    pub(crate) async fn account(
        &self,
        call: &LoggedCall<'_>,
        answered: &Answered,
        awaited: &Awaited,
    ) -> Result<(), DiligenceError> {
        let caller = call.caller;
        let row = &self.row(call, CallOutcome::Answered).await?;
        let kept = || Ok(KeptAnswer::of_representation(&answered.clone().into()));
        let accounted = self
            .idempotency
            .commit(caller.claim, &[], kept, |tx| {
                Box::pin(async move {
                    enter(tx, caller, row, answered.signed_by).await?;
                    match awaited.is_abandoned() {
                        true => Err(DiligenceError::Abandoned),
                        false => Ok(()),
                    }
                })
            })
            .await;
        accounted.map_err(|error| match error {
            DiligenceError::Platform(error)
                if caller.mode == KeyMode::Live && !error.proves_nothing_stored() =>
            {
                DiligenceError::Unaccounted(error)
            }
            // A caller that is gone releases its claim.
            DiligenceError::Platform(PlatformError::ClaimLost) if awaited.is_abandoned() => {
                DiligenceError::Abandoned
            }
            error => error,
        })
    }

    /// Logs a call that was not answered.
    pub(crate) async fn log_unanswered(&self, call: &LoggedCall<'_>, error: &DiligenceError) {
        let logged = async {
            let row = &self.row(call, error.outcome()).await?;
            let store = &self.records.store;
            store
                .transact(|tx| Box::pin(async move { tx.insert(row).await }))
                .await
        };
        if let Err(fault) = logged.await {
            // The log of calls lacks it, so this is its only record.
            let fault: &dyn std::error::Error = &fault;
            tracing::error!(
                error = fault,
                reference = call.reference,
                question = ?call.question,
                "a call that failed could not be logged"
            );
        }
    }

    async fn row(
        &self,
        call: &LoggedCall<'_>,
        outcome: CallOutcome,
    ) -> Result<CallRow, StoreError> {
        let LoggedCall {
            caller,
            question,
            options,
            reference,
            ref raw_sha256,
        } = *call;
        let (item, price) = prices::price(question, options);
        Ok(CallRow {
            tenant: caller.tenant,
            id: self.records.store.new_id().await?,
            at: self.records.store.now().await?,
            key: caller.key,
            mode: caller.mode,
            item,
            subject: subject(question).to_owned(),
            purpose: options.purpose.map(|purpose| purpose.as_str().to_owned()),
            outcome,
            raw_sha256: raw_sha256.clone(),
            charged: match (caller.mode, outcome) {
                (KeyMode::Live, CallOutcome::Answered) => price,
                _ => Amount::default(),
            },
            reference: Some(reference.to_owned()),
            form: Some(call_form(options)),
        })
    }
}

/// Checks that a caller can be billed this price now; returns the causes in the
/// order of the specification, the lasting ones first. Test keys are never billed.
///
/// # Errors
/// When the store fails.
pub(crate) async fn check(
    tx: &mut Transaction<'_>,
    caller: &Caller,
    price: Amount,
) -> Result<Result<(), NotBillable>, StoreError> {
    if caller.mode == KeyMode::Test {
        return Ok(Ok(()));
    }
    check_billable(tx, caller.tenant, price).await
}

/// Logs an answered call, and charges for it.
async fn enter(
    tx: &mut Transaction<'_>,
    caller: &Caller,
    row: &CallRow,
    signed_by: Option<PluginDigest>,
) -> Result<(), DiligenceError> {
    if let Some(plugin) = signed_by
        && is_disabled(tx, &plugin.to_string()).await?
    {
        return Err(SignatureUnavailable::Withdrawn(plugin).into());
    }
    if row.charged == Amount::default() {
        return Ok(tx.insert(row).await?);
    }
    let checked = check(tx, caller, row.charged).await?;
    checked.map_err(|cause| DiligenceError::PaymentRequired(Box::new(cause)))?;
    tx.insert(row).await?;
    let used = Used {
        item: row.item,
        reference: row.reference_or_id(),
        amount: row.charged,
        form: row.form,
    };
    Ok(billing::bill(tx, row.tenant, used).await?)
}

fn call_form(options: AnswerOptions) -> CallForm {
    CallForm {
        tier: match options.form {
            Form::Json => Tier::Json,
            Form::Signed(SignatureTier::JadesT) => Tier::JadesT,
            Form::Signed(SignatureTier::JadesLt) => Tier::JadesLt,
            Form::Container => Tier::Asice,
        },
        interpreted: options.interpret,
    }
}
