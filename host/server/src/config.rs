//! The configuration: `parafa.toml`, overridden by `PARAFA_SECTION__KEY`.

mod absent;
mod attorney;
mod auth;
mod diligence;
mod environment;
mod quotas;
mod types;

use std::net::SocketAddr;
use std::num::{NonZeroU16, NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parafa_api_signing::{MIB, RateLimits};
use parafa_platform::billing::PriceLadder;
use parafa_plugin_store::PluginStoreSettings;
use parafa_store::StoreMode;
use parafa_store::engine::SledOptions;
use serde::Deserialize;
use url::Url;

use self::absent::without_absent;
pub use self::attorney::Attorney;
pub use self::auth::Auth;
pub use self::diligence::Diligence;
use self::environment::Environment;

/// How many times as often as usual a key may come in the demo.
const DEMO_RATES: NonZeroU32 = NonZeroU32::new(100).expect("it is not zero");

/// Everything that an operator can set. `docs/configuration.md` explains each
/// key.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Addresses.
    pub server: Server,
    /// Records and bytes.
    pub store: StoreSection,
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
    /// Logs.
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

/// Records and bytes.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSection {
    /// `sled`.
    pub engine: Engine,
    /// Folder of the embedded store, its byte files and wrapped data keys.
    pub data: PathBuf,
    /// Memory that the embedded store may use as a cache, in bytes.
    pub cache_bytes: u64,
    /// Most commits that one sync of the embedded store makes durable.
    pub commits_per_sync: NonZeroU16,
}

/// Which engine keeps the records.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// Embedded, in the data folder.
    #[default]
    Sled,
}

/// The master key.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Secrets {
    /// File with the master key, outside the data folder. The demo has its own,
    /// `master.key` in its data folder.
    pub master_key_file: Option<PathBuf>,
}

/// Bounds on requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Longest request body, in bytes.
    pub max_body_bytes: NonZeroUsize,
    /// Longest request body of a batch, in bytes.
    pub max_batch_body_bytes: NonZeroUsize,
    /// Requests that read, for each key and minute; without it as many as are
    /// usual, and in the demo a hundred times as many.
    pub reads_per_minute: Option<NonZeroU32>,
    /// All other requests, likewise.
    pub writes_per_minute: Option<NonZeroU32>,
    /// Documents that a workspace may store in all, in megabytes; without it as
    /// many as are usual, and in the demo a hundred times as many.
    pub stored_megabytes: Option<NonZeroU32>,
    /// Signings of a workspace that have not ended, likewise.
    pub open_signings: Option<NonZeroU32>,
    /// The same as `stored_megabytes` of test keys.
    pub sandbox_stored_megabytes: Option<NonZeroU32>,
    /// The same as `open_signings` of test keys.
    pub sandbox_open_signings: Option<NonZeroU32>,
    /// Documents that a workspace may store within a minute, likewise.
    pub stored_megabytes_per_minute: Option<NonZeroU32>,
    /// Free space on the disk below which no documents are taken, in megabytes;
    /// without it as much as is usual, and in the demo a tenth of that.
    pub free_megabytes: Option<u32>,
    /// Documents that are sent at the same time.
    pub downloads: NonZeroU32,
    /// How long a stored file is kept, in days.
    pub file_days: NonZeroU16,
    /// How long a signature that a device has made is worth finishing, in
    /// hours from the start of its attempt.
    pub finish_hours: NonZeroU16,
    /// Plugin calls at the same time.
    pub plugin_calls: NonZeroU32,
    /// Memory of one plugin call, in bytes.
    pub plugin_memory_bytes: NonZeroUsize,
    /// What is inflated for one plugin call, in bytes.
    pub plugin_inflated_bytes: NonZeroUsize,
    /// Time of one plugin call, in seconds.
    pub plugin_seconds: NonZeroU32,
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

/// Logs.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Telemetry {
    /// Filter in the syntax of `tracing`, such as `info,parafa_server=debug`.
    pub log: String,
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

impl Default for StoreSection {
    fn default() -> Self {
        Self {
            engine: Engine::Sled,
            data: PathBuf::from("parafa-data"),
            cache_bytes: 128 * 1024 * 1024,
            commits_per_sync: SledOptions::DEFAULT_COMMITS_PER_SYNC,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_body_bytes: mebibytes(24),
            max_batch_body_bytes: mebibytes(128),
            reads_per_minute: None,
            writes_per_minute: None,
            stored_megabytes: None,
            open_signings: None,
            sandbox_stored_megabytes: None,
            sandbox_open_signings: None,
            stored_megabytes_per_minute: None,
            free_megabytes: None,
            downloads: NonZeroU32::new(1024).expect("a thousand is not zero"),
            file_days: NonZeroU16::new(7).expect("seven is not zero"),
            finish_hours: NonZeroU16::new(24).expect("a day is not zero"),
            plugin_calls: NonZeroU32::new(16).expect("sixteen is not zero"),
            plugin_memory_bytes: mebibytes(256),
            plugin_inflated_bytes: mebibytes(512),
            plugin_seconds: NonZeroU32::new(10).expect("ten is not zero"),
        }
    }
}

