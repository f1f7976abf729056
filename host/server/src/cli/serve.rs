use std::io::{self, IsTerminal, Write};
use std::iter;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::middleware::from_fn_with_state;
use parafa_api_http::pages::{FrontPage, PublicPage, asset_routes};
use parafa_api_http::{Documentation, Neighbour};
use parafa_api_signing::{BaseUrl, HttpConfig, ProblemDocuments, RateLimiter, edge};
use parafa_operator::{BindError, Socket};
use parafa_platform::log_failure;
use parafa_store::{AcceptedLoss, Clock, EngineError, StoreError, StoreMode, SystemClock};
use parafa_traces::Exporter;
use tokio::net::{TcpListener, TcpSocket};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry};
use url::Url;

use super::error::CommandError;
use super::location::Location;
use super::parts::Parts;
use crate::app::App;
use crate::config::{Config, Telemetry};
use crate::demo::{self, Demo, DemoError, DemoFront};
use crate::health::Health;
use crate::json_log::WithSources;
use crate::log_filter::log_filter;
use crate::shared::{self, StoredAnswers, StoredBuckets};
use crate::startup::{ConfigFaults, Opening, Patience, Reached};
use crate::traces::SentTraces;
use crate::{jobs, operator, startup};
use parafa_api_mcp::model::Implementation;
use parafa_api_mcp::{DiligenceTools, McpConfig, described_tools};
use parafa_listener::{
    Connections, ListenerLimits, ListenerSettings, TracedBy, TrustedProxies, count_requests,
};

/// Time limit for open requests and job steps once the server is asked to stop.
/// Cutting them off costs only their caller: jobs are resumed when their lease
/// ends.
const DRAIN: Duration = Duration::from_secs(20);
/// Interval of the store's health check.
const LOOK_AT_STORE: Duration = Duration::from_secs(1);
/// Interval of the refresh of metrics.
const LOOK_AROUND: Duration = Duration::from_secs(60);
/// Interval after which unused certificates and keys are dropped from memory.
const FORGET_CERTIFICATES: Duration = Duration::from_secs(2 * 60);
/// Send buffer of a connection whose client does not read. By default, the
/// operating system buffers megabytes.
const SEND_BUFFER_BYTES: u32 = 256 * 1024;
/// Connections waiting to be accepted.
const BACKLOG: u32 = 1024;

/// Sink of spans and events: the log, or traces.
type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Arguments of `parafa serve`.
#[derive(Debug, clap::Args)]
pub(super) struct ServeArguments {
    #[command(flatten)]
    place: Location,
    /// Run the demo world beside the server, on loopback.
    #[arg(long)]
    demo: bool,
    /// Join the demo world of another host, with its keys; the file is in that host's
    /// data folder.
    #[arg(long, value_name = "DEMO.JSON", requires = "demo")]
    join: Option<PathBuf>,
    /// Address of the APIs and pages; port 0 picks a free one.
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Address of the status page, health and metrics; port 0 picks a free one.
    #[arg(long, value_name = "ADDR")]
    operator_listen: Option<SocketAddr>,
    /// Start although the store has lost records: those lost up to COMMIT, which the
    /// refusal names, or all. The log lists the loss; documents and keys of lost
    /// signings are removed a day later.
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, require_equals = true)]
    accept_loss: Option<Option<u64>>,
}

/// Runs the server until it is asked to stop.
pub(super) fn serve(arguments: &ServeArguments) -> Result<(), CommandError> {
    let mut config = arguments.place.load()?;
    if let Some(listen) = arguments.listen {
        config.server.listen = listen;
    }
    if let Some(listen) = arguments.operator_listen {
        config.server.operator_listen = listen;
    }
    let mode = if arguments.demo {
        StoreMode::Demo
    } else {
        StoreMode::Production
    };
    if let Some(joined) = &arguments.join {
        demo::settle_joined_store(&mut config, joined).map_err(refused)?;
    }
    startup::check(&config, mode)?;
    let spans = start_logging(&config.telemetry)?;
    rustls::crypto::aws_lc_rs::default_provider()
        .install_default()
        .map_err(|_| anyhow::anyhow!("a TLS provider is installed already"))?;
    let connections = Connections::claim();
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    runtime.block_on(async {
        let traces = match (&config.telemetry.traces_url, spans) {
            (Some(url), Some(spans)) => SentTraces::start(url, spans)?,
            _ => SentTraces::default(),
        };
        let ended = run(config, arguments, connections).await;
        traces.end().await;
        ended
    })
}

