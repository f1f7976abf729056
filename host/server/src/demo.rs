//! `serve --demo`: a demo world of this server or another host, with workspaces
//! and keys ready to use.

mod clock;
mod diligence_keys;
mod error;
mod file;
mod folder;
mod front;
mod relying_party;
mod rows;
mod settling;
mod store;
mod workspace;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use jiff::SignedDuration;
use parafa_demo::{
    Control, ControlError, RelyingParty, World, WorldClock, WorldConfig, WorldError,
};
use parafa_outbound::HostPort;
use parafa_store::{Clock, StoreMode, SystemClock};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use url::Url;

use self::clock::ServerClock;
pub(crate) use self::error::DemoError;
pub(crate) use self::file::DemoFile;
use self::file::WorldPart;
pub(crate) use self::folder::BACKED_UP;
use self::folder::WORLD;
pub(crate) use self::front::DemoFront;
pub(crate) use self::settling::{settle_joined_store, settle_own_store};
use self::store::SharedStore;
use self::workspace::Workspaces;
use crate::app::App;
use crate::config::{Attorney, Config, Mail, MobileId, Protection, SmartId};
use crate::startup;

/// Sender of the demo's mail.
const MAIL_FROM: &str = "parafa@example.com";
/// Name of the app for the world's cards; the demo's commands play it.
const CARD_APP: &str = "Parafa demo";
/// Reviewer of the demo's interpretation, in which nothing is real.
const REVIEWER: &str = "TARIAMA PERŽIŪRĖTOJA (demo)";
const SCHEME_NAME: &str = "smart-id-demo";
/// Time limit for the host with the world to answer, for a host that shares its
/// store.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// Demo world of a server.
pub(crate) struct Demo {
    world: WorldPart,
    clock: WorldClock,
    host: Host,
}

/// Process that runs the world.
enum Host {
    /// This process.
    Own(World),
    /// Another process; its clock is followed and its keys are valid here too.
    Other {
        following: JoinHandle<()>,
        workspaces: Workspaces,
        /// Base URL of links, if the store is shared.
        links: Option<Url>,
    },
}

/// Returns the mode of a data folder, judged by its files.
pub(crate) fn mode_of(data: &Path) -> StoreMode {
    if DemoFile::path(data).exists() {
        StoreMode::Demo
    } else {
        StoreMode::Production
    }
}

impl Demo {
    /// Starts the folder's own world, or finds it running, and points the
    /// configuration at it.
    ///
    /// # Errors
    /// A folder that joined another world, or [`DemoError::World`].
    pub(crate) async fn start(config: &mut Config) -> Result<Self, DemoError> {
        let data = &config.store.data;
        // Processes with other working directories read the paths in demo.json.
        let folder = std::path::absolute(data).unwrap_or_else(|_| data.clone());
        let folder = folder.join(WORLD);
        if DemoFile::path(data).exists() && !folder.exists() {
            return Err(DemoError::HasJoined(data.clone()));
        }
        let mut world_config = WorldConfig::new(folder);
        world_config.http_callbacks = true;
        let world = match World::start(world_config).await {
            // The folder may be a copy, with the world of the original still
            // running.
            Err(taken @ WorldError::AddressTaken { .. }) => {
                let Ok(kept) = DemoFile::read(&DemoFile::path(data)) else {
                    return Err(taken.into());
                };
                let lives = Self::live_in(config, kept).await;
                return lives.map_err(|_| taken.into());
            }
            started => started?,
        };
        let part = WorldPart::of(&world);
        point_at(config, &part)?;
        Ok(Self {
            world: part,
            clock: world.clock().clone(),
            host: Host::Own(world),
        })
    }

    /// Points the configuration at the world of another host, given its
    /// `demo.json`.
    ///
    /// # Errors
    /// A folder with a world of its own, a file that is not a `demo.json`, or a
    /// world that does not answer.
    pub(crate) async fn join(config: &mut Config, demo_json: &Path) -> Result<Self, DemoError> {
        let data = &config.store.data;
        if data.join(WORLD).exists() {
            return Err(DemoError::HasWorld(data.clone()));
        }
        Self::live_in(config, DemoFile::read(demo_json)?).await
    }

    /// Points the configuration at a running world.
    async fn live_in(config: &mut Config, joined: DemoFile) -> Result<Self, DemoError> {
        let control = Control::new(&joined.world.addresses.control)?;
        // Without a shared store, waiting for the world would not help.
        let patience = joined.store.as_ref().map_or(Duration::ZERO, |_| PATIENCE);
        let offset = offset(&control, patience).await?;
        let clock = WorldClock::new(Arc::new(parafa_demo::SystemClock), offset);
        point_at(config, &joined.world)?;
        let following = tokio::spawn({
            let clock = clock.clone();
            async move { control.follow(&clock).await }
        });
        Ok(Self {
            world: joined.world,
            clock,
            host: Host::Other {
                following,
                workspaces: joined.workspaces,
                links: joined.store.map(|store| store.base_url),
            },
        })
    }

    /// Returns the server's clock, which runs with `base` and is moved with the
    /// world's.
    pub(crate) fn clock(&self, base: Arc<dyn Clock>) -> Arc<dyn Clock> {
        Arc::new(ServerClock {
            base,
            world: self.clock.clone(),
        })
    }

    /// Returns the base URL of links at all hosts that share a store, if
    /// another host decides it.
    pub(crate) fn links(&self) -> Option<&Url> {
        match &self.host {
            Host::Own(_) => None,
            Host::Other { links, .. } => links.as_ref(),
        }
    }

