//! Start-up: opens and checks all external interfaces before requests are
//! accepted.

mod assembly;
mod database;
mod faults;
mod first_start;
mod folder;
mod master_key;
mod patience;
mod services;
mod store_faults;

use std::sync::Arc;

use anyhow::Context;
use parafa_plugin_host::{PluginSource, Registry};
use parafa_store::postgres::Database;
use parafa_store::{AcceptedLoss, Clock, Store, StoreMode};
use url::Url;

pub(crate) use self::assembly::assemble;
use self::database::open_shared;
pub(crate) use self::database::{
    NoDatabase, NoStore, Reached, objects, options as database_options, reach as reach_database,
    restore_target,
};
pub(crate) use self::faults::{ConfigFaults, check};
pub(crate) use self::first_start::tell_first_start;
#[cfg(test)]
pub(crate) use self::folder::bring_back;
use self::folder::open_folder_with;
pub(crate) use self::folder::{open_folder, open_for_command};
pub(crate) use self::master_key::{NoMasterKeyFile, master_key_file};
pub(crate) use self::patience::Patience;
pub(crate) use self::services::ExternalServices;
use crate::app::App;
use crate::config::Config;
use crate::lanes::LANES;
use parafa_listener::TrustedProxies;
use parafa_platform::{Records, is_away, rewrap};
use parafa_plugin_store::metrics::Counted;
use parafa_plugin_store::{NoPlugins, PluginStore};
use parafa_signing::quota::add_up;

/// Parameters of opening a server's data.
#[derive(Clone)]
pub(crate) struct Opening {
    /// Public base URL.
    pub(crate) base_url: Url,
    pub(crate) mode: StoreMode,
    pub(crate) clock: Arc<dyn Clock>,
    /// Accepted loss of an embedded store.
    pub(crate) accepted_loss: AcceptedLoss,
    /// Database that hosts share, if configured.
    pub(crate) database: Option<Database>,
}

/// Opens everything configured. Waits for shared services that are unavailable.
pub(crate) async fn open(
    config: &Config,
    opening: Opening,
    mut patience: Patience,
) -> anyhow::Result<App> {
    loop {
        match open_once(config, opening.clone()).await {
            Err(error) if is_away(error.as_ref()) && patience.lasts(error.as_ref()).await => {}
            opened => return opened,
        }
    }
}

async fn open_once(config: &Config, opening: Opening) -> anyhow::Result<App> {
    let Opening {
        base_url,
        mode,
        clock,
        accepted_loss,
        database,
    } = opening;
    let is_shared = database.is_some();
    let folder = match database {
        Some(database) => open_shared(config, mode, database, clock.clone()).await?,
        None => open_folder_with(config, mode, clock.clone(), accepted_loss).await?,
    };
    if let Err(error) = folder.keys.check().await {
        // The folder may be mounted later. Until then, readiness reports it
        // too.
        let error: &dyn std::error::Error = &error;
        tracing::error!(error, "sealed data cannot be read");
    }
    if !is_shared {
        // One process has the store at a time, so any previous owner of a claim
        // is dead.
        release_jobs(&folder.store).await?;
    }
    let counted = add_up(&folder.store).await;
    counted.context("the stored amounts cannot be added up")?;
    let records = Records::from(folder);
    let scheduled = rewrap::schedule(&records).await;
    scheduled.context("the walk through the data keys cannot be scheduled")?;
    let settings = config.plugin_store();
    let plugin_store = PluginStore::new(&settings, records.clone(), mode, Arc::new(Counted));
    let started = plugin_store.start().await;
    let plugins = started.map_err(|error| match error.downcast::<NoPlugins>() {
        Ok(none) => ConfigFaults::one(none).into(),
        Err(fault) => fault,
    })?;
    let plugins = plugins.clone();
    let own = HostParts {
        records,
        plugins,
        plugin_source: Arc::new(plugin_store.clone()),
        plugin_store,
        clock,
        base_url,
    };
    assemble(config, mode, own, ExternalServices::open(config)?)
}

/// Releases jobs that a crash cut short, so that they run now and not when
/// their lease ends: a signer may be waiting with the phone in hand.
pub(crate) async fn release_jobs(store: &Store) -> anyhow::Result<()> {
    for budget in LANES {
        let released = store
            .release_claims(budget.lane, budget.longest_lease())
            .await
            .context("the jobs that a crash cut short cannot be read")?;
        if released > 0 {
            tracing::info!(released, "jobs interrupted by a crash are resumed");
        }
    }
    Ok(())
}

/// Data and plugins of a host, independent of the storage engine.
#[derive(Clone)]
pub(crate) struct HostParts {
    pub(crate) records: Records,
    pub(crate) plugins: Arc<Registry>,
    /// Source of plugins that are not loaded.
    pub(crate) plugin_source: Arc<dyn PluginSource>,
    pub(crate) plugin_store: PluginStore,
    pub(crate) clock: Arc<dyn Clock>,
    /// Public base URL.
    pub(crate) base_url: Url,
}

/// Returns the proxies whose statement of the client address is trusted.
pub(crate) fn trusted_proxies(config: &Config) -> anyhow::Result<TrustedProxies> {
    Ok(TrustedProxies::parse(&config.server.trusted_proxies)?)
}