async fn run(
    mut config: Config,
    arguments: &ServeArguments,
    connections: Connections,
) -> Result<(), CommandError> {
    // Before anything slow, so that early commands get the answer that the
    // server is starting.
    let starting = socket(&config)?.put_off();
    let listener = listen("server.listen", config.server.listen)?;
    let operator_listener = listen("server.operator_listen", config.server.operator_listen)?;
    let address = listener
        .local_addr()
        .context("the listening address is unknown")?;
    let own_url = base_url(&config, address)?;
    let operator_address = operator_listener
        .local_addr()
        .context("the operator's address is unknown")?;
    tracing::info!(%operator_address, "health and metrics");
    startup::tell_first_start(&config);
    let demo = demo_world(&mut config, arguments).await?;
    let mode = match &demo {
        Some(_) => StoreMode::Demo,
        None => StoreMode::Production,
    };
    let mut patience = Patience::at_start();
    let reached = startup::reach_database(&config, mode, &mut patience).await?;
    let (database, clock): (_, Arc<dyn Clock>) = match reached {
        Some(Reached { database, clock }) => (Some(database), Arc::new(clock)),
        None => (None, Arc::new(SystemClock)),
    };
    let clock = match &demo {
        Some(demo) => demo.clock(clock),
        None => clock,
    };
    let links = demo.as_ref().and_then(Demo::links);
    let links = links.filter(|_| config.server.base_url.is_none());
    let base_url = links.unwrap_or(&own_url).clone();
    let accepted_loss = match arguments.accept_loss {
        None => AcceptedLoss::None,
        Some(None) => AcceptedLoss::Any,
        Some(Some(sequence)) => AcceptedLoss::UpTo(sequence),
    };
    let opening = Opening {
        base_url: base_url.clone(),
        mode,
        clock,
        accepted_loss,
        database,
    };
    let app = Arc::new(startup::open(&config, opening, patience).await?);
    app.look_after_the_attorneys_key();
    let mut front = None;
    if let Some(demo) = &demo {
        let operator_url = format!("http://{operator_address}");
        front = Some(demo.move_in(&app, &config, &own_url, &operator_url).await?);
        demo.wake_on_moves(app.clone());
    }

    let runner = Arc::new(jobs::runner(&app)?);
    let stop = app.stop.clone();
    let mut parts = Parts::default();
    parts.run("the job runner", runner.run(stop.clone()));
    let (plugins, stopped) = (app.plugin_store.clone(), stop.clone());
    let watched = app.clone();
    let upkeep = async move {
        tokio::select! {
            () = stopped.cancelled() => {}
            () = plugins.follow_changes() => {}
            () = forget_certificates() => {}
            () = look_around(&watched) => {}
        }
    };
    parts.run("the upkeep of plugins, certificates and numbers", upkeep);
    let operator = parafa_listener::serve(
        operator_listener,
        operator::router(app.clone(), accepted_loss == AcceptedLoss::Any),
        ListenerSettings {
            name: "operator",
            base_url: BaseUrl::new(&base_url),
            proxies: TrustedProxies::default(),
            limits: ListenerLimits::of(connections.operator),
        },
        stop.clone(),
    );
    parts.run("the operator's listener", operator);
    let router = public_router(&app, &config, mode, &base_url, front.as_ref()).await?;
    let public = parafa_listener::serve(
        listener,
        router,
        ListenerSettings {
            name: "public",
            base_url: BaseUrl::new(&base_url),
            proxies: startup::trusted_proxies(&config)?,
            limits: ListenerLimits::of(connections.public),
        },
        stop.clone(),
    );
    parts.run("the listener", public);
    let socket = starting.end().await?;
    let commands = socket.serve(app.operator_commands(), stop.clone());
    parts.run("the operator's socket", commands);
    // A reader of this line may ask the server to stop at once.
    let signal = stop_signal()?;
    announce(address)?;
    let ended = tokio::select! {
        () = signal => Ok(()),
        error = store_failure(&app) => Err(error).context("the store failed"),
        ended = parts.early_end() => Err(ended.into()),
    };
    tracing::info!("stopping: open requests and jobs are finished first");
    stop.cancel();
    match tokio::time::timeout(DRAIN, parts.ends()).await {
        Ok(drained) => drained.map_err(anyhow::Error::from)?,
        Err(_) => tracing::warn!("some requests or jobs did not finish in time"),
    }
    if let Some(demo) = demo {
        demo.shutdown().await;
    }
    Ok(ended?)
}

