//! Faults of a configuration that show before anything is opened. `parafa
//! serve` refuses to start with them; `parafa check-config` prints them.

use std::fmt::Display;
use std::path::Path;

use anyhow::{anyhow, bail};
use parafa_organisation_signature::SIGNING_METHOD;
use parafa_store::keys::KeyError;
use parafa_store::{Folder, FolderError, MasterKey, StoreMode};
use parafa_trust::Purpose;
use url::Url;

use super::database::ONE_KEY_FOR_ALL;
use super::services::{
    certificate_policy, load_anchors, mailer, time_stamping_authorities, webhook_policy,
};
use super::store_faults::store_faults;
use super::{NoMasterKeyFile, master_key_file, trusted_proxies};
use crate::config::{Config, ConfigError, Diligence, MobileId, SmartId};
use crate::demo;
use crate::log_filter::log_filter;

/// Schemes of device links: the provider's, and that of its demo environment.
const SCHEME_NAMES: [&str; 2] = ["smart-id", "smart-id-demo"];

/// Settings that prevent a start: sentences that name the setting and the
/// remedy.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub(crate) struct ConfigFaults(Vec<String>);

impl ConfigFaults {
    /// Wraps one fault.
    pub(crate) fn one(fault: impl Display) -> Self {
        Self(vec![fault.to_string()])
    }

    pub(crate) fn into_sentences(self) -> Vec<String> {
        self.0
    }
}

impl From<ConfigError> for ConfigFaults {
    fn from(error: ConfigError) -> Self {
        Self(error.into_sentences())
    }
}

/// Refuses a configuration with which no server of this mode starts, and
/// reports all its faults. A demo has its own services, so configured services
/// are not checked for it.
pub(crate) fn check(config: &Config, mode: StoreMode) -> Result<(), ConfigFaults> {
    let mut found = Found::default();
    found.in_check(check_base_url(config));
    found.in_check(check_listeners(config));
    found.in_check(check_data_folder(config, mode));
    found.in_check(check_master_key(config, mode));
    for file in &config.secrets.other_master_key_files {
        found.in_check(check_other_master_key(file, config, mode));
    }
    found.0.extend(store_faults(config));
    found.in_check(trusted_proxies(config));
    found.in_check(webhook_policy(config));
    found.in_check(certificate_policy(config));
    found.in_check(config.diligence.check_words());
    if let Some(url) = &config.billing.recovery_url {
        found.in_check(check_address("billing.recovery_url", url));
    }
    for (setting, url) in [
        ("card.app_url_ios", &config.card.app_url_ios),
        ("card.app_url_android", &config.card.app_url_android),
    ] {
        if let Some(url) = url {
            found.in_check(check_address(setting, url));
        }
    }
    found.in_check(check_log_filter(config));
    found.in_check(check_traces(config));
    if mode == StoreMode::Production {
        found.in_anchors(config);
        found.in_check(time_stamping_authorities(config));
        for url in &config.timestamps.urls {
            found.in_check(check_address("timestamps.urls", url));
        }
        if let Some(smart_id) = &config.smart_id {
            found.in_smart_id(smart_id);
        }
        if let Some(mobile_id) = &config.mobile_id {
            found.in_mobile_id(mobile_id);
        }
        if let Some(mail) = &config.mail {
            found.in_check(mailer(mail));
        }
        if let Some(attorney) = &config.attorney {
            found.in_check(attorney.key());
        }
        found.in_diligence(&config.diligence);
    }
    if found.0.is_empty() {
        Ok(())
    } else {
        Err(ConfigFaults(found.0))
    }
}

