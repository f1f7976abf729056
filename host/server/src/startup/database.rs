//! Database shared by hosts.

use std::env;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use parafa_store::postgres::{Database, DatabaseClock, DatabaseError, DatabaseOptions, Obstacle};
use parafa_store::shared::{self, Objects, ObjectsError, SharedOptions};
use parafa_store::{Clock, Folder, FolderError, KeyError, MasterKey, StoreMode};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use super::master_key::{NoMasterKeyFile, master_key_file};
use super::patience::Patience;
use crate::config::Config;

/// Advice on the master key of hosts that share a database.
pub(super) const ONE_KEY_FOR_ALL: &str = "hosts that share a database need one common key, and no host creates it: write a key to a file (openssl rand -hex 32, mode 0600), give the same to every host, and keep a copy elsewhere";

/// Database that cannot be used: the setting, the reason and the remedy.
#[derive(Debug, thiserror::Error)]
#[error("store.url: {}", told(.0))]
pub(crate) struct NoDatabase(#[from] DatabaseError);

/// Database without a store.
#[derive(Debug, thiserror::Error)]
#[error(
    "store.url: there is no store in this database: name the one that the hosts use, or let `parafa serve` make it"
)]
pub(crate) struct NoStore;

/// A database that has answered.
pub(crate) struct Reached {
    pub(crate) database: Database,
    pub(crate) clock: DatabaseClock,
}

fn told(error: &DatabaseError) -> String {
    match error.obstacle() {
        Obstacle::Refused | Obstacle::Other => error.to_string(),
        Obstacle::Login => {
            format!("the database refuses this user: {error}: set another user or password")
        }
        Obstacle::UnknownDatabase => format!(
            "there is no such database on the server: {error}: create it (CREATE DATABASE … ENCODING 'UTF8'), or name another"
        ),
        Obstacle::NoTls => format!(
            "the server has no encryption, so others on the network may read the password and all rows: {error}: turn on ssl there, or write sslmode=disable into store.url if the network is trusted"
        ),
        Obstacle::Certificate => format!(
            "the server's certificate is not accepted: {error}: it must be for the host in store.url, and chain to a root of store.root_certificates or, without that setting, of the platform"
        ),
        Obstacle::StandbysAlone => {
            "only a standby answers, and it accepts no writes: promote one, or name the primary"
                .to_owned()
        }
        Obstacle::NoAnswer => {
            format!("no database answers: {error}: check that it runs and can be reached from here")
        }
    }
}

/// Returns the connection options of the configured database; `None` for the
/// embedded store.
///
/// # Errors
/// Missing or unreadable settings.
pub(crate) fn options(config: &Config) -> anyhow::Result<Option<DatabaseOptions>> {
    let store = &config.store;
    let Some(url) = store.url.as_ref().filter(|_| store.is_shared()) else {
        return Ok(None);
    };
    let options = DatabaseOptions {
        url: url.reveal().to_owned(),
        connections: store.connections,
        tls: tls(store.root_certificates.as_deref())?,
    };
    options.check()?;
    Ok(Some(options))
}

/// Returns the TLS settings that verify the database's certificate.
fn tls(roots: Option<&Path>) -> anyhow::Result<ClientConfig> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone());
    let builder = builder.with_safe_default_protocol_versions()?;
    let builder = match roots {
        Some(file) => builder.with_root_certificates(read_roots(file)?),
        None => match Verifier::new(provider) {
            Ok(verifier) => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(verifier)),
            // A machine without root certificates trusts no certificate.
            Err(_) => builder.with_root_certificates(RootCertStore::empty()),
        },
    };
    Ok(builder.with_no_client_auth())
}

fn read_roots(file: &Path) -> anyhow::Result<RootCertStore> {
    let named = || format!("store.root_certificates {}", file.display());
    let text = fs::read(file).with_context(|| format!("{} cannot be read", named()))?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.with_context(|| format!("{} is no PEM", named()))?;
        let added = roots.add(certificate);
        added.with_context(|| format!("{} contains a certificate that is not a root", named()))?;
    }
    if roots.is_empty() {
        bail!(
            "{} holds no certificate: put the roots there, as PEM",
            named()
        );
    }
    Ok(roots)
}

