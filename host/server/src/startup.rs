//! Opens the doors and checks them before anybody is let in.

mod faults;
mod folder;

use std::num::NonZeroUsize;
use std::sync::Arc;

use anyhow::{Context, bail};
use jiff::SignedDuration;
use parafa_api_http::BaseUrl;
use parafa_attorney::SigningKey;
use parafa_auth::providers::Providers as AuthProviders;
use parafa_auth::{Authentications, EidProviders};
use parafa_diligence::Diligence;
use parafa_domain::{AuthenticationMethod, SigningMethod};
use parafa_eid::mobile_id::{MobileIdClient, MobileIdConfig};
use parafa_eid::smart_id::{SmartIdClient, SmartIdConfig};
use parafa_http_port::HttpPort;
use parafa_identification::{
    AttorneySigners, Identifications, OrderNotices, OrderOwner, RegisterSources, Registers,
};
use parafa_organisation_signature::{AnswerSigner, AnswerSignerParts};
use parafa_outbound::{
    AddressPolicy, HostPort, MailProtection, MailServer, MailSetupError, Mailer, OutboundClient,
    Reach, ServerTrust,
};
use parafa_plugin_host::{KnownDocuments, Registry};
use parafa_registers::{Clock as RegisterClock, Synthetic};
use parafa_store::{AcceptedLoss, Clock, Store, StoreMode};
use parafa_trust::{
    AuthenticationCheck, OcspClient, OcspPolicy, Ports, SignerCheck, SystemRandom,
    TimestampAuthority, TimestampClient, TimestampPolicy, TrustAnchors, ValidationData,
    ValidationPolicy,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use url::Url;

pub(crate) use self::faults::{ConfigFaults, check};
#[cfg(test)]
pub(crate) use self::folder::bring_back;
use self::folder::open_folder_with;
pub(crate) use self::folder::{NoMasterKeyFile, master_key_file, open_folder};
use crate::app::App;
use crate::config::{Attorney, Config, Engine, Mail, MobileId, Protection, SmartId};
use crate::jobs;
use crate::metrics::plugin_observer;
use parafa_ceremony::attempt::{Attempts, DocumentTurns, Providers};
use parafa_ceremony::ceremonies::{Ceremonies, EarlierSignaturesCache};
use parafa_ceremony::changes::{Changes, LastStates};
use parafa_ceremony::downloads::{DownloadSlots, Downloads};
use parafa_ceremony::links::Links;
use parafa_ceremony::prompts::PromptLimits;
use parafa_ceremony::reader::SigningReader;
use parafa_ceremony::waiting::Waiting;
use parafa_ceremony::{CeremonyLetters, Lifecycle, Owners};
use parafa_delivery::{MailSender, NoticeSources, WebhookSender};
use parafa_listener::TrustedProxies;
use parafa_platform::Records;
use parafa_platform::accounts::{KeyMode, Product};
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_store::{NoPlugins, PluginStore};
use parafa_signing::SigningOwner;
use parafa_signing::api::SigningNotices;
use parafa_signing::archive::{ArchiveTurns, Archives};
use parafa_signing::comments::Comments;
use parafa_signing::intake::Intake;
use parafa_signing::quota::{Uploads, add_up};
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
    let plugin_store = PluginStore::new(&config.plugin_store(), mode, plugin_observer());
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

/// The ways from a host to the services of others.
pub(crate) struct ExternalServices {
    pub(crate) signer_check: SignerCheck,
    pub(crate) authentication_check: AuthenticationCheck,
    pub(crate) timestamps: TimestampClient,
    pub(crate) validation_data: ValidationData,
    /// The attorney's key, if one is set up.
    pub(crate) attorney: Option<Arc<dyn SigningKey>>,
    /// The way to the sources of registers.
    pub(crate) register_port: Arc<dyn HttpPort>,
    /// The eID providers that are set up.
    pub(crate) providers: Providers,
    /// Whether identity cards are accepted.
    pub(crate) cards: bool,
    /// What orders of packages ask in place of the configured sources.
    pub(crate) registers: Option<Arc<dyn Registers>>,
    /// To where webhooks may go.
    pub(crate) webhooks: Arc<dyn HttpPort>,
    /// Which addresses that are.
    pub(crate) webhook_policy: AddressPolicy,
    pub(crate) mailer: Option<Mailer>,
}

impl ExternalServices {
    /// Opens the ways to the services that are configured.
    pub(crate) fn open(config: &Config) -> anyhow::Result<Self> {
        let anchors = Arc::new(load_anchors(config)?);
        let authorities = time_stamping_authorities(config)?;
        let ports = service_ports(config, &anchors)?;
        let random = Arc::new(SystemRandom);
        let ocsp = OcspClient::new(ports.clone(), random.clone(), OcspPolicy::default());
        let webhook_policy = webhook_policy(config)?;
        Ok(Self {
            signer_check: SignerCheck::new(anchors.clone(), ocsp.clone()),
            authentication_check: AuthenticationCheck::new(anchors.clone(), ocsp.clone()),
            timestamps: TimestampClient::new(
                ports.configured,
                random,
                anchors.clone(),
                authorities,
                TimestampPolicy::default(),
            ),
            validation_data: ValidationData::new(anchors, ocsp, ValidationPolicy::default()),
            attorney: config.attorney.as_ref().map(Attorney::key).transpose()?,
            providers: providers(config)?,
            register_port: register_port(config)?,
            cards: config.card.enabled == Some(true),
            registers: None,
            webhooks: outbound_client(webhook_policy.clone())?,
            webhook_policy,
            mailer: config.mail.as_ref().map(mailer).transpose()?,
        })
    }
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
    let uploads = Uploads::new(config.limits.quotas(mode), records.files.clone());
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
        uploads,
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
        plugins: plugins.clone(),
        idempotency: idempotency.clone(),
        registers: doors
            .registers
            .unwrap_or_else(|| Arc::new(register_sources)),
        signers,
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

/// Reads the trust anchors.
pub(crate) fn load_anchors(config: &Config) -> anyhow::Result<TrustAnchors> {
    let folder = config.trust.folder.as_ref();
    let folder = folder
        .context("trust.folder is not set: name the folder with trust.toml and the certificates")?;
    TrustAnchors::load(folder).with_context(|| {
        format!(
            "trust.folder: the authorities in {} cannot be used",
            folder.display()
        )
    })
}

/// The time-stamping services, of which one at least is needed: without a
/// time-stamp no signature that a device has made can be finished.
pub(crate) fn time_stamping_authorities(
    config: &Config,
) -> anyhow::Result<Vec<TimestampAuthority>> {
    if config.timestamps.urls.is_empty() {
        bail!("timestamps.urls is empty: name at least one time-stamping service");
    }
    let urls = config.timestamps.urls.iter().cloned();
    Ok(urls
        .map(|url| TimestampAuthority { url, policy: None })
        .collect())
}

/// Which proxies are believed for whom a request is.
pub(crate) fn trusted_proxies(config: &Config) -> anyhow::Result<TrustedProxies> {
    Ok(TrustedProxies::parse(&config.server.trusted_proxies)?)
}

/// Where webhooks and callbacks may go.
pub(crate) fn webhook_policy(config: &Config) -> anyhow::Result<AddressPolicy> {
    let listed = host_ports("outbound.allow", &config.outbound.allow)?;
    Ok(AddressPolicy::new(listed, Reach::PublicHttps))
}

/// Where addresses in certificates may lead.
pub(crate) fn certificate_policy(config: &Config) -> anyhow::Result<AddressPolicy> {
    let listed = host_ports("trust.allow", &config.trust.allow)?;
    Ok(AddressPolicy::new(listed, Reach::PublicHttp))
}

fn host_ports(setting: &str, pairs: &[String]) -> anyhow::Result<Vec<HostPort>> {
    let is_malformed = |pair: &&String| pair.parse::<HostPort>().is_err();
    let malformed: Vec<String> = pairs.iter().filter(is_malformed).cloned().collect();
    if !malformed.is_empty() {
        bail!(
            "{setting} lists {}, which is not of the form host:port: write for instance 10.0.0.5:8443",
            malformed.join(", ")
        );
    }
    Ok(pairs.iter().filter_map(|pair| pair.parse().ok()).collect())
}

/// Hands letters in to the configured server.
pub(crate) fn mailer(config: &Mail) -> anyhow::Result<Mailer> {
    let credentials = match (&config.user, &config.password_file) {
        (Some(user), Some(file)) => {
            let password = std::fs::read_to_string(file)
                .with_context(|| format!("mail.password_file {} cannot be read", file.display()))?;
            Some((user.clone(), password.trim_end().to_owned()))
        }
        (None, None) => None,
        _ => bail!("mail.user and mail.password_file are set together or not at all"),
    };
    let server = MailServer {
        host: config.host.clone(),
        port: config.port,
        protection: match config.protection {
            Protection::Tls => MailProtection::Tls,
            Protection::StartTls => MailProtection::StartTls,
            Protection::None => MailProtection::Plain,
        },
        credentials,
        from: config.from.clone(),
    };
    Mailer::new(&server).map_err(|error| {
        let setting = match error {
            MailSetupError::From(_) => "mail.from",
            MailSetupError::Server(_) => "mail.host",
        };
        anyhow::Error::new(error).context(setting)
    })
}

/// The ways to the time-stamping services and responders that are configured,
/// and to what certificates name.
fn service_ports(config: &Config, anchors: &TrustAnchors) -> anyhow::Result<Ports> {
    let responders = anchors.entries().iter();
    let responders = responders.filter_map(|entry| entry.ocsp.url.as_ref());
    let services = config.timestamps.urls.iter().chain(responders);
    let listed = services.filter_map(HostPort::of).collect();
    Ok(Ports {
        configured: outbound_client(AddressPolicy::new(listed, Reach::ListedOnly))?,
        named: outbound_client(certificate_policy(config)?)?,
    })
}

/// The way to the registers' gateway and to open data.
fn register_port(config: &Config) -> anyhow::Result<Arc<dyn HttpPort>> {
    let listed = config.diligence.addresses().filter_map(HostPort::of);
    outbound_client(AddressPolicy::new(listed.collect(), Reach::ListedOnly))
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

/// The clients of the providers that are configured.
fn providers(config: &Config) -> anyhow::Result<Providers> {
    let mut providers = Providers::new();
    if let Some(smart_id) = &config.smart_id {
        let client = Arc::new(smart_id_client(smart_id)?);
        providers.insert(SigningMethod::SmartId, client);
    }
    if let Some(mobile_id) = &config.mobile_id {
        let client = Arc::new(mobile_id_client(mobile_id)?);
        providers.insert(SigningMethod::MobileId, client);
    }
    Ok(providers)
}

fn smart_id_client(config: &SmartId) -> anyhow::Result<SmartIdClient> {
    let listed = HostPort::of(&config.base_url).into_iter().collect();
    let port = outbound_client(AddressPolicy::new(listed, Reach::ListedOnly))?;
    let settings = SmartIdConfig::new(
        config.base_url.clone(),
        config.relying_party_uuid,
        &config.relying_party_name,
        &config.scheme_name,
    );
    Ok(SmartIdClient::new(settings, port))
}

fn mobile_id_client(config: &MobileId) -> anyhow::Result<MobileIdClient> {
    let listed = HostPort::of(&config.base_url).into_iter().collect();
    let port = outbound_client(AddressPolicy::new(listed, Reach::ListedOnly))?;
    let settings = MobileIdConfig::new(
        config.base_url.clone(),
        config.relying_party_uuid,
        &config.relying_party_name,
    );
    Ok(MobileIdClient::new(settings, port))
}

fn outbound_client(policy: AddressPolicy) -> anyhow::Result<Arc<dyn HttpPort>> {
    let client = OutboundClient::new(policy, &ServerTrust::default())
        .context("the outbound client cannot be made")?;
    Ok(Arc::new(client))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use http::Request;
    use parafa_http_port::{ExchangeLimits, HttpPortError};
    use tokio::net::TcpListener;

    use super::*;

    const LIMITS: ExchangeLimits = ExchangeLimits {
        timeout: Duration::from_secs(5),
        max_response_bytes: 1024,
    };

    /// Whether a way leads to this address at all.
    async fn leads_to(port: &Arc<dyn HttpPort>, address: &Url) -> bool {
        let request = Request::get(address.as_str())
            .body(Bytes::new())
            .expect("a request");
        let answer = port.exchange(request, LIMITS).await;
        !matches!(answer, Err(HttpPortError::Forbidden { .. }))
    }

    /// An address of this machine where nobody answers.
    async fn nobody() -> Url {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound address");
        format!("http://{address}/anything").parse().expect("a URL")
    }

    #[tokio::test]
    async fn certificates_lead_to_no_service_that_is_configured_unless_that_is_allowed() {
        // Another test of this process may have installed it.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let [service, other] = [nobody().await, nobody().await];
        let mut config = Config::default();
        config.timestamps.urls = vec![service.clone()];

        let ports = service_ports(&config, &TrustAnchors::default()).expect("ports");
        assert!(leads_to(&ports.configured, &service).await);
        assert!(!leads_to(&ports.configured, &other).await);
        assert!(!leads_to(&ports.named, &service).await);

        let allowed = HostPort::of(&service).expect("a host and a port");
        config.trust.allow = vec![allowed.to_string()];
        let ports = service_ports(&config, &TrustAnchors::default()).expect("ports");
        assert!(leads_to(&ports.named, &service).await);
        assert!(!leads_to(&ports.named, &other).await);
    }
}