/// Binds the socket in the data folder, which makes this its only server.
fn socket(config: &Config) -> Result<Socket, CommandError> {
    match Socket::bind(&config.store.data) {
        Err(error @ BindError::InUse(_)) => Err(CommandError::Refused(error.to_string())),
        Err(error @ BindError::Io { .. }) => Err(ConfigFaults::one(format_args!(
            "store.data: {:#}",
            anyhow::Error::from(error)
        ))
        .into()),
        Ok(socket) => Ok(socket),
    }
}

/// Starts or joins the demo world, if requested.
async fn demo_world(
    config: &mut Config,
    arguments: &ServeArguments,
) -> Result<Option<Demo>, CommandError> {
    if !arguments.demo {
        return Ok(None);
    }
    demo::check_folder(config).await?;
    let demo = match &arguments.join {
        Some(demo_json) => Demo::join(config, demo_json).await,
        None => Demo::start(config).await,
    };
    match demo {
        Ok(demo) => Ok(Some(demo)),
        Err(error @ DemoError::World(_)) => Err(CommandError::Fault(error.into())),
        Err(error) => Err(refused(error)),
    }
}

fn refused(error: DemoError) -> CommandError {
    CommandError::Refused(format!("{:#}", anyhow::Error::from(error)))
}

/// Returns the public address: the configured one, or the listening address.
fn base_url(config: &Config, address: SocketAddr) -> anyhow::Result<Url> {
    match &config.server.base_url {
        Some(url) => Ok(url.clone()),
        None => Url::parse(&format!("http://{address}")).context("the base URL"),
    }
}

/// Returns when nothing can be stored any more, with the failure. An
/// unavailable database may come back and does not count.
async fn store_failure(app: &App) -> StoreError {
    loop {
        match app.records.store.health() {
            Ok(()) | Err(StoreError::Engine(EngineError::Unavailable { .. })) => {}
            Err(error) => return error,
        }
        tokio::time::sleep(LOOK_AT_STORE).await;
    }
}

/// Updates, every minute, the metrics of dependencies and expiring
/// certificates.
async fn look_around(app: &App) {
    let mut minutes = tokio::time::interval(LOOK_AROUND);
    loop {
        minutes.tick().await;
        app.watch.look();
        Health::of(app, false).await;
        // A host that has only one key follows too. Otherwise it would keep
        // wrapping by a key that another host has replaced, and lose that data
        // with it.
        if app.records.store.is_shared() {
            follow_master_key(app).await;
        }
    }
}

/// Switches this host to the master key that another host may have put the
/// store under.
async fn follow_master_key(app: &App) {
    let records = &app.records;
    if let Err(error) = records.store.follow_master_key(&records.master).await {
        log_failure(&error, "it is unknown which master key wraps new data keys");
    }
}

/// Drops unused certificates and keys from memory. They identify persons, and
/// must not outlive the erasure of what they signed. Each host has its own
/// memory, so no job can do it.
async fn forget_certificates() {
    loop {
        tokio::time::sleep(FORGET_CERTIFICATES).await;
        parafa_trust::forget_unused();
        parafa_plugin_host::forget_keys();
    }
}

async fn public_router(
    app: &App,
    config: &Config,
    mode: StoreMode,
    base_url: &Url,
    demo: Option<&DemoFront>,
) -> anyhow::Result<Router> {
    let base = BaseUrl::new(base_url);
    let limits = &config.limits;
    let mut http = HttpConfig::new(base.clone())
        .with_longest_bodies(limits.max_body_bytes, limits.max_batch_body_bytes);
    // All clones share these counters.
    http.rates = RateLimiter::new(limits.rates(mode));
    let store = &app.records.store;
    if store.is_shared() {
        http.rates = http.rates.shared(Arc::new(StoredBuckets(store.clone())));
    }
    let authentication = parafa_api_auth::router(Arc::new(app.auth_api()), http.clone());
    let diligence = parafa_api_diligence::router(Arc::new(app.diligence_api()), http.clone());
    let tools = DiligenceTools::new(
        Arc::new(app.diligence_api()),
        diligence.clone(),
        Implementation::new("parafa", env!("CARGO_PKG_VERSION")),
    );
    let mut tools = tools.await.context("the tools for agents")?;
    if store.is_shared() {
        let answers = StoredAnswers(shared::kept_answers(app.records.clone()));
        tools = tools.keeping_answers_in(Arc::new(answers));
    }
    let agents = McpConfig {
        http: http.clone(),
        origins: vec![base_url.origin().ascii_serialization()],
    };
    http.neighbours = vec![
        parafa_api_diligence::neighbour(),
        parafa_api_auth::neighbour(),
    ];
    let documentation = documentation(&base, &http.neighbours);
    let mut pages = app
        .ceremony_router()
        .merge(asset_routes())
        .merge(front(demo, &documentation.apis))
        .merge(documentation.routes());
    if let Some(demo) = demo {
        pages = pages.merge(demo.routes(app.signing_api()));
    }
    let counted = |traced_by: TracedBy| from_fn_with_state(traced_by, count_requests);
    let calls = parafa_api_signing::router(Arc::new(app.signing_api()), http)
        .merge(authentication)
        .merge(diligence)
        .merge(parafa_api_mcp::router(tools, agents))
        .layer(counted(TracedBy::Caller));
    let pages = edge(pages, ProblemDocuments::new(base)).layer(counted(TracedBy::Host));
    Ok(calls.merge(pages))
}

