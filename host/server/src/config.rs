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

/// Everything that an operator can set. `docs/configuration.md` explains each
/// key.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Addresses.
    pub server: Server,
    /// Records and bytes.
    pub store: StoreSection,
    /// Documents that hosts share.
    pub objects: Objects,
    /// The master key.
    pub secrets: Secrets,
    /// Bounds on requests.
    pub limits: Limits,
    /// Where outbound calls may go.
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
    /// What signers are shown.
    pub ceremony: Ceremony,
    /// The mail server.
    pub mail: Option<Mail>,
    /// The key of the responsible attorney.
    pub attorney: Option<Attorney>,
    /// Where registers are asked.
    pub diligence: Diligence,
    /// What workspaces pay.
    pub billing: Billing,
    /// Authentications.
    pub auth: Auth,
    /// Format plugins.
    pub plugins: Plugins,
    /// Logs and traces.
    pub telemetry: Telemetry,
}

/// Addresses.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Public base URL; without it, `http://` and the listening address.
    pub base_url: Option<Url>,
    /// Where the APIs and pages listen.
    pub listen: SocketAddr,
    /// Where health and metrics listen.
    pub operator_listen: SocketAddr,
    /// Addresses and networks of the proxies that are believed for whom a
    /// request is.
    pub trusted_proxies: Vec<String>,
}

/// The master key.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Secrets {
    /// File with the master key, outside the data folder. The demo has its own,
    /// `master.key` in its data folder.
    pub master_key_file: Option<PathBuf>,
    /// Files with other master keys: those that were replaced, until they are not
    /// needed any more, and the one that is to come, where hosts share a database.
    pub other_master_key_files: Vec<PathBuf>,
}

/// Where outbound calls may go.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Outbound {
    /// `host:port` pairs that webhooks and callbacks may reach although private,
    /// over plain http too.
    pub allow: Vec<String>,
}

/// Trust anchors.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Trust {
    /// Folder with PEM files and `trust.toml`.
    pub folder: Option<PathBuf>,
    /// `host:port` pairs that addresses in certificates may lead to although
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
    /// Whether authentications name their relying party to the provider as the
    /// one on whose behalf they are; by contract.
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
    /// Whether documents may be signed with one; without it they may not, and in
    /// the demo they may.
    pub enabled: Option<bool>,
    /// The app that reads cards; without it they are not offered.
    pub app_name: Option<String>,
    /// Where it is to be had for iPhones.
    pub app_url_ios: Option<Url>,
    /// Where it is to be had for Android.
    pub app_url_android: Option<Url>,
}

impl Card {
    /// The app that reads cards, where cards are enabled and it is named.
    pub(crate) fn app(&self) -> Option<CardApp> {
        let name = self.app_name.as_deref().map(str::trim);
        let name = name.filter(|name| !name.is_empty() && self.enabled == Some(true))?;
        Some(CardApp {
            name: name.to_owned(),
            url_ios: self.app_url_ios.as_ref().map(Url::to_string),
            url_android: self.app_url_android.as_ref().map(Url::to_string),
        })
    }

    /// A sentence where cards are enabled and nobody could use one.
    pub(crate) fn warnings(&self) -> Option<String> {
        let is_forgotten = self.enabled == Some(true) && self.app().is_none();
        is_forgotten.then(|| {
            "card.app_name is not set: signers are not offered identity cards until it names the app that reads them"
                .to_owned()
        })
    }
}

/// What signers are shown.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ceremony {
    /// Whether signers of one ceremony see each other's names, and who has signed.
    pub show_parties: bool,
}

/// The mail server. Without the section nobody is written to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// Its host name.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is protected.
    #[serde(default)]
    pub protection: Protection,
    /// User name, where the server asks for one.
    pub user: Option<String>,
    /// File with the password.
    pub password_file: Option<PathBuf>,
    /// The address that mail is from; its name is the workspace's.
    pub from: String,
}

/// How the connection to the mail server is protected.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Protection {
    /// TLS from the first byte.
    #[default]
    Tls,
    /// An upgrade to TLS, which is required.
    StartTls,
    /// None: for a server on the same machine.
    None,
}

/// What workspaces pay.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Billing {
    /// A page on which a person can settle why a workspace cannot pay; a
    /// workspace may have one of its own.
    pub recovery_url: Option<Url>,
    /// Prices of workspaces that are made from now on.
    pub prices: PriceLadder,
}

/// Format plugins.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plugins {
    /// Folder with the components; without it, `plugins` beside the program or
    /// one folder up.
    pub folder: Option<PathBuf>,
    /// Folder of compiled plugins; without it, one in the data folder.
    pub cache: Option<PathBuf>,
    /// Extensions of documents that callers may post beside those of the
    /// signing API, without the dot, in either case.
    pub extensions: Vec<String>,
}

impl Plugins {
    /// The same in lower case, with or without a dot before them.
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
    /// The collector that traces are sent to by OTLP/HTTP; without it there are none.
    pub traces_url: Option<Url>,
    /// Which share of the requests is traced whose callers do not say, or may not
    /// say, whether they are.
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
    /// The signing methods that are set up.
    pub(crate) fn methods(&self) -> impl Iterator<Item = SigningMethod> {
        let methods = [
            self.smart_id.as_ref().map(|_| SigningMethod::SmartId),
            self.mobile_id.as_ref().map(|_| SigningMethod::MobileId),
            self.card.app().map(|_| SigningMethod::Nfc),
        ];
        methods.into_iter().flatten()
    }

    /// Where plugins are kept and what a call of one may take.
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