/// Connects to the database, if one is configured, and retries until the
/// patience is used up. A demo creates the master key for an empty database.
///
/// # Errors
/// [`NoDatabase`].
pub(crate) async fn reach(
    config: &Config,
    mode: StoreMode,
    patience: &mut Patience,
) -> anyhow::Result<Option<Reached>> {
    let Some(options) = options(config)? else {
        return Ok(None);
    };
    loop {
        match open_once(&options, config, mode).await? {
            Ok(reached) => return Ok(Some(reached)),
            Err(error) if error.obstacle().may_pass() && patience.lasts(&error).await => {}
            Err(error) => return Err(NoDatabase(error).into()),
        }
    }
}

/// Refuses a database without a store; creates nothing in it.
///
/// # Errors
/// [`NoDatabase`], [`NoStore`].
pub(super) async fn refuse_empty(options: &DatabaseOptions) -> anyhow::Result<()> {
    let look = Database::look_at(options).await.map_err(NoDatabase)?;
    match look.content.holds_store() {
        true => Ok(()),
        false => Err(NoStore.into()),
    }
}

async fn open_once(
    options: &DatabaseOptions,
    config: &Config,
    mode: StoreMode,
) -> anyhow::Result<Result<Reached, DatabaseError>> {
    if mode == StoreMode::Demo {
        match Database::look_at(options).await {
            Ok(look) if look.schema.is_none() => make_master_key(config)?,
            Ok(_) => {}
            Err(error) => return Ok(Err(error)),
        }
    }
    let reached = async {
        let database = Database::open(options).await?;
        let clock = database.clock().await?;
        Ok(Reached { database, clock })
    };
    Ok(reached.await)
}

/// Creates the demo's master key, unless it exists.
fn make_master_key(config: &Config) -> anyhow::Result<()> {
    let path = master_key_file(config, StoreMode::Demo).ok_or(NoMasterKeyFile)?;
    if !path.exists() {
        MasterKey::create(&path).context("secrets.master_key_file")?;
    }
    Ok(())
}

/// Returns the object store of the documents; `None` if they are in the
/// database.
///
/// # Errors
/// A URL that names no object store, or one whose credentials are missing from
/// the environment.
pub(crate) fn objects(config: &Config) -> Result<Option<Objects>, ObjectsError> {
    let url = config.objects.url.as_deref();
    // Other variables than those of an object store may contain anything.
    let variables = env::vars_os();
    let variables = variables
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    url.map(|url| Objects::parse(url, variables)).transpose()
}

/// Opens the data that hosts share.
///
/// # Errors
/// A database of the other kind of server, under another key, or unavailable.
pub(super) async fn open_shared(
    config: &Config,
    mode: StoreMode,
    database: Database,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<Folder> {
    let master = master_key(config, mode)?;
    let opened = shared::open(shared_options(config, mode, master, database, clock)?).await;
    opened.context("the store in the database cannot be opened")
}

/// Loads the master key, which all hosts have.
fn master_key(config: &Config, mode: StoreMode) -> anyhow::Result<MasterKey> {
    let path = master_key_file(config, mode).ok_or(NoMasterKeyFile)?;
    let others = &config.secrets.other_master_key_files;
    MasterKey::load_with(&path, others).map_err(|error| match error {
        KeyError::MasterMissing { .. } => {
            anyhow!(FolderError::from(error)).context(ONE_KEY_FOR_ALL)
        }
        error => anyhow!(FolderError::from(error)),
    })
}

fn shared_options(
    config: &Config,
    mode: StoreMode,
    master: MasterKey,
    database: Database,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<SharedOptions> {
    Ok(SharedOptions {
        database,
        committers: config.store.committers,
        clock,
        master: Arc::new(master),
        mode,
        objects: objects(config)?,
    })
}

/// Returns the target of a restore, if a database is configured.
///
/// # Errors
/// [`NoDatabase`]; a missing master key.
pub(crate) async fn restore_target(
    config: &Config,
    mode: StoreMode,
) -> anyhow::Result<Option<SharedOptions>> {
    if !config.store.is_shared() {
        return Ok(None);
    }
    // First, because a demo creates a missing key, and this must be the
    // backup's.
    let master = master_key(config, mode)?;
    let Some(reached) = reach(config, mode, &mut Patience::none()).await? else {
        return Ok(None);
    };
    let Reached { database, clock } = reached;
    shared_options(config, mode, master, database, Arc::new(clock)).map(Some)
}

#[cfg(test)]
mod tests;