/// Returns the documentation of all APIs together.
fn documentation(base_url: &BaseUrl, neighbours: &[Neighbour]) -> Documentation {
    let mut apis = vec![parafa_api_signing::neighbour()];
    apis.extend_from_slice(neighbours);
    Documentation {
        base_url: base_url.clone(),
        apis,
        tools: described_tools(),
    }
}

/// Returns the front page of the service.
fn front(demo: Option<&DemoFront>, apis: &[Neighbour]) -> Router {
    let demo = demo.map(|demo| demo.world.clone());
    let apis = apis.to_vec();
    let page = FrontPage { apis, demo }.render();
    Router::new().route("/", PublicPage::new(page).route())
}

/// Listens at a configured address. An address that is in use or unavailable is
/// a fault of the configuration.
fn listen(setting: &str, address: SocketAddr) -> anyhow::Result<TcpListener> {
    const NOT_TO_BE_HAD: [io::ErrorKind; 3] = [
        io::ErrorKind::AddrInUse,
        io::ErrorKind::AddrNotAvailable,
        io::ErrorKind::PermissionDenied,
    ];
    match bind(address) {
        Err(error) if NOT_TO_BE_HAD.contains(&error.kind()) => {
            Err(ConfigFaults::one(format_args!(
                "{setting} {address} cannot be listened on: {error}: set another address, or stop the program that uses it"
            ))
            .into())
        }
        bound => bound.with_context(|| format!("{address} cannot be listened on")),
    }
}

/// Binds an address. Accepted connections inherit the send buffer of the
/// listener.
fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Prints the line that tells scripts that the server is ready.
fn announce(address: SocketAddr) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "listening on http://{address}").context("standard output")?;
    out.flush().context("standard output")
}

/// Registers the stop signals; the future resolves when one arrives, from this
/// call on.
fn stop_signal() -> anyhow::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT")?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Logs for people on a terminal, JSON lines otherwise; on standard error, so
/// that standard output is for programs. Gives the spans of traces, if they are to
/// be sent.
fn start_logging(telemetry: &Telemetry) -> anyhow::Result<Option<Exporter>> {
    let filter = log_filter(&telemetry.log)?;
    let log = tracing_subscriber::fmt::layer::<Registry>().with_writer(std::io::stderr);
    let log: BoxedLayer = if std::io::stderr().is_terminal() {
        Box::new(log.with_filter(filter))
    } else {
        let log = log.json().map_event_format(WithSources);
        Box::new(log.with_filter(filter))
    };
    let (traces, spans) = match telemetry.traces_url {
        Some(_) => {
            let (traces, spans) = parafa_traces::layer::<Registry>(telemetry.traces_share);
            (Some(Box::new(traces) as BoxedLayer), Some(spans))
        }
        None => (None, None),
    };
    let layers: Vec<BoxedLayer> = iter::once(log).chain(traces).collect();
    tracing_subscriber::registry().with(layers).init();
    Ok(spans)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpStream;
    use tokio::time::timeout;

    use super::*;

    const MOMENT: Duration = Duration::from_millis(200);
    /// More than both send and receive buffers hold, and less than the system's
    /// default.
    const MUCH: usize = 2 * 1024 * 1024;

    #[tokio::test]
    async fn the_system_keeps_little_of_an_answer_that_nobody_reads() {
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let deaf = TcpStream::connect(listener.local_addr().unwrap()).await;
        let (connection, _) = listener.accept().await.unwrap();

        let mut kept = 0;
        while timeout(MOMENT, connection.writable()).await.is_ok() {
            kept += connection.try_write(&[0; 64 * 1024]).unwrap_or(0);
        }

        assert!(kept < MUCH, "{kept}");
        drop(deaf);
    }
}
