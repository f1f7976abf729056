//! Assembly of a host's services.

use std::num::NonZeroU16;
use std::sync::Arc;

use anyhow::Context;
use jiff::SignedDuration;
use parafa_api_http::BaseUrl;
use parafa_auth::{AuthParts, Authentications};
use parafa_ceremony::changes::Changes;
use parafa_ceremony::downloads::DownloadSlots;
use parafa_ceremony::links::Links;
use parafa_ceremony::quota::Uploads;
use parafa_ceremony::reader::CeremonyReader;
use parafa_ceremony::{Ceremonies, CeremonyLetters, CeremonyParts, Owners};
use parafa_delivery::{MailSender, NoticeSources, WebhookSender};
use parafa_diligence::{Diligence, DiligenceProduct};
use parafa_identification::{
    AttorneySigners, OrderNotices, OrderOwner, OrderParts, RegisterSources,
};
use parafa_organisation_signature::{AnswerSigner, AnswerSignerParts};
use parafa_platform::accounts::{KeyMode, Product};
use parafa_platform::idempotency::Idempotency;
use parafa_platform::keys::Keys;
use parafa_registers::{Clock as RegisterClock, Synthetic};
use parafa_signing::api::SigningNotices;
use parafa_signing::{SigningOwner, SigningParts, SigningProduct};
use parafa_store::StoreMode;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{ExternalServices, HostParts};
use crate::app::App;
use crate::certificates;
use crate::config::Config;
use crate::watch::Watch;

/// Parts shared by the services of one host.
struct Shared<'a> {
    config: &'a Config,
    own: &'a HostParts,
    links: Links,
    idempotency: Idempotency,
    uploads: Arc<Uploads>,
    /// Notifies waiters of changes of a ceremony.
    changes: Changes,
    /// Wakes the job runner.
    work: Arc<Notify>,
    stop: CancellationToken,
    /// True if mail is configured.
    sends_mail: bool,
}

pub(crate) fn assemble(
    config: &Config,
    mode: StoreMode,
    own: HostParts,
    doors: ExternalServices,
) -> anyhow::Result<App> {
    let records = own.records.clone();
    let kept = SignedDuration::from_hours(parafa_api_signing::IDEMPOTENCY_HOURS);
    let shared = Shared {
        config,
        own: &own,
        links: Links::new(own.base_url.clone(), records.master.clone()),
        idempotency: Idempotency::new(records.clone(), kept),
        uploads: Arc::new(Uploads::new(config.limits.quotas(mode), &records)),
        changes: Changes::default(),
        work: Arc::new(Notify::new()),
        stop: CancellationToken::new(),
        sends_mail: doors.mailer.is_some(),
    };
    let answer_signer = shared.answer_signer(&doors)?;
    let signers = attorney_signers(answer_signer.as_ref(), mode);
    let authentications = Arc::new(shared.authentications(&doors));
    let ceremonies = Arc::new(shared.ceremonies(&doors));
    let signing = shared.signing(&doors, &ceremonies);
    let diligence = shared.diligence(&doors, &ceremonies, signers)?;
    let notices = shared.notices();
    let webhooks = WebhookSender::new(
        records.clone(),
        notices.clone(),
        doors.webhooks,
        shared.work.clone(),
    );
    let Shared {
        links,
        idempotency,
        work,
        stop,
        ..
    } = shared;
    let providers = doors.providers.iter();
    let providers = providers.map(|(method, provider)| (method.name(), provider.host().to_owned()));
    let watch = Watch::new(
        own.clock.clone(),
        certificates::configured(config),
        doors.timestamps,
        providers.collect(),
    );
    Ok(App {
        answer_signer,
        diligence,
        mail: MailSender::new(records.clone(), notices, doors.mailer),
        data: config.store.data.clone(),
        prices: config.billing.prices.clone(),
        reader: CeremonyReader::new(records.clone()),
        webhook_policy: doors.webhook_policy,
        further_extensions: config.plugins.further_extensions(),
        links,
        idempotency,
        signing,
        authentications,
        ceremonies,
        webhooks,
        work,
        watch,
        stop,
        keys: Keys::new(records.store.clone()),
        records,
        plugins: own.plugins,
        plugin_store: own.plugin_store,
    })
}

