//! The configuration: `parafa.toml`, overridden by `PARAFA_SECTION__KEY`.

mod attorney;
mod auth;
mod diligence;
mod limits;
mod load;
mod quotas;
mod store;
#[cfg(test)]
mod tests;
mod variables;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use parafa_api_ceremony::CardApp;
use parafa_domain::SigningMethod;
use parafa_platform::billing::PriceLadder;
use parafa_plugin_store::PluginStoreSettings;
use serde::Deserialize;
use url::Url;

pub use self::attorney::Attorney;
pub use self::auth::Auth;
pub use self::diligence::Diligence;
pub use self::limits::Limits;
pub use self::load::ConfigError;
pub use self::store::{DatabaseUrl, Engine, Objects, StoreSection};
use crate::built_along;

/// All settings. `docs/configuration.md` explains each key.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Addresses of the server.
    pub server: Server,
    /// Storage of records and bytes.
    pub store: StoreSection,
    /// Storage of documents that hosts share.
    pub objects: Objects,
    /// The master key.
    pub secrets: Secrets,
    /// Bounds on requests.
    pub limits: Limits,
    /// Addresses allowed for outbound calls.
    pub outbound: Outbound,
    /// Trust anchors.
    pub trust: Trust,
    /// Time-stamping services.
    pub timestamps: Timestamps,
    /// Smart-ID.
    pub smart_id: Option<SmartId>,
    /// Mobile-ID.
    pub mobile_id: Option<MobileId>,
    /// Identity cards.
    pub card: Card,
    /// Pages for signers.
    pub ceremony: CeremonySettings,
    /// The mail server.
    pub mail: Option<Mail>,
    /// The key of the responsible attorney.
    pub attorney: Option<Attorney>,
    /// Due diligence: access to registers.
    pub diligence: Diligence,
    /// Prices and payment.
    pub billing: Billing,
    /// Authentications.
    pub auth: Auth,
    /// Format plugins.
    pub plugins: Plugins,
    /// Logs and traces.
    pub telemetry: Telemetry,
}

/// Addresses of the server.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Public base URL; without it, `http://` and the listening address.
    pub base_url: Option<Url>,
    /// Address of the APIs and pages.
    pub listen: SocketAddr,
    /// Address of health and metrics.
    pub operator_listen: SocketAddr,
    /// Addresses and networks of proxies whose statement of the client address
    /// is trusted.
    pub trusted_proxies: Vec<String>,
}

/// The master key.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Secrets {
    /// File with the master key, outside the data folder. A demo has its own,
    /// `master.key` in its data folder.
    pub master_key_file: Option<PathBuf>,
    /// Files with other master keys: replaced ones, as long as they are needed,
    /// and the next one, if hosts share a database.
    pub other_master_key_files: Vec<PathBuf>,
}

/// Addresses allowed for outbound calls.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Outbound {
    /// `host:port` pairs that webhooks and callbacks may reach although
    /// private, also over plain http.
    pub allow: Vec<String>,
}

/// Trust anchors.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Trust {
    /// Folder with PEM files and `trust.toml`.
    pub folder: Option<PathBuf>,
    /// `host:port` pairs that addresses in certificates may point to although
    /// private.
    pub allow: Vec<String>,
}

/// Time-stamping services.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timestamps {
    /// Addresses, tried in this order.
    pub urls: Vec<Url>,
}

/// Smart-ID.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmartId {
    /// The address that `/v3` is appended to.
    pub base_url: Url,
    /// Scheme name, `smart-id` or `smart-id-demo`.
    pub scheme_name: String,
    /// The relying party's name, exactly as registered.
    pub relying_party_name: String,
    /// The relying party's UUID.
    pub relying_party_uuid: uuid::Uuid,
    /// True if authentications name their relying party to the provider, as the
    /// party they are made on behalf of; by contract.
    #[serde(default)]
    pub broker: bool,
}

/// Mobile-ID.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MobileId {
    /// The address that `/signature` is appended to.
    pub base_url: Url,
    /// The relying party's name, as registered.
    pub relying_party_name: String,
    /// The relying party's UUID.
    pub relying_party_uuid: uuid::Uuid,
}

/// Identity cards.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Card {
    /// Permission to sign documents with cards. The default is no, and yes in a
    /// demo.
    pub enabled: Option<bool>,
    /// Name of the app that reads cards; without it, cards are not offered.
    pub app_name: Option<String>,
    /// Download address of the app for iPhones.
    pub app_url_ios: Option<Url>,
    /// Download address of the app for Android.
    pub app_url_android: Option<Url>,
}

