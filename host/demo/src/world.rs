use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::{Router, middleware};
use serde::{Deserialize, Serialize};
use tokio::{net::TcpListener, task::JoinHandle};

use crate::{
    attorney::{self, AttorneyFiles},
    cards::Cards,
    clock::{DemoClock, WorldClock},
    control::{self, Controlled},
    error::WorldError,
    fault::{self, FaultPlan},
    folder::Folder,
    hooks,
    journal::{self, Journal},
    mail::{self, Mailbox},
    mobile_id::{MobileId, MobileIdSwitches},
    ocsp,
    persona::Persona,
    pki::{Pki, Urls},
    random, register,
    relying_party::RelyingParty,
    repository,
    service::Service,
    shutdown::{Shutdown, ShutdownHandle, shutdown},
    smart_id::{SmartId, SmartIdSwitches},
    trust,
    tsa::{Tsa, TsaSwitches},
    world_config::WorldConfig,
};

/// Ports below those that Linux uses for outgoing connections, so that a world's port is free again
/// after a restart. Worlds use the even ones, their mail servers the odd ones.
const PORTS: std::ops::Range<u16> = 20_000..32_000;
const PORT_TRIES: usize = 32;
/// Time limit of open connections when the world ends.
const DRAIN: Duration = Duration::from_secs(2);

/// Base addresses of the services, without a slash at the end.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Addresses {
    /// Smart-ID relying-party API; the paths of version 3 follow.
    pub smart_id: String,
    /// Mobile-ID REST API.
    pub mobile_id: String,
    /// Identity cards, as apps reach them.
    pub cards: String,
    /// URL for time-stamp requests.
    pub tsa: String,
    /// URL for OCSP requests, for every authority of the world.
    pub ocsp: String,
    /// The gateway to the synthetic register; the paths of version 1 follow.
    pub register: String,
    /// The world's remote control.
    pub control: String,
    /// URL of the page that shows the letters.
    pub mail: String,
    /// Host and port of the mail server.
    pub smtp: SocketAddr,
    /// URL under which any name accepts webhooks.
    pub hooks: String,
}

/// A running demo world.
pub struct World {
    addresses: Addresses,
    clock: WorldClock,
    personas: Vec<Persona>,
    roots: Vec<PathBuf>,
    trust_folder: PathBuf,
    attorney: AttorneyFiles,
    faults: Faults,
    smart_id_switches: SmartIdSwitches,
    mobile_id_switches: MobileIdSwitches,
    tsa_switches: TsaSwitches,
    shutdown: ShutdownHandle,
    server: JoinHandle<io::Result<()>>,
}

#[derive(Default)]
struct Faults {
    smart_id: FaultPlan,
    mobile_id: FaultPlan,
    tsa: FaultPlan,
    ocsp: FaultPlan,
    repository: FaultPlan,
    register: FaultPlan,
}

impl Faults {
    fn of(&self, service: Service) -> &FaultPlan {
        match service {
            Service::SmartId => &self.smart_id,
            Service::MobileId => &self.mobile_id,
            Service::Tsa => &self.tsa,
            Service::Ocsp => &self.ocsp,
            Service::Repository => &self.repository,
            Service::Register => &self.register,
        }
    }

    fn all(&self) -> Vec<(Service, FaultPlan)> {
        [
            Service::SmartId,
            Service::MobileId,
            Service::Tsa,
            Service::Ocsp,
            Service::Repository,
            Service::Register,
        ]
        .into_iter()
        .map(|service| (service, self.of(service).clone()))
        .collect()
    }
}

