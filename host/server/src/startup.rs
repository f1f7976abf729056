//! Opens the doors and checks them before anybody is let in.

mod faults;
mod folder;
mod services;

use std::num::NonZeroUsize;
use std::sync::Arc;

use anyhow::Context;
use jiff::SignedDuration;
use parafa_api_http::BaseUrl;
use parafa_auth::providers::Providers as AuthProviders;
use parafa_auth::{Authentications, EidProviders};
use parafa_diligence::Diligence;
use parafa_diligence::call_log::CallLog;
use parafa_domain::{AuthenticationMethod, SigningMethod};
use parafa_identification::{
    AttorneySigners, Identifications, OrderNotices, OrderOwner, RegisterSources,
};
use parafa_organisation_signature::{AnswerSigner, AnswerSignerParts};
use parafa_plugin_host::{KnownDocuments, Registry};
use parafa_registers::{Clock as RegisterClock, Synthetic};
use parafa_store::{AcceptedLoss, Clock, Store, StoreMode};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use url::Url;

pub(crate) use self::faults::{ConfigFaults, check};
#[cfg(test)]
pub(crate) use self::folder::bring_back;
use self::folder::open_folder_with;
pub(crate) use self::folder::{NoMasterKeyFile, master_key_file, open_folder};
pub(crate) use self::services::ExternalServices;
use crate::app::App;
use crate::config::{Config, Engine};
use crate::jobs;
use parafa_ceremony::attempt::{Attempts, DocumentTurns, Providers};
use parafa_ceremony::ceremonies::{Ceremonies, EarlierSignaturesCache};
use parafa_ceremony::changes::{Changes, LastStates};
use parafa_ceremony::downloads::{DownloadSlots, Downloads};
use parafa_ceremony::links::Links;
use parafa_ceremony::prompts::PromptLimits;
use parafa_ceremony::quota::Uploads;
use parafa_ceremony::reader::SigningReader;
use parafa_ceremony::waiting::Waiting;
use parafa_ceremony::{CeremonyLetters, Lifecycle, Owners};
use parafa_delivery::{MailSender, NoticeSources, WebhookSender};
use parafa_listener::TrustedProxies;
use parafa_platform::Records;
use parafa_platform::accounts::{KeyMode, Product};
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_store::metrics::Counted;
use parafa_plugin_store::{NoPlugins, PluginStore};
use parafa_signing::SigningOwner;
use parafa_signing::api::SigningNotices;
use parafa_signing::archive::{ArchiveTurns, Archives};
use parafa_signing::comments::Comments;
use parafa_signing::intake::Intake;
use parafa_signing::quota::add_up;
use parafa_signing::signings::Signings;

/// Documents whose digests are remembered from one step of a signature to the
/// next: more than are being signed at one time.
const KNOWN_DOCUMENTS: NonZeroUsize = NonZeroUsize::new(1024).expect("it is not zero");

/// Opens everything that the configuration names.
pub(crate) async fn open(
    config: &Config,
    base_url: Url,
    mode: StoreMode,
    clock: Arc<dyn Clock>,
    accepted_loss: AcceptedLoss,
) -> anyhow::Result<App> {
    let folder = open_folder_with(config, mode, clock.clone(), accepted_loss).await?;
    if let Err(error) = folder.keys.check().await {
        // They may be mounted later. Until then readiness says so too.
        let error: &dyn std::error::Error = &error;
        tracing::error!(error, "what is sealed cannot be read");
    }
    match config.store.engine {
        // One process has it at a time: who had claimed a job is dead.
        Engine::Sled => release_jobs(&folder.store).await?,
    }
    let counted = add_up(&folder.store).await;
    counted.context("what is stored cannot be added up")?;
    let plugin_store = PluginStore::new(&config.plugin_store(), mode, Arc::new(Counted));
    let started = plugin_store.start().await;
    let plugins = started.map_err(|error| match error.downcast::<NoPlugins>() {
        Ok(none) => ConfigFaults::one(none).into(),
        Err(fault) => fault,
    })?;
    let plugins = plugins.clone();
    let own = HostParts {
        records: Records::from(folder),
        plugins,
        plugin_store,
        clock,
        base_url,
    };
    assemble(config, mode, own, ExternalServices::open(config)?)
}

/// Lets jobs that a crash cut short be done now, not when their lease ends:
/// somebody may have the phone in hand.
pub(crate) async fn release_jobs(store: &Store) -> anyhow::Result<()> {
    for budget in jobs::LANES {
        let released = store
            .release_claims(budget.lane, budget.longest_lease())
            .await
            .context("the jobs that a crash cut short cannot be read")?;
        if released > 0 {
            tracing::info!(released, "jobs that a crash cut short are taken up");
        }
    }
    Ok(())
}