impl Card {
    /// Returns the app that reads cards, if cards are enabled and it is named.
    pub(crate) fn app(&self) -> Option<CardApp> {
        let name = self.app_name.as_deref().map(str::trim);
        let name = name.filter(|name| !name.is_empty() && self.enabled == Some(true))?;
        Some(CardApp {
            name: name.to_owned(),
            url_ios: self.app_url_ios.as_ref().map(Url::to_string),
            url_android: self.app_url_android.as_ref().map(Url::to_string),
        })
    }

    /// Returns a warning if cards are enabled but unusable.
    pub(crate) fn warnings(&self) -> Option<String> {
        let is_forgotten = self.enabled == Some(true) && self.app().is_none();
        is_forgotten.then(|| {
            "card.app_name is not set: signers are not offered identity cards until it names the app that reads them"
                .to_owned()
        })
    }
}

/// Pages for signers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CeremonySettings {
    /// True if signers of one ceremony see each other's names and signing
    /// status.
    pub show_parties: bool,
}

/// Mail server. Without the section, no mail is sent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// Host name.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Transport security of the connection.
    #[serde(default)]
    pub protection: Protection,
    /// User name, if the server requires one.
    pub user: Option<String>,
    /// File with the password.
    pub password_file: Option<PathBuf>,
    /// Sender address; the sender's name is the workspace's.
    pub from: String,
}

/// Transport security of the connection to the mail server.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Protection {
    /// TLS from the first byte (implicit TLS).
    #[default]
    Tls,
    /// Required upgrade to TLS.
    StartTls,
    /// None, for a server on the same machine.
    None,
}

/// Prices and payment.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Billing {
    /// Page where a person can resolve a payment problem of a workspace; a
    /// workspace may have its own.
    pub recovery_url: Option<Url>,
    /// Prices of workspaces created from now on.
    pub prices: PriceLadder,
}

/// Format plugins.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plugins {
    /// Folder with the components; without it, `plugins` beside the program or
    /// one folder up.
    pub folder: Option<PathBuf>,
    /// Folder of compiled plugins; without it, a folder in the data folder.
    pub cache: Option<PathBuf>,
    /// Extensions of documents that callers may post in addition to the signing
    /// API's own. Without the dot, in either case.
    pub extensions: Vec<String>,
}

impl Plugins {
    /// Returns the further extensions in lower case; a leading dot is ignored.
    pub(crate) fn further_extensions(&self) -> Arc<[String]> {
        let extensions = self.extensions.iter();
        extensions
            .map(|extension| extension.trim_start_matches('.').to_lowercase())
            .collect()
    }
}

/// Logs and traces.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Telemetry {
    /// Filter in the syntax of `tracing`, such as `info,parafa_server=debug`.
    pub log: String,
    /// Collector of traces (OTLP/HTTP); without it, no traces are sent.
    pub traces_url: Option<Url>,
    /// Share of requests to trace, from 0 to 1, if their callers do not decide
    /// or may not decide.
    pub traces_share: f64,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            base_url: None,
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            operator_listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            trusted_proxies: Vec::new(),
        }
    }
}

impl Default for Telemetry {
    fn default() -> Self {
        Self {
            log: "info".into(),
            traces_url: None,
            traces_share: 1.0,
        }
    }
}

impl Config {
    /// Returns the configured signing methods.
    pub(crate) fn methods(&self) -> impl Iterator<Item = SigningMethod> {
        let methods = [
            self.smart_id.as_ref().map(|_| SigningMethod::SmartId),
            self.mobile_id.as_ref().map(|_| SigningMethod::MobileId),
            self.card.app().map(|_| SigningMethod::Nfc),
        ];
        methods.into_iter().flatten()
    }

    /// Returns the place of the plugins and the limits of a call.
    pub(crate) fn plugin_store(&self) -> PluginStoreSettings {
        PluginStoreSettings {
            data: self.store.data.clone(),
            shipped: self.plugins.folder.clone(),
            built_along: built_along::plugins().to_vec(),
            compiled: self.plugins.cache.clone(),
            call_memory_bytes: self.limits.plugin_memory_bytes,
            call_inflated_bytes: self.limits.plugin_inflated_bytes,
            call_time: self.limits.plugin_time(),
            concurrent_calls: self.limits.plugin_calls,
        }
    }
}