/// Refuses an unusable master key, or a missing one if there is a store; a new
/// store gets a new key. A demo finds out whether a database is new only when
/// connected to it.
fn check_master_key(config: &Config, mode: StoreMode) -> anyhow::Result<()> {
    let path = master_key_file(config, mode).ok_or(NoMasterKeyFile)?;
    let [store, bytes, keys] = ["store", "bytes", "keys"].map(|name| config.store.data.join(name));
    if [&store, &bytes, &keys]
        .iter()
        .any(|folder| path.starts_with(folder))
    {
        let inside = FolderError::MasterKeyInside {
            path: path.display().to_string(),
        };
        bail!("secrets.master_key_file: {inside}");
    }
    if mode == StoreMode::Production && lies_in(&path, &config.store.data) {
        bail!(
            "secrets.master_key_file: {} lies in the data folder {}, so a copy of the folder includes its key: name a file outside of it, and move the key there",
            path.display(),
            config.store.data.display()
        );
    }
    let is_shared = config.store.is_shared();
    let may_be_made = match mode {
        StoreMode::Demo if is_shared => true,
        StoreMode::Production if is_shared => false,
        _ => !store.exists(),
    };
    let error = match MasterKey::load(&path) {
        Ok(_) => return Ok(()),
        Err(KeyError::MasterMissing { .. }) if may_be_made => return Ok(()),
        Err(error) => error,
    };
    let remedy = match (&error, mode) {
        (KeyError::MasterMissing { .. }, _) if is_shared => ONE_KEY_FOR_ALL,
        (KeyError::MasterMissing { .. }, StoreMode::Demo) => {
            "the store already has one: restore it from its copy, or leave out --demo if the store is not a demo's"
        }
        (KeyError::MasterMissing { .. }, StoreMode::Production) => {
            "the store already has one: restore it from the copy that is kept elsewhere"
        }
        (KeyError::MasterExposed { .. }, _) => "remove the permissions of others (chmod 600)",
        (KeyError::MasterMalformed { .. }, _) => {
            "restore it from the copy that is kept elsewhere, or name another file"
        }
        _ => "let the server read it, or name another file",
    };
    Err(anyhow!(
        "secrets.master_key_file: {:#}: {remedy}",
        anyhow::Error::new(error)
    ))
}

/// Refuses an unusable key among the other master keys.
fn check_other_master_key(file: &Path, config: &Config, mode: StoreMode) -> anyhow::Result<()> {
    if mode == StoreMode::Production && lies_in(file, &config.store.data) {
        bail!(
            "secrets.other_master_key_files: {} lies in the data folder {}: name a file outside of it, and move the key there",
            file.display(),
            config.store.data.display()
        );
    }
    let Err(error) = MasterKey::load(file) else {
        return Ok(());
    };
    let remedy = match &error {
        KeyError::MasterExposed { .. } => "remove the permissions of others (chmod 600)",
        _ => {
            "restore the file, or leave it out if the log says that every data key is wrapped by the master key"
        }
    };
    Err(anyhow!(
        "secrets.other_master_key_files: {:#}: {remedy}",
        anyhow::Error::new(error)
    ))
}

/// Returns whether a file is, or would be, in a folder; follows links.
fn lies_in(file: &Path, folder: &Path) -> bool {
    let real = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let there = path.ancestors().find_map(|there| {
            let rest = path.strip_prefix(there).ok()?;
            Some(there.canonicalize().ok()?.join(rest))
        });
        there.unwrap_or(path)
    };
    real(file).starts_with(real(folder))
}

/// Refuses a public address that links and pages cannot be built on, and a
/// missing one where they need one.
fn check_base_url(config: &Config) -> anyhow::Result<()> {
    let listen = config.server.listen;
    let Some(url) = &config.server.base_url else {
        if listen.ip().is_unspecified() {
            bail!(
                "server.base_url is not set, and server.listen {listen} is not an address for links: set server.base_url to the public address"
            );
        }
        return Ok(());
    };
    let is_root = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    if !is_root {
        bail!(
            "server.base_url {url} must be http:// or https:// and a host, without a path: links are built on it"
        );
    }
    check_address("server.base_url", url)
}

fn check_listeners(config: &Config) -> anyhow::Result<()> {
    let (public, operator) = (config.server.listen, config.server.operator_listen);
    if public == operator && public.port() != 0 {
        bail!(
            "server.operator_listen {operator} is the same as server.listen: set it to another port"
        );
    }
    Ok(())
}

fn check_data_folder(config: &Config, mode: StoreMode) -> anyhow::Result<()> {
    let data = &config.store.data;
    if mode == StoreMode::Production && demo::mode_of(data) == StoreMode::Demo {
        bail!(
            "store.data {} was made for demo: name another folder, or start it with --demo",
            data.display()
        );
    }
    if data.exists() && !data.is_dir() {
        bail!(
            "store.data {} is not a folder: name one, or a path where it can be made",
            data.display()
        );
    }
    if config.store.is_shared() {
        return Ok(());
    }
    // Opening the folder reports other faults, and those that cannot be checked
    // here.
    if let Err(away @ (FolderError::RecordsAway { .. } | FolderError::DocumentsAway { .. })) =
        Folder::refuse_torn(data)
    {
        bail!("store.data: {away}");
    }
    Ok(())
}