impl World {
    /// Opens or makes the world of a folder and serves it until [`World::shutdown`] or the end of
    /// the runtime.
    ///
    /// # Errors
    /// The folder is not a world's, a file is damaged, or the address is in use.
    pub async fn start(config: WorldConfig) -> Result<Self, WorldError> {
        let folder = Folder::open(&config.folder)?;
        let listener = listen(&folder, &config).await?;
        let address = local_address(&listener, config.bind)?;
        folder.mark(address)?;
        let base = format!("http://{address}");
        let (handle, shutdown) = shutdown();
        let tsa_switches = TsaSwitches::default();
        let clock = WorldClock::new(config.clock.clone(), folder.offset()?);
        let journal = Journal::new(clock.clone());

        let opening = tokio::task::spawn_blocking({
            let opening = Opening {
                folder: folder.clone(),
                config: config.clone(),
                base: base.clone(),
                clock: clock.clone(),
                journal: journal.clone(),
                tsa_switches: tsa_switches.clone(),
                shutdown: shutdown.clone(),
            };
            move || Services::open(opening)
        });
        let services = match opening.await {
            Ok(services) => services?,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        };

        let faults = Faults::default();
        let personas = services.personas();
        let mobile_id_switches = services.mobile_id.switches().clone();
        let smart_id_switches = services.smart_id.switches().clone();
        let (roots, trust_folder) = (services.roots.clone(), services.trust_folder.clone());
        let attorney = services.attorney.clone();
        let mailbox = Mailbox::new(clock.clone());
        let smtp_listener = listen_for_mail(address).await?;
        let smtp = local_address(&smtp_listener, address)?;
        tokio::spawn(mail::serve(
            smtp_listener,
            mailbox.clone(),
            shutdown.clone(),
        ));
        let cards = services.cards.clone();
        let mut router = services
            .router(&faults, &journal, &shutdown)
            .merge(mailbox.router())
            .merge(hooks::router(clock.clone()));
        if address.ip().is_loopback() {
            router = router.merge(cards.router());
            router = router.merge(control::router(Controlled {
                clock: clock.clone(),
                folder,
                faults: faults.all(),
                journal,
                shutdown: shutdown.clone(),
            }));
        }
        let server = tokio::spawn(async move {
            axum::serve(listener, router)
                .with_graceful_shutdown(async move { shutdown.begun().await })
                .await
        });
        Ok(Self {
            addresses: Addresses {
                smart_id: format!("{base}/smart-id-rp/v3"),
                mobile_id: format!("{base}/mid-api"),
                cards: format!("{base}/cards"),
                tsa: format!("{base}/tsa"),
                ocsp: format!("{base}/ocsp"),
                register: format!("{base}/register"),
                control: format!("{base}/control"),
                mail: format!("{base}/mail"),
                smtp,
                hooks: format!("{base}/hooks"),
            },
            clock,
            personas,
            roots,
            trust_folder,
            attorney,
            faults,
            smart_id_switches,
            mobile_id_switches,
            tsa_switches,
            shutdown: handle,
            server,
        })
    }

    /// URLs of the services.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// Relying party of the world's Smart-ID service.
    pub fn smart_id_party(&self) -> RelyingParty {
        RelyingParty::smart_id()
    }

    /// Relying party of its Mobile-ID service.
    pub fn mobile_id_party(&self) -> RelyingParty {
        RelyingParty::mobile_id()
    }

    /// All persons who can be asked to sign; the first one signs with Smart-ID.
    pub fn personas(&self) -> &[Persona] {
        &self.personas
    }

    /// PEM files with the self-signed certificates that all trust rests on.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// A folder of trust anchors as the host's trust loader reads it.
    pub fn trust_folder(&self) -> &Path {
        &self.trust_folder
    }

    /// The key and the certificate of the attorney.
    pub fn attorney(&self) -> &AttorneyFiles {
        &self.attorney
    }

    /// Planned faults of a service.
    pub fn faults(&self, service: Service) -> &FaultPlan {
        self.faults.of(service)
    }

    /// Clock of the whole world.
    pub fn clock(&self) -> &WorldClock {
        &self.clock
    }

    /// Settings of the Smart-ID service.
    pub fn smart_id_switches(&self) -> &SmartIdSwitches {
        &self.smart_id_switches
    }

    /// Settings of the Mobile-ID service.
    pub fn mobile_id_switches(&self) -> &MobileIdSwitches {
        &self.mobile_id_switches
    }

    /// Settings of the time-stamping authority.
    pub fn tsa_switches(&self) -> &TsaSwitches {
        &self.tsa_switches
    }

    /// Ends the world: waiting requests are answered, connections closed.
    pub async fn shutdown(self) {
        self.shutdown.begin();
        let abort = self.server.abort_handle();
        if tokio::time::timeout(DRAIN, self.server).await.is_err() {
            abort.abort();
        }
    }
}

/// Input for opening services.
struct Opening {
    folder: Folder,
    config: WorldConfig,
    base: String,
    clock: WorldClock,
    journal: Journal,
    tsa_switches: TsaSwitches,
    shutdown: Shutdown,
}

/// All services, before they listen.
struct Services {
    pki: Arc<Pki>,
    clock: Arc<dyn DemoClock>,
    smart_id: SmartId,
    mobile_id: MobileId,
    cards: Cards,
    tsa: Tsa,
    roots: Vec<PathBuf>,
    trust_folder: PathBuf,
    attorney: AttorneyFiles,
}

