//! Kinds of jobs, and the services that handle them.

use std::sync::Arc;

use anyhow::Context;
use parafa_ceremony::{CeremonyError, attempt, deadline, erase, remind, retention};
use parafa_platform::jobs::{JobHandlers, JobKindError, JobRunner};
use parafa_platform::sweep::{self, Sweeper};
use parafa_platform::{PlatformError, idempotency, kept_answers, outbox, rates, rewrap, seals};
use parafa_signing::{batches, files};

use crate::app::App;
use crate::lanes::LANES;
use crate::shared;
use crate::tables::TABLES;

/// Kinds of all jobs that are enqueued.
pub(crate) const KINDS: [&[&str]; 6] = [
    parafa_platform::JOB_KINDS,
    parafa_delivery::JOB_KINDS,
    parafa_ceremony::JOB_KINDS,
    parafa_signing::JOB_KINDS,
    parafa_auth::JOB_KINDS,
    parafa_identification::JOB_KINDS,
];

/// Runs the jobs of a host.
///
/// # Errors
/// When a kind of job has no handler, or two.
pub(crate) fn runner(app: &Arc<App>) -> anyhow::Result<JobRunner> {
    let handlers = handlers(app).context("the jobs are not set up")?;
    handlers.check(&KINDS).context("the jobs are not set up")?;
    Ok(JobRunner::new(
        app.records.store.clone(),
        app.data.clone(),
        app.work.clone(),
        &LANES,
        vec![Arc::new(app.webhooks.clone())],
        handlers,
    ))
}

fn handlers(app: &Arc<App>) -> Result<JobHandlers, JobKindError> {
    let mut handlers = JobHandlers::default();
    /// Registers a method of a service, which takes the job.
    macro_rules! handler {
        ($kind:expr, $service:expr, $method:ident) => {{
            let service = $service.clone();
            handlers.register($kind, move |job| {
                let service = service.clone();
                Box::pin(async move { Ok(service.$method(job).await?) })
            })?;
        }};
    }
    handler!(attempt::DRIVE, app.ceremonies, drive_attempt);
    handler!(parafa_auth::drive::DRIVE, app.authentications, drive);
    handler!(parafa_auth::create::DROP, app.authentications, drop_request);
    handler!(
        parafa_identification::VERIFY,
        app.diligence.identifications,
        verify
    );
    handler!(
        parafa_identification::CLOSE,
        app.diligence.identifications,
        close
    );
    handler!(
        parafa_identification::ERASE,
        app.diligence.identifications,
        erase_due
    );
    handler!(deadline::EXPIRE, app.ceremonies, expire_due);
    handler!(remind::REMIND, app.ceremonies, remind_signers);
    handler!(erase::FINISH_ERASURE, app.ceremonies, finish_erasure);
    handler!(retention::ERASE_KEPT, app.ceremonies, erase_kept);
    handler!(batches::INVITE, app.signing.signings, invite_batch_signer);
    handler!(files::DROP_FILE, app.signing.intake, drop_file);
    handler!(idempotency::DROP_ANSWER, app.idempotency, drop_answer);
    handler!(outbox::DELIVER, app.webhooks, deliver);
    let kept_answers = shared::kept_answers(app.records.clone());
    handler!(kept_answers::DROP_KEPT_ANSWER, kept_answers, drop_answer);
    handler!(parafa_delivery::DROP_NOTICE, app.webhooks, drop_notice);
    handler!(outbox::MAIL, app.mail, send);
    let records = app.records.clone();
    handlers.register(rewrap::REWRAP, move |job| {
        let records = records.clone();
        Box::pin(async move { Ok(rewrap::run(&records, job).await?) })
    })?;
    let store = app.records.store.clone();
    handlers.register(seals::SEAL_AUDIT, move |job| {
        let store = store.clone();
        Box::pin(async move { Ok(seals::run(&store, job).await?) })
    })?;
    let (records, ceremonies) = (app.records.clone(), app.ceremonies.clone());
    let call_log = app.diligence.call_log.clone();
    handlers.register(sweep::SWEEP, move |job| {
        let (records, ceremonies) = (records.clone(), ceremonies.clone());
        let call_log = call_log.clone();
        Box::pin(async move {
            let sweeper = Sweeper {
                store: &records.store,
                files: &records.files,
                keys: &records.keys,
                tables: TABLES,
            };
            let forget = async {
                ceremonies.prompts().forget_prompts().await?;
                let forgotten = rates::forget(&records.store).await;
                forgotten.map_err(PlatformError::from)?;
                Ok::<_, CeremonyError>(call_log.forget().await?)
            };
            Ok(sweeper.run(job, forget).await?)
        })
    })?;
    Ok(handlers)
}