    /// Writes `demo.json` and creates the workspaces that it names, unless they
    /// exist. Returns the demo's part of the front page.
    pub(crate) async fn move_in(
        &self,
        app: &App,
        config: &Config,
        base_url: &Url,
        operator_url: &str,
    ) -> anyhow::Result<DemoFront> {
        let path = DemoFile::path(&config.store.data);
        let workspaces = match &self.host {
            Host::Other { workspaces, .. } => workspaces.clone(),
            Host::Own(_) => match Workspaces::kept(&path)? {
                Some(kept) => kept,
                None => Workspaces::new()?,
            },
        };
        let file = DemoFile {
            base_url: base_url.as_str().trim_end_matches('/').to_owned(),
            operator_url: operator_url.to_owned(),
            workspaces,
            store: SharedStore::of(config, app.links.base_url()),
            world: self.world.clone(),
        };
        // In this order, a start that is cut short finds its keys again.
        file.write(&path)?;
        let made = file.workspaces.make(app).await;
        made.context("the demo workspaces cannot be made")?;
        tell(&file.workspaces, &path);
        let key = file.workspaces.signing.live().to_owned();
        Ok(DemoFront::new(&self.world, key))
    }

    /// Wakes the job runner whenever the world's clock was moved.
    pub(crate) fn wake_on_moves(&self, app: Arc<App>) {
        let mut moves = self.clock.moves();
        tokio::spawn(async move {
            while moves.changed().await.is_ok() && !app.stop.is_cancelled() {
                app.work.notify_one();
            }
        });
    }

    /// Shuts the world down, if this process runs it.
    pub(crate) async fn shutdown(self) {
        match self.host {
            Host::Own(world) => world.shutdown().await,
            Host::Other { following, .. } => following.abort(),
        }
    }
}

/// Returns the lead of the world's clock. Waits for an unavailable world.
async fn offset(control: &Control, patience: Duration) -> Result<SignedDuration, ControlError> {
    let until = Instant::now() + patience;
    loop {
        match control.clock().await {
            Err(error) if Instant::now() + PAUSE < until => {
                tracing::debug!(%error, "waiting for the demo world");
                tokio::time::sleep(PAUSE).await;
            }
            clock => return Ok(clock?.offset()),
        }
    }
}

/// Refuses a folder that does not belong to a demo, before anything is created
/// in it.
///
/// # Errors
/// Like [`startup::open_folder`].
pub(crate) async fn check_folder(config: &Config) -> anyhow::Result<()> {
    let data = &config.store.data;
    let is_known =
        config.store.is_shared() || DemoFile::path(data).exists() || data.join(WORLD).exists();
    if is_known || !data.join("store").exists() {
        return Ok(());
    }
    // A host that joined may have been stopped between creating the folder and
    // writing its file.
    let opened = startup::open_folder(config, StoreMode::Demo, Arc::new(SystemClock));
    opened.await.map(drop)
}

/// Prints the first steps for a person at a terminal. A log gets no key.
fn tell(workspaces: &Workspaces, path: &Path) {
    let mut err = io::stderr();
    if err.is_terminal() {
        // If standard error is closed, there is no reader.
        let _ = writeln!(err, "{}", workspaces.greeting(path));
    } else {
        tracing::info!(file = %path.display(), "demo keys, addresses and personas");
    }
}

/// Points the configuration at the world's services.
fn point_at(config: &mut Config, world: &WorldPart) -> Result<(), DemoError> {
    let smart_id = address(world.addresses.smart_id.trim_end_matches("/v3"))?;
    let tsa = address(&world.addresses.tsa)?;
    let relying_party = RelyingParty::smart_id();
    config.smart_id = Some(SmartId {
        base_url: smart_id,
        scheme_name: SCHEME_NAME.to_owned(),
        relying_party_name: relying_party.name,
        relying_party_uuid: relying_party.uuid,
        broker: false,
    });
    let relying_party = RelyingParty::mobile_id();
    config.mobile_id = Some(MobileId {
        base_url: address(&world.addresses.mobile_id)?,
        relying_party_name: relying_party.name,
        relying_party_uuid: relying_party.uuid,
    });
    config.card.enabled.get_or_insert(true);
    let app_name = &mut config.card.app_name;
    app_name.get_or_insert_with(|| CARD_APP.to_owned());
    config.timestamps.urls = vec![tsa];
    config.trust.folder = Some(world.trust.clone());
    let attorney = world.attorney.clone();
    config.attorney = attorney.map(|files| Attorney::of_files(files.key, files.certificate));
    // The world's certificates name its own responder, CRLs and issuers.
    let responder = HostPort::of(&address(&world.addresses.ocsp)?);
    let responder = responder.map(|responder| responder.to_string());
    config.trust.allow.extend(responder);
    let smtp = world.addresses.smtp;
    config.mail = Some(Mail {
        host: smtp.ip().to_string(),
        port: smtp.port(),
        protection: Protection::None,
        user: None,
        password_file: None,
        from: MAIL_FROM.to_owned(),
    });
    if config.diligence.open_data_url.is_none() {
        config.diligence.gateway_url = Some(address(&world.addresses.register)?);
        config.diligence.demo_token = Some(parafa_demo::REGISTER_TOKEN);
    }
    let reviewer = &mut config.diligence.interpretation_reviewed_by;
    reviewer.get_or_insert_with(|| REVIEWER.to_owned());
    let hooks = address(&world.addresses.hooks)?;
    let hooks = HostPort::of(&hooks).map(|receiver| receiver.to_string());
    config.outbound.allow.extend(hooks);
    Ok(())
}

fn address(text: &str) -> Result<Url, DemoError> {
    Url::parse(text).map_err(|source| DemoError::Address {
        address: text.to_owned(),
        source,
    })
}