impl Services {
    fn open(opening: Opening) -> Result<Self, WorldError> {
        let Opening {
            folder,
            config,
            base,
            clock,
            journal,
            tsa_switches,
            shutdown,
        } = opening;
        let folder = &folder;
        let pki = Arc::new(Pki::open(folder, &Urls::new(&base), config.clock.now())?);
        let smart_id = SmartId::open(
            folder,
            pki.clone(),
            &base,
            &config,
            clock.clone(),
            journal.clone(),
            shutdown.clone(),
        )?;
        let mobile_id = MobileId::open(
            folder,
            pki.clone(),
            &config,
            clock.clone(),
            journal,
            shutdown,
        )?;
        let cards = Cards::open(folder, pki.clone(), config.clock.clone())?;
        let attorney = attorney::enrol(folder, &pki, &*config.clock)?;
        let clock: Arc<dyn DemoClock> = Arc::new(clock);
        let tsa = Tsa::open(folder, &pki, clock.clone(), tsa_switches)?;
        let trust_folder = trust::write(folder, &pki)?;
        Ok(Self {
            roots: Pki::root_files(folder),
            pki,
            clock,
            smart_id,
            mobile_id,
            cards,
            tsa,
            trust_folder,
            attorney,
        })
    }

    /// Smart-ID's personas, then Mobile-ID's and those with cards.
    fn personas(&self) -> Vec<Persona> {
        let mut personas = self.smart_id.personas();
        personas.extend(self.mobile_id.personas());
        personas.extend(self.cards.personas());
        personas
    }

    fn router(self, faults: &Faults, journal: &Journal, shutdown: &Shutdown) -> Router {
        let watched = |service: Service, router: Router| {
            let plan = (faults.of(service).clone(), shutdown.clone());
            router
                .layer(middleware::from_fn_with_state(plan, fault::inject))
                .layer(middleware::from_fn_with_state(
                    (journal.clone(), service),
                    journal::keep,
                ))
        };
        let (smart_id, phone) = self.smart_id.routers();
        let ocsp = ocsp::router(self.pki.clone(), self.clock.clone());
        let register = register::router(self.clock.clone(), shutdown.clone());
        let repository = repository::router(self.pki, self.clock);
        Router::new()
            .merge(watched(Service::SmartId, smart_id))
            .merge(watched(Service::MobileId, self.mobile_id.router()))
            .merge(phone)
            .merge(watched(Service::Tsa, self.tsa.router()))
            .merge(watched(Service::Ocsp, ocsp))
            .merge(watched(Service::Repository, repository))
            .merge(watched(Service::Register, register))
    }
}

/// Listens on the address in the certificates, or on a new one at the first start.
async fn listen(folder: &Folder, config: &WorldConfig) -> Result<TcpListener, WorldError> {
    let asked = config.bind;
    if let Some(address) = folder.address()? {
        let same = asked.ip() == address.ip() && [0, address.port()].contains(&asked.port());
        if !same {
            return Err(WorldError::AddressChanged {
                persisted: address,
                asked,
            });
        }
        return TcpListener::bind(address)
            .await
            .map_err(|source| WorldError::AddressTaken {
                address,
                folder: config.folder.clone(),
                source,
            });
    }
    if asked.port() == 0 {
        for _ in 0..PORT_TRIES {
            let pair = random::below(u32::from(PORTS.end - PORTS.start) / 2);
            let port = u16::try_from(2 * pair).map_or(PORTS.start, |offset| PORTS.start + offset);
            if let Ok(listener) = TcpListener::bind((asked.ip(), port)).await {
                return Ok(listener);
            }
        }
    }
    TcpListener::bind(asked)
        .await
        .map_err(|source| WorldError::Listen {
            address: asked,
            source,
        })
}

/// The port after the world's own if it is free, so that it stays the same across restarts.
async fn listen_for_mail(world: SocketAddr) -> Result<TcpListener, WorldError> {
    if let Some(port) = world.port().checked_add(1)
        && let Ok(listener) = TcpListener::bind((world.ip(), port)).await
    {
        return Ok(listener);
    }
    let address = SocketAddr::new(world.ip(), 0);
    TcpListener::bind(address)
        .await
        .map_err(|source| WorldError::Listen { address, source })
}

fn local_address(listener: &TcpListener, asked: SocketAddr) -> Result<SocketAddr, WorldError> {
    listener.local_addr().map_err(|source| WorldError::Listen {
        address: asked,
        source,
    })
}