fn check_log_filter(config: &Config) -> anyhow::Result<()> {
    let log = &config.telemetry.log;
    if let Err(error) = log_filter(log) {
        bail!("telemetry.log {log:?} is not a log filter ({error}): write one, such as info");
    }
    Ok(())
}

/// Refuses traces that could not be sent, or that have no valid share.
fn check_traces(config: &Config) -> anyhow::Result<()> {
    let share = config.telemetry.traces_share;
    if !(0.0..=1.0).contains(&share) {
        bail!("telemetry.traces_share {share} is not a share: write a number from 0 to 1");
    }
    let Some(url) = &config.telemetry.traces_url else {
        return Ok(());
    };
    if !url.username().is_empty() || url.password().is_some() {
        bail!(
            "telemetry.traces_url has credentials, which are not sent: name a collector that asks for none, such as one on this machine"
        );
    }
    check_address("telemetry.traces_url", url)
}

/// Refuses an address that is not usable with HTTP.
fn check_address(setting: &str, url: &Url) -> anyhow::Result<()> {
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        bail!("{setting} {url} must be http:// or https:// and a host");
    }
    Ok(())
}

/// Faults found so far.
#[derive(Default)]
struct Found(Vec<String>);

impl Found {
    fn in_check<T>(&mut self, checked: anyhow::Result<T>) {
        if let Err(fault) = checked {
            self.0.push(format!("{fault:#}"));
        }
    }

    /// Refuses trust anchors with which no signature could be completed.
    /// Signers would be turned away, or their signatures lost for lack of a
    /// trusted time-stamp.
    fn in_anchors(&mut self, config: &Config) {
        let anchors = match load_anchors(config) {
            Ok(anchors) => anchors,
            Err(fault) => return self.in_check::<()>(Err(fault)),
        };
        let set_up = config.methods();
        let mut methods: Vec<_> = set_up.map(|set_up| Some(set_up.name())).collect();
        if config.attorney.is_some() {
            methods.push(Some(SIGNING_METHOD));
        }
        if methods.is_empty() {
            methods.push(None);
        }
        let needed = methods
            .into_iter()
            .map(|method| (Purpose::Signing, "signing", method));
        for (purpose, name, method) in needed.chain([(Purpose::Timestamping, "timestamping", None)])
        {
            if anchors.has_anchor_for(purpose, method) {
                continue;
            }
            let by = method.map_or_else(String::new, |method| format!(" with {method}"));
            self.0.push(format!(
                "trust.folder: trust.toml has no authority for {name}{by}: add one as root or issuing, with {name} among its purposes"
            ));
        }
    }

    fn in_diligence(&mut self, diligence: &Diligence) {
        let addresses = [
            ("diligence.gateway_url", &diligence.gateway_url),
            ("diligence.open_data_url", &diligence.open_data_url),
        ];
        for (setting, url) in addresses {
            if let Some(url) = url {
                self.in_check(check_address(setting, url));
            }
        }
        for fault in diligence.faults() {
            self.in_check::<()>(Err(fault));
        }
    }

    fn in_mobile_id(&mut self, mobile_id: &MobileId) {
        self.in_check(check_address("mobile_id.base_url", &mobile_id.base_url));
        if mobile_id.relying_party_name.trim().is_empty() {
            self.0.push(
                "mobile_id.relying_party_name is empty: set it to the name that is registered with the provider"
                    .to_owned(),
            );
        }
    }

    fn in_smart_id(&mut self, smart_id: &SmartId) {
        self.in_check(check_address("smart_id.base_url", &smart_id.base_url));
        let scheme_name = &smart_id.scheme_name;
        if !SCHEME_NAMES.contains(&scheme_name.as_str()) {
            self.0.push(format!(
                "smart_id.scheme_name {scheme_name:?} is not a scheme of Smart-ID: set it to smart-id, or to smart-id-demo in the provider's demo environment"
            ));
        }
        if smart_id.relying_party_name.trim().is_empty() {
            self.0.push(
                "smart_id.relying_party_name is empty: set it to the name that is registered with the provider"
                    .to_owned(),
            );
        }
    }
}

#[cfg(test)]
mod tests;