impl Default for Telemetry {
    fn default() -> Self {
        Self { log: "info".into() }
    }
}

impl Limits {
    /// How often each key may come. The demo is generous, unless somebody has
    /// said how much is to be allowed.
    pub(crate) fn rates(&self, mode: StoreMode) -> RateLimits {
        let usual = RateLimits::default();
        let default = |rate: NonZeroU32| match mode {
            StoreMode::Demo => rate.saturating_mul(DEMO_RATES),
            StoreMode::Production => rate,
        };
        RateLimits {
            reads_per_minute: self
                .reads_per_minute
                .unwrap_or_else(|| default(usual.reads_per_minute)),
            writes_per_minute: self
                .writes_per_minute
                .unwrap_or_else(|| default(usual.writes_per_minute)),
        }
    }

    /// Time of one plugin call.
    #[must_use]
    pub fn plugin_time(&self) -> Duration {
        Duration::from_secs(self.plugin_seconds.get().into())
    }
}

fn mebibytes(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count * MIB).expect("no limit is zero")
}

impl Config {
    /// Where plugins are kept and what a call of one may take.
    pub(crate) fn plugin_store(&self) -> PluginStoreSettings {
        PluginStoreSettings {
            data: self.store.data.clone(),
            shipped: self.plugins.folder.clone(),
            compiled: self.plugins.cache.clone(),
            call_memory_bytes: self.limits.plugin_memory_bytes,
            call_inflated_bytes: self.limits.plugin_inflated_bytes,
            call_time: self.limits.plugin_time(),
            concurrent_calls: self.limits.plugin_calls,
        }
    }

    /// Reads the file, if one is named, and the environment.
    ///
    /// # Errors
    /// [`ConfigError`], naming the file and the key.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        Self::read(file, Environment::of(std::env::vars_os()))
    }

    /// What is wrong with the environment, and keeps nobody from starting.
    pub(crate) fn warnings() -> Vec<String> {
        environment::without_section(std::env::vars_os())
    }

    fn read(file: Option<&Path>, environment: Environment) -> Result<Self, ConfigError> {
        let mut builder = config::Config::builder();
        if let Some(file) = file {
            types::check(file).map_err(|source| ConfigError {
                file: Some(file.to_owned()),
                source: Box::new(source),
            })?;
            builder = builder.add_source(config::File::from(file).format(config::FileFormat::Toml));
        }
        let loaded = builder
            .add_source(environment)
            .build()
            .and_then(|built| without_absent(built.cache))
            .and_then(Self::deserialize);
        loaded.map_err(|source| ConfigError {
            file: file.map(Path::to_owned),
            source: Box::new(source),
        })
    }
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the configuration{} cannot be used", .file.as_ref().map(|file| format!(" {}", file.display())).unwrap_or_default())]
pub struct ConfigError {
    /// The file that was read, if one was named.
    pub file: Option<PathBuf>,
    /// What is wrong.
    #[source]
    pub source: Box<config::ConfigError>,
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn load(text: &str) -> Result<Config, ConfigError> {
        let mut file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        Config::load(Some(file.path()))
    }

    #[test]
    fn what_is_not_set_has_its_default() {
        let config = load("[server]\nlisten = '127.0.0.1:9999'\n").unwrap();

        assert_eq!(config.server.listen.port(), 9999);
        assert_eq!(config.limits.max_body_bytes.get(), 24 * 1024 * 1024);
    }

    #[test]
    fn the_demo_is_generous_unless_a_rate_is_set() {
        let rates = |text: &str, mode| {
            let rates = load(text).unwrap().limits.rates(mode);
            (rates.reads_per_minute.get(), rates.writes_per_minute.get())
        };

        assert_eq!(rates("", StoreMode::Production), (600, 120));
        assert_eq!(rates("", StoreMode::Demo), (60_000, 12_000));
        let few_reads = "[limits]\nreads_per_minute = 5\n";
        assert_eq!(rates(few_reads, StoreMode::Production), (5, 120));
        assert_eq!(rates(few_reads, StoreMode::Demo), (5, 12_000));
    }

    #[test]
    fn prices_make_a_ladder_or_are_refused() {
        let config = load("[billing]\nprices = ['1=0.70', '11=0.60']\n").unwrap();
        let tenth = config.billing.prices.price(10).to_string();
        assert_eq!(tenth, "0.70");

        let error = load("[billing]\nprices = ['2=0.70']\n").unwrap_err();
        let why = error.source.to_string();
        assert!(why.contains("first signature"), "{why}");
    }

