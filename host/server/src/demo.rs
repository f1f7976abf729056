//! `serve --demo`: a demo world beside the server, or another host's, with
//! workspaces and keys that are ready to use.

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

/// Whom the demo's mail is from.
const MAIL_FROM: &str = "parafa@example.com";
/// The app of the world's cards, which its commands play.
const CARD_APP: &str = "Parafa demo";
/// Who has reviewed the demo's interpretation, in which nothing is real.
const REVIEWER: &str = "TARIAMA PERŽIŪRĖTOJA (demo)";
const SCHEME_NAME: &str = "smart-id-demo";
/// For how long a host that shares its store waits for the host with the world.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two tries.
const PAUSE: Duration = Duration::from_secs(1);

/// The demo world that a server lives in.
pub(crate) struct Demo {
    world: WorldPart,
    clock: WorldClock,
    host: Host,
}

/// Which process the world is in.
enum Host {
    /// This one.
    Own(World),
    /// Another one, whose clock is followed and whose keys hold here too.
    Other {
        following: JoinHandle<()>,
        workspaces: Workspaces,
        /// What links begin with, where the store is shared.
        links: Option<Url>,
    },
}

/// What a data folder is for, told by what lies in it.
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
        // Paths in demo.json are read in other folders than this process's.
        let folder = std::path::absolute(data).unwrap_or_else(|_| data.clone());
        let folder = folder.join(WORLD);
        if DemoFile::path(data).exists() && !folder.exists() {
            return Err(DemoError::HasJoined(data.clone()));
        }
        let mut world_config = WorldConfig::new(folder);
        world_config.http_callbacks = true;
        let world = match World::start(world_config).await {
            // The folder may be a copy, and the world that it was copied with may run.
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

    /// Points the configuration at the world of another host, whose
    /// `demo.json` this is.
    ///
    /// # Errors
    /// A folder with a world of its own, a file that is no `demo.json`, or a
    /// world that does not answer.
    pub(crate) async fn join(config: &mut Config, demo_json: &Path) -> Result<Self, DemoError> {
        let data = &config.store.data;
        if data.join(WORLD).exists() {
            return Err(DemoError::HasWorld(data.clone()));
        }
        Self::live_in(config, DemoFile::read(demo_json)?).await
    }

    /// Points the configuration at a world that runs.
    async fn live_in(config: &mut Config, joined: DemoFile) -> Result<Self, DemoError> {
        let control = Control::new(&joined.world.addresses.control)?;
        // Without a shared store there is nothing to go on with.
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

    /// The server's clock, which runs with `base` and is moved with the world's.
    pub(crate) fn clock(&self, base: Arc<dyn Clock>) -> Arc<dyn Clock> {
        Arc::new(ServerClock {
            base,
            world: self.clock.clone(),
        })
    }

    /// What links begin with at all hosts that share a store, where that is
    /// another one's to say.
    pub(crate) fn links(&self) -> Option<&Url> {
        match &self.host {
            Host::Own(_) => None,
            Host::Other { links, .. } => links.as_ref(),
        }
    }

    /// Writes `demo.json` and makes the workspaces that it names, unless they
    /// are there. Gives what the front page has of it.
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
        // In this order a start that is cut short finds its keys again.
        file.write(&path)?;
        let made = file.workspaces.make(app).await;
        made.context("the demo workspaces cannot be made")?;
        tell(&file.workspaces, &path);
        let key = file.workspaces.signing.live().to_owned();
        Ok(DemoFront::new(&self.world, key))
    }

    /// Has due jobs looked for whenever the world's clock was moved.
    pub(crate) fn wake_on_moves(&self, app: Arc<App>) {
        let mut moves = self.clock.moves();
        tokio::spawn(async move {
            while moves.changed().await.is_ok() && !app.stop.is_cancelled() {
                app.work.notify_one();
            }
        });
    }

    /// Ends the world, if it is this process's.
    pub(crate) async fn shutdown(self) {
        match self.host {
            Host::Own(world) => world.shutdown().await,
            Host::Other { following, .. } => following.abort(),
        }
    }
}

/// How far the world's clock is ahead. A world that is away is waited for.
async fn offset(control: &Control, patience: Duration) -> Result<SignedDuration, ControlError> {
    let until = Instant::now() + patience;
    loop {
        match control.clock().await {
            Err(error) if Instant::now() + PAUSE < until => {
                tracing::debug!(%error, "the demo world is waited for");
                tokio::time::sleep(PAUSE).await;
            }
            clock => return Ok(clock?.offset()),
        }
    }
}

/// Refuses a folder that is not a demo's, before anything is made in it.
///
/// # Errors
/// As [`startup::open_folder`].
pub(crate) async fn check_folder(config: &Config) -> anyhow::Result<()> {
    let data = &config.store.data;
    let is_known =
        config.store.is_shared() || DemoFile::path(data).exists() || data.join(WORLD).exists();
    if is_known || !data.join("store").exists() {
        return Ok(());
    }
    // A host that joined and was ended before it wrote its file may have made it.
    let opened = startup::open_folder(config, StoreMode::Demo, Arc::new(SystemClock));
    opened.await.map(drop)
}

/// Tells a person at a terminal what to begin with. A log gets no key.
fn tell(workspaces: &Workspaces, path: &Path) {
    let mut err = io::stderr();
    if err.is_terminal() {
        // Whoever closed standard error does not want to be told.
        let _ = writeln!(err, "{}", workspaces.greeting(path));
    } else {
        tracing::info!(file = %path.display(), "demo keys, addresses and personas");
    }
}

/// Makes the world's services the server's.
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
    // The world's certificates name its own responder, lists and issuers.
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
