use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use parafa_api_http::{BaseUrl, HttpConfig};
use parafa_auth::Authentications;
use parafa_auth::api::AuthOperations;
use parafa_ceremony::Ceremonies;
use parafa_ceremony::api::CeremonyOperations;
use parafa_ceremony::links::Links;
use parafa_ceremony::reader::CeremonyReader;
use parafa_delivery::{MailSender, WebhookSender};
use parafa_diligence::DiligenceProduct;
use parafa_diligence::api::DiligenceOperations;
use parafa_operator::OperatorCommands;
use parafa_organisation_signature::AnswerSigner;
use parafa_outbound::AddressPolicy;
use parafa_platform::Records;
use parafa_platform::billing::PriceLadder;
use parafa_platform::deliveries::Deliveries;
use parafa_platform::idempotency::Idempotency;
use parafa_platform::keys::Keys;
use parafa_plugin_host::Registry;
use parafa_plugin_store::PluginStore;
use parafa_signing::SigningProduct;
use parafa_signing::api::SigningOperations;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::tables::INVENTORY;
use crate::watch::Watch;

/// Services of one host, assembled. Start-up creates it, and listeners take
/// from it what they serve; no service knows it.
pub(crate) struct App {
    pub(crate) records: Records,
    /// API keys and their principals.
    pub(crate) keys: Keys,
    /// The data folder.
    pub(crate) data: PathBuf,
    /// Plugins available for calls.
    pub(crate) plugins: Arc<Registry>,
    /// Installed plugins, as operators manage them.
    pub(crate) plugin_store: PluginStore,
    /// Addresses that webhooks may reach.
    pub(crate) webhook_policy: AddressPolicy,
    /// Extensions of documents that callers may post, in addition to the API's
    /// own.
    pub(crate) further_extensions: Arc<[String]>,
    /// Prices of workspaces that have none of their own.
    pub(crate) prices: PriceLadder,
    /// Signer of the attorney's signatures, if a key is configured.
    pub(crate) answer_signer: Option<Arc<AnswerSigner>>,
    pub(crate) diligence: DiligenceProduct,
    pub(crate) links: Links,
    pub(crate) idempotency: Idempotency,
    pub(crate) reader: CeremonyReader,
    pub(crate) signing: SigningProduct,
    pub(crate) authentications: Arc<Authentications>,
    pub(crate) ceremonies: Arc<Ceremonies>,
    /// Sender of events.
    pub(crate) webhooks: WebhookSender,
    /// Sender of letters.
    pub(crate) mail: MailSender,
    /// Wakes the job runner.
    pub(crate) work: Arc<Notify>,
    /// State that is refreshed every minute.
    pub(crate) watch: Watch,
    /// Cancelled when the server is to stop.
    pub(crate) stop: CancellationToken,
}

impl App {
    pub(crate) fn signing_api(&self) -> SigningOperations {
        SigningOperations {
            records: self.records.clone(),
            keys: self.keys.clone(),
            links: self.links.clone(),
            idempotency: self.idempotency.clone(),
            deliveries: self.deliveries(),
            reader: self.reader.clone(),
            product: self.signing.clone(),
            ceremonies: self.ceremonies.clone(),
            plugins: self.plugins.clone(),
            webhook_policy: self.webhook_policy.clone(),
            further_extensions: self.further_extensions.clone(),
        }
    }

    pub(crate) fn auth_api(&self) -> AuthOperations {
        AuthOperations(self.authentications.clone())
    }

    pub(crate) fn diligence_api(&self) -> DiligenceOperations {
        DiligenceOperations {
            product: self.diligence.clone(),
            keys: self.keys.clone(),
            callback_policy: self.webhook_policy.clone(),
            deliveries: self.deliveries(),
        }
    }

    /// Returns the callers' view of webhook deliveries.
    fn deliveries(&self) -> Deliveries {
        Deliveries {
            records: self.records.clone(),
            idempotency: self.idempotency.clone(),
        }
    }

    /// Warns the operator early if the attorney's key cannot sign now. Start-up
    /// does not wait for the check.
    pub(crate) fn look_after_the_attorneys_key(&self) {
        if let Some(signer) = self.answer_signer.clone() {
            tokio::spawn(async move { signer.check().await });
        }
    }

    /// Returns the router of the signers' pages and their calls.
    pub(crate) fn ceremony_router(&self) -> Router {
        let operations = CeremonyOperations(self.ceremonies.clone());
        let base_url = self.links.base_url();
        let config = HttpConfig::new(BaseUrl::new(base_url));
        let origin = base_url.origin().ascii_serialization();
        parafa_api_ceremony::router(operations, &config, &origin)
    }

    /// Returns the executor of operators' commands.
    pub(crate) fn operator_commands(&self) -> OperatorCommands {
        OperatorCommands {
            records: self.records.clone(),
            data: self.data.clone(),
            plugin_store: self.plugin_store.clone(),
            prices: self.prices.clone(),
            providers: self.authentications.providers.clone(),
            assertion_keys: self.authentications.keys.clone(),
            inventory: INVENTORY,
        }
    }
}
