//! A private object store that speaks the protocol of Amazon S3, in this process.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use hyper::body::Incoming;
use hyper::header::IF_NONE_MATCH;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub use self::faults::{Fault, Step};
use self::faults::{Faults, refusal};

mod faults;

/// The bucket that it has.
const BUCKET: &str = "documents";
/// The credentials of its user.
const ACCESS_KEY: &str = "parafa";
const SECRET_KEY: &str = "parafa-secret";

/// The behaviour of an object store.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub enum Behaviour {
    /// Handles requests correctly.
    Well,
    /// Answers every request with 503.
    Overloaded,
    /// Closes every connection without an answer.
    Away,
    /// Ignores conditions.
    Unconditional,
    /// Answers conditional requests with 501.
    WithoutConditions,
}

/// A running object store with a folder of its own.
#[derive(Debug)]
pub struct S3 {
    folder: TempDir,
    address: SocketAddr,
    state: Arc<State>,
    /// Dropped, it ends the server.
    _stop: oneshot::Sender<()>,
}

#[derive(Debug)]
struct State {
    folder: PathBuf,
    behaviour: AtomicU8,
    faults: Faults,
    requests: AtomicU64,
}

impl S3 {
    /// Starts a store. Blocks until it accepts connections.
    ///
    /// # Panics
    /// When no folder can be made or no port is free.
    #[must_use]
    pub fn start() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("parafa-s3-")
            .tempdir()
            .expect("a temporary folder");
        fs::create_dir(folder.path().join(BUCKET)).expect("a bucket");
        let objects = FileSystem::new(folder.path()).expect("its folder");
        let mut service = S3ServiceBuilder::new(objects);
        service.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let service = service.build();
        let state = Arc::new(State {
            folder: folder.path().to_owned(),
            behaviour: AtomicU8::new(Behaviour::Well as u8),
            faults: Faults::default(),
            requests: AtomicU64::new(0),
        });
        let (listening, listens) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let shared = state.clone();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build();
            runtime.expect("a runtime").block_on(async {
                let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
                let address = listener.local_addr().expect("its address");
                listening.send(address).expect("somebody waits for it");
                tokio::select! {
                    () = serve(listener, service, shared) => {}
                    _ = stopped => {}
                }
            });
        });
        Self {
            folder,
            address: listens.recv().expect("it listens"),
            state,
            _stop: stop,
        }
    }

    /// Returns the URL of its bucket, for `objects.url`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("s3://{BUCKET}")
    }

    /// Returns the environment variables of its users.
    #[must_use]
    pub fn variables(&self) -> Vec<(String, String)> {
        [
            ("AWS_ENDPOINT_URL", format!("http://{}", self.address)),
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", SECRET_KEY.to_owned()),
            ("AWS_REGION", "eu-north-1".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }

    /// Returns its address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Behaves so from now on, on open connections too.
    pub fn behave(&self, behaviour: Behaviour) {
        let state = &self.state.behaviour;
        state.store(behaviour as u8, Ordering::SeqCst);
    }

    /// Has one request suffer a fault: the first to which it applies. Faults of the same request
    /// apply one after the other.
    pub fn spoil(&self, fault: Fault) {
        self.spoil_at(Step::Any, fault);
    }

    /// Has a certain request suffer a fault.
    pub fn spoil_at(&self, step: Step, fault: Fault) {
        self.state.faults.push(step, fault);
    }

    /// Returns the number of faults that have not occurred.
    #[must_use]
    pub fn faults_to_come(&self) -> usize {
        self.state.faults.count()
    }

    /// Returns the number of requests.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.state.requests.load(Ordering::SeqCst)
    }

    /// Returns the file in which it keeps an object.
    #[must_use]
    pub fn file_of(&self, object: &str) -> PathBuf {
        self.folder.path().join(BUCKET).join(object)
    }
}

async fn serve(listener: TcpListener, service: S3Service, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (service, state) = (service.clone(), state.clone());
        tokio::spawn(async move {
            let answer = service_fn(|request| answer(&service, &state, request));
            // The connection of a client that hangs up ends with an error.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), answer)
                .await;
        });
    }
}

/// The reason to close a connection.
#[derive(Debug, thiserror::Error)]
#[error("the connection is closed")]
struct Closed;

async fn answer(
    service: &S3Service,
    state: &State,
    request: Request<Incoming>,
) -> Result<Response<s3s::Body>, Closed> {
    state.requests.fetch_add(1, Ordering::SeqCst);
    let behaviour = state.behaviour.load(Ordering::SeqCst);
    if behaviour == Behaviour::Away as u8 {
        return Err(Closed);
    }
    if behaviour == Behaviour::Overloaded as u8 {
        return Ok(refusal(StatusCode::SERVICE_UNAVAILABLE));
    }
    if let Some(fault) = state.faults.take(&request) {
        return fault.answer(service.clone(), request).await;
    }
    let has_condition = request.headers().contains_key(IF_NONE_MATCH);
    if has_condition && behaviour == Behaviour::WithoutConditions as u8 {
        return Ok(refusal(StatusCode::NOT_IMPLEMENTED));
    }
    if has_condition && behaviour == Behaviour::Unconditional as u8 {
        // The condition is signed and cannot be removed; without the object, it always holds.
        let object = request.uri().path().trim_start_matches('/');
        let _ = fs::remove_file(state.folder.join(object));
    }
    let answer = service.call(request.map(s3s::Body::from)).await;
    answer.map_err(|_| Closed)
}