/// What a host works on, whichever engine keeps the records and whoever shares
/// them.
pub(crate) struct HostParts {
    pub(crate) records: Records,
    pub(crate) plugins: Arc<Registry>,
    pub(crate) plugin_store: PluginStore,
    pub(crate) clock: Arc<dyn Clock>,
    /// Public base URL.
    pub(crate) base_url: Url,
}

/// Where subjects of orders reach whoever answers for their data.
fn privacy_contact(config: &Config, links: &Links) -> String {
    let named = config.diligence.privacy_contact.clone();
    let mailed = || config.mail.as_ref().map(|mail| mail.from.clone());
    named
        .or_else(mailed)
        .unwrap_or_else(|| links.base_url().to_string())
}

/// The services of a host.
pub(crate) fn assemble(
    config: &Config,
    mode: StoreMode,
    own: HostParts,
    doors: ExternalServices,
) -> anyhow::Result<App> {
    let HostParts {
        records,
        plugins,
        plugin_store,
        clock,
        base_url,
    } = own;
    let answer_signer = doors.attorney.clone().map(|key| {
        AnswerSigner::new(AnswerSignerParts {
            key,
            plugins: plugins.clone(),
            timestamps: doors.timestamps.clone(),
            validation_data: doors.validation_data.clone(),
            signer_check: doors.signer_check.clone(),
            clock: clock.clone(),
        })
    });
    let answer_signer = answer_signer.transpose().context("attorney.certificates")?;
    let answer_signer = answer_signer.map(Arc::new);
    let signers = answer_signer.clone();
    let signers = signers.map_or_else(AttorneySigners::default, |signer| {
        AttorneySigners::new(signer, mode)
    });
    for keys in [KeyMode::Live, KeyMode::Test] {
        if answer_signer.is_some() && signers.of(keys).is_none() {
            tracing::warn!(
                ?keys,
                "the attorney's key signs nothing for API keys of this mode"
            );
        }
    }
    let uploads = Arc::new(Uploads::new(config.limits.quotas(mode), &records));
    let (work, stop) = (Arc::new(Notify::new()), CancellationToken::new());
    let changes = Changes::default();
    let settings = config.auth.settings(&base_url);
    let links = Links::new(base_url, records.master.clone());
    let kept = SignedDuration::from_hours(parafa_api_signing::IDEMPOTENCY_HOURS);
    let idempotency = Idempotency::new(records.clone(), kept);
    let told = clock.clone();
    let register_clock: RegisterClock = Arc::new(move || told.now());
    let register_sources = RegisterSources {
        sandbox: Arc::new(Synthetic::new(register_clock.clone())),
        live: config
            .diligence
            .sources(&doors.register_port, &register_clock)?,
    };
    let diligence = Arc::new(Diligence {
        records: records.clone(),
        idempotency: idempotency.clone(),
        registers: register_sources.clone(),
        signers: signers.clone(),
        base_url: BaseUrl::new(links.base_url()),
        interpretation_reviewed_by: config.diligence.interpretation_reviewed_by.clone(),
        recovery_url: config.billing.recovery_url.clone(),
    });
    let authentications = Arc::new(Authentications {
        records: records.clone(),
        providers: AuthProviders::new(records.clone()),
        keys: config.auth.keys(records.clone()),
        eid: authenticating(&doors.providers),
        check: doors.authentication_check,
        clock: clock.clone(),
        idempotency: idempotency.clone(),
        settings,
        changes: Changes::default(),
        waiting: Waiting::default(),
        work: work.clone(),
        stop: stop.clone(),
    });
    let reader = SigningReader::new(records.clone());
    let prompts = PromptLimits::new(records.clone());
    let known_documents = Arc::new(KnownDocuments::new(KNOWN_DOCUMENTS));
    let earlier_signatures_cache = Arc::new(EarlierSignaturesCache::default());
    let intake = Arc::new(Intake::new(
        records.clone(),
        plugins.clone(),
        idempotency.clone(),
        uploads.clone(),
        SignedDuration::from_hours(24 * i64::from(config.limits.file_days.get())),
        config.billing.recovery_url.clone(),
    ));
    let owner = Arc::new(SigningOwner {
        records: records.clone(),
    });
    let order_owner = Arc::new(OrderOwner {
        records: records.clone(),
    });
    let owners = Owners::new(vec![
        (Product::Signing, owner as _),
        (Product::Diligence, order_owner as _),
    ]);
    let attempts = Arc::new(Attempts {
        records: records.clone(),
        owners: owners.clone(),
        links: links.clone(),
        prompts: prompts.clone(),
        plugins: plugins.clone(),
        known_documents: known_documents.clone(),
        document_turns: DocumentTurns::default(),
        signer_check: doors.signer_check,
        timestamps: doors.timestamps.clone(),
        providers: doors.providers,
        cards: doors.cards,
        clock: clock.clone(),
        finish_within: SignedDuration::from_hours(config.limits.finish_hours.get().into()),
        changes: changes.clone(),
    });
    let downloads = Arc::new(Downloads::new(
        reader.clone(),
        records.clone(),
        DownloadSlots::new(config.limits.downloads),
    ));
    let archives = Arc::new(Archives {
        records: records.clone(),
        reader: reader.clone(),
        intake: intake.clone(),
        plugins: plugins.clone(),
        validation_data: doors.validation_data,
        timestamps: doors.timestamps,
        archive_turns: ArchiveTurns::default(),
        changes: changes.clone(),
        clock,
    });
    let lifecycle = Arc::new(Lifecycle {
        records: records.clone(),
        reader: reader.clone(),
        owners,
        idempotency: idempotency.clone(),
        links: links.clone(),
        known_documents: known_documents.clone(),
        earlier_signatures_cache: earlier_signatures_cache.clone(),
        changes: changes.clone(),
        work: work.clone(),
    });
    let signings = Arc::new(Signings {
        records: records.clone(),
        reader: reader.clone(),
        ceremonies: lifecycle.clone(),
        intake: intake.clone(),
        idempotency: idempotency.clone(),
        plugins: plugins.clone(),
        recovery_url: config.billing.recovery_url.clone(),
        sends_mail: doors.mailer.is_some(),
    });
    let identifications = Arc::new(Identifications {
        records: records.clone(),
        reader: reader.clone(),
        ceremonies: lifecycle.clone(),
        uploads,
        plugins: plugins.clone(),
        idempotency: idempotency.clone(),
        registers: doors
            .registers
            .unwrap_or_else(|| Arc::new(register_sources)),
        signers,
        privacy_contact: privacy_contact(config, &links),
        recovery_url: config.billing.recovery_url.clone(),
        sends_mail: doors.mailer.is_some(),
        changes: Changes::default(),
    });
    let ceremonies = Arc::new(Ceremonies {
        records: records.clone(),
        reader: reader.clone(),
        downloads: downloads.clone(),
        attempts: attempts.clone(),
        prompts: prompts.clone(),
        plugins: plugins.clone(),
        known_documents: known_documents.clone(),
        earlier_signatures_cache,
        changes,
        waiting: Waiting::default(),
        last_states: LastStates::default(),
        work: work.clone(),
        stop: stop.clone(),
    });
    let notices = SigningNotices {
        letters: CeremonyLetters::new(records.clone(), links.clone()),
    };
    let order_notices = OrderNotices {
        letters: CeremonyLetters::new(records.clone(), links.clone()),
    };
    let sources = NoticeSources::new(vec![
        (Product::Signing, Arc::new(notices) as _),
        (Product::Diligence, Arc::new(order_notices) as _),
    ]);
    let webhooks = WebhookSender::new(
        records.clone(),
        sources.clone(),
        doors.webhooks,
        work.clone(),
    );
    Ok(App {
        answer_signer,
        call_log: CallLog {
            store: records.store.clone(),
            kept: SignedDuration::from_hours(24 * i64::from(config.diligence.log_days.get())),
        },
        diligence,
        mail: MailSender::new(records.clone(), sources, doors.mailer),
        comments: Arc::new(Comments::new(
            records.clone(),
            reader.clone(),
            idempotency.clone(),
        )),
        data: config.store.data.clone(),
        prices: config.billing.prices.clone(),
        records,
        plugins,
        plugin_store,
        webhook_policy: doors.webhook_policy,
        further_extensions: config.plugins.further_extensions(),
        links,
        idempotency,
        reader,
        intake,
        lifecycle,
        signings,
        attempts,
        archives,
        authentications,
        identifications,
        downloads,
        prompts,
        ceremonies,
        webhooks,
        work,
        stop,
    })
}

/// Which proxies are believed for whom a request is.
pub(crate) fn trusted_proxies(config: &Config) -> anyhow::Result<TrustedProxies> {
    Ok(TrustedProxies::parse(&config.server.trusted_proxies)?)
}

/// Those of the providers whose devices authenticate their holders too.
fn authenticating(providers: &Providers) -> EidProviders {
    let method = |method| match method {
        SigningMethod::SmartId => Some(AuthenticationMethod::SmartId),
        SigningMethod::MobileId => Some(AuthenticationMethod::MobileId),
        // Cards are the clients' own.
        SigningMethod::Nfc => None,
    };
    let providers = providers.iter();
    providers
        .filter_map(|(signs, provider)| Some((method(*signs)?, provider.clone())))
        .collect()
}