impl Shared<'_> {
    fn answer_signer(&self, doors: &ExternalServices) -> anyhow::Result<Option<Arc<AnswerSigner>>> {
        let answer_signer = doors.attorney.clone().map(|key| {
            AnswerSigner::new(AnswerSignerParts {
                key,
                plugins: self.own.plugins.clone(),
                timestamps: doors.timestamps.clone(),
                validation_data: doors.validation_data.clone(),
                signer_check: doors.signer_check.clone(),
                clock: self.own.clock.clone(),
            })
        });
        let answer_signer = answer_signer.transpose().context("attorney.certificates")?;
        Ok(answer_signer.map(Arc::new))
    }

    fn register_sources(&self, doors: &ExternalServices) -> anyhow::Result<RegisterSources> {
        let clock = self.own.clock.clone();
        let clock: RegisterClock = Arc::new(move || clock.now());
        Ok(RegisterSources {
            sandbox: Arc::new(Synthetic::new(clock.clone())),
            live: self
                .config
                .diligence
                .sources(&doors.register_port, &clock)?,
        })
    }

    fn authentications(&self, doors: &ExternalServices) -> Authentications {
        Authentications::new(AuthParts {
            records: self.own.records.clone(),
            eid: doors.providers.clone(),
            check: doors.authentication_check.clone(),
            clock: self.own.clock.clone(),
            idempotency: self.idempotency.clone(),
            keys: self.config.auth.keys(self.own.records.clone()),
            settings: self.config.auth.settings(&self.own.base_url),
            work: self.work.clone(),
            stop: self.stop.clone(),
        })
    }

    fn ceremonies(&self, doors: &ExternalServices) -> Ceremonies {
        let records = &self.own.records;
        let signing = Arc::new(SigningOwner {
            records: records.clone(),
        });
        let diligence = Arc::new(OrderOwner {
            records: records.clone(),
        });
        let limits = &self.config.limits;
        Ceremonies::new(CeremonyParts {
            records: records.clone(),
            owners: Owners::new(vec![
                (Product::Signing, signing as _),
                (Product::Diligence, diligence as _),
            ]),
            idempotency: self.idempotency.clone(),
            links: self.links.clone(),
            plugins: self.own.plugins.clone(),
            plugin_source: self.own.plugin_source.clone(),
            signer_check: doors.signer_check.clone(),
            timestamps: doors.timestamps.clone(),
            providers: doors.providers.clone(),
            card_app: doors.card_app.clone(),
            shows_parties: self.config.ceremony.show_parties,
            clock: self.own.clock.clone(),
            finish_within: SignedDuration::from_hours(limits.finish_hours.get().into()),
            download_slots: DownloadSlots::new(limits.downloads),
            changes: self.changes.clone(),
            work: self.work.clone(),
            stop: self.stop.clone(),
        })
    }

    fn signing(&self, doors: &ExternalServices, ceremonies: &Arc<Ceremonies>) -> SigningProduct {
        let keep_days = i64::from(self.config.limits.file_days.get());
        SigningProduct::new(SigningParts {
            records: self.own.records.clone(),
            ceremonies: ceremonies.clone(),
            plugins: self.own.plugins.clone(),
            idempotency: self.idempotency.clone(),
            uploads: self.uploads.clone(),
            keep_files: SignedDuration::from_hours(24 * keep_days),
            recovery_url: self.config.billing.recovery_url.clone(),
            sends_mail: self.sends_mail,
            validation_data: doors.validation_data.clone(),
            timestamps: doors.timestamps.clone(),
            changes: self.changes.clone(),
            clock: self.own.clock.clone(),
        })
    }

    fn diligence(
        &self,
        doors: &ExternalServices,
        ceremonies: &Arc<Ceremonies>,
        signers: AttorneySigners,
    ) -> anyhow::Result<DiligenceProduct> {
        let settings = &self.config.diligence;
        let registers = self.register_sources(doors)?;
        let asked = doors.registers.clone();
        let days = |days: NonZeroU16| SignedDuration::from_hours(24 * i64::from(days.get()));
        let orders = OrderParts {
            ceremonies: ceremonies.clone(),
            uploads: self.uploads.clone(),
            plugins: self.own.plugins.clone(),
            registers: asked.unwrap_or_else(|| Arc::new(registers.clone())),
            privacy_contact: self.privacy_contact(),
            packages_kept: settings.packages_kept_days.map(days),
            sends_mail: self.sends_mail,
        };
        let questions = Diligence {
            records: self.own.records.clone(),
            idempotency: self.idempotency.clone(),
            registers,
            signers,
            base_url: BaseUrl::new(self.links.base_url()),
            interpretation_reviewed_by: settings.interpretation_reviewed_by.clone(),
            recovery_url: self.config.billing.recovery_url.clone(),
        };
        Ok(DiligenceProduct::new(
            questions,
            orders,
            days(settings.log_days),
        ))
    }

    /// Returns the writers of webhooks and letters of all products.
    fn notices(&self) -> NoticeSources {
        let letters = || {
            let methods = self.config.methods().collect();
            CeremonyLetters::new(self.own.records.clone(), self.links.clone(), methods)
        };
        let signing = Arc::new(SigningNotices { letters: letters() });
        let diligence = Arc::new(OrderNotices { letters: letters() });
        NoticeSources::new(vec![
            (Product::Signing, signing as _),
            (Product::Diligence, diligence as _),
        ])
    }

    /// Returns the contact for subjects of orders about their personal data.
    fn privacy_contact(&self) -> String {
        let named = self.config.diligence.privacy_contact.clone();
        let mailed = || self.config.mail.as_ref().map(|mail| mail.from.clone());
        named
            .or_else(mailed)
            .unwrap_or_else(|| self.links.base_url().to_string())
    }
}

/// Returns the signers that use the attorney's key, if there is one.
fn attorney_signers(signer: Option<&Arc<AnswerSigner>>, mode: StoreMode) -> AttorneySigners {
    let Some(signer) = signer else {
        return AttorneySigners::default();
    };
    let signers = AttorneySigners::new(signer.clone(), mode);
    for keys in [KeyMode::Live, KeyMode::Test] {
        if signers.of(keys).is_none() {
            tracing::warn!(
                ?keys,
                "the attorney's key does not sign for API keys of this mode"
            );
        }
    }
    signers
}