    #[test]
    fn a_limit_of_nothing_is_refused_by_name() {
        for key in [
            "max_body_bytes",
            "max_batch_body_bytes",
            "reads_per_minute",
            "writes_per_minute",
            "stored_megabytes",
            "open_signings",
            "sandbox_stored_megabytes",
            "sandbox_open_signings",
            "stored_megabytes_per_minute",
            "downloads",
            "file_days",
            "finish_hours",
            "plugin_calls",
            "plugin_memory_bytes",
            "plugin_inflated_bytes",
            "plugin_seconds",
        ] {
            let read = load(&format!("[limits]\n{key} = 1\n"));
            assert!(read.is_ok(), "{key}: {read:?}");

            let error = load(&format!("[limits]\n{key} = 0\n")).unwrap_err();

            let why = error.source.to_string();
            assert!(why.contains(key) && why.contains("nonzero"), "{why}");
        }
    }

    #[test]
    fn an_unknown_key_is_named() {
        let error = load("[server]\nlisen = '127.0.0.1:9999'\n").unwrap_err();

        assert!(
            error.source.to_string().contains("lisen"),
            "{}",
            error.source
        );
    }

    #[test]
    fn what_variables_set_is_read_as_what_it_is() {
        let variables = [
            ("PARAFA_OUTBOUND__ALLOW", r#"["a:1", "b:2"]"#),
            ("PARAFA_TRUST__ALLOW", "a:1"),
            ("PARAFA_SERVER__TRUSTED_PROXIES", "10.0.0.5, fd00::/8"),
            (
                "PARAFA_TIMESTAMPS__URLS",
                "['https://a.example', 'https://b.example']",
            ),
            ("PARAFA_BILLING__PRICES", r#"["1=0.70", "11=0.60"]"#),
            ("PARAFA_LIMITS__PLUGIN_CALLS", "7"),
            ("PARAFA_MAIL__HOST", "mail.example"),
            ("PARAFA_MAIL__PORT", "25"),
            ("PARAFA_MAIL__PROTECTION", "none"),
            ("PARAFA_MAIL__USER", "007"),
            ("PARAFA_MAIL__FROM", "a@example.lt"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));

        let config = Config::read(None, Environment::of(variables.into_iter())).unwrap();

        assert_eq!(config.outbound.allow, ["a:1", "b:2"]);
        assert_eq!(config.trust.allow, ["a:1"]);
        assert_eq!(config.server.trusted_proxies, ["10.0.0.5", "fd00::/8"]);
        assert_eq!(config.timestamps.urls.len(), 2);
        assert_eq!(config.billing.prices.price(11).to_string(), "0.60");
        assert_eq!(config.limits.plugin_calls.get(), 7);
        let mail = config.mail.unwrap();
        assert_eq!((mail.port, mail.user.as_deref()), (25, Some("007")));
    }

    #[test]
    fn a_variable_for_what_this_build_does_not_have_is_refused() {
        let url = ("PARAFA_STORE__URL".into(), "postgres://db/parafa".into());

        let refused = Config::read(None, Environment::of([url].into_iter()));

        let why = refused.unwrap_err().source.to_string();
        assert!(why.contains("store.url is set"), "{why}");
    }

    #[test]
    fn every_section_that_has_a_name_may_stand_there_empty() {
        let sections = "server store objects secrets limits outbound trust timestamps smart_id \
                        mobile_id card mail webhooks billing diligence attorney auth plugins \
                        telemetry";
        let empty: String = sections
            .split_whitespace()
            .map(|section| format!("[{section}]\n"))
            .collect();

        let config = load(&empty).unwrap();

        assert!(config.smart_id.is_none() && config.mobile_id.is_none());
        assert!(config.mail.is_none() && config.attorney.is_none());
        assert!(load("[webhook]\n").is_err());
    }

    #[test]
    fn what_this_build_does_not_have_is_refused_by_name_all_of_it() {
        let text = "[store]\nengine = 'postgres'\nurl = 'postgres://db/parafa'\n\
                    [objects]\nurl = 's3://bucket'\n[webhooks]\nkey = 'a.pem'\n";

        let why = load(text).unwrap_err().source.to_string();

        for named in [
            "store.engine is postgres, and this build does not have that engine",
            "store.url is set",
            "objects.url is set",
            "webhooks.key is set",
        ] {
            assert!(why.contains(named), "{why}");
        }
        assert!(load("webhooks = 1\n").is_err());
        let other = load("[store]\nengine = 'mysql'\n").unwrap_err();
        assert!(other.source.to_string().contains("mysql"));
    }
}
