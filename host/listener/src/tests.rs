//! Clients of a listener, well and badly behaved.

use axum::extract::ConnectInfo;
use axum::routing::{get, post};
use serde_json::Value;
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;
use url::Url;

use super::heads::Framing;
use super::refusals::Refusals;
use super::*;

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const GET_LAST: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
/// A request that is never answered.
const WAIT: &[u8] = b"GET /wait HTTP/1.1\r\nhost: a\r\n\r\n";

/// Settings of a listener behind these proxies.
pub(crate) fn settings(limits: ListenerLimits, proxies: &[&str]) -> ListenerSettings {
    let proxies: Vec<String> = proxies.iter().map(ToString::to_string).collect();
    ListenerSettings {
        name: "test",
        base_url: BaseUrl::new(&Url::parse("https://sign.example").unwrap()),
        proxies: TrustedProxies::parse(&proxies).unwrap(),
        limits,
    }
}

struct Server {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Server {
    async fn start(limits: ListenerLimits) -> Self {
        Self::behind(limits, &[]).await
    }

    async fn behind(limits: ListenerLimits, proxies: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let who =
            |ConnectInfo(client): ConnectInfo<SocketAddr>| async move { client.ip().to_string() };
        let router = Router::new()
            .route("/", get(|| async { "here" }))
            .route("/wait", get(std::future::pending::<String>))
            .route("/long", get(|| async { "x".repeat(64 * 1024 * 1024) }))
            .route("/echo", post(|body: String| async { body }))
            .route("/who", get(who));
        let stop = CancellationToken::new();
        let settings = settings(limits, proxies);
        let task = tokio::spawn(serve(listener, router, settings, stop.clone()));
        Self {
            address,
            stop,
            task,
        }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("connects")
    }

    /// A connection that has sent these bytes.
    async fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = self.connect().await;
        stream.write_all(bytes).await.expect("writes");
        stream
    }

    /// The whole answer to these bytes.
    async fn tell(&self, bytes: &[u8]) -> String {
        rest(&mut self.send(bytes).await).await
    }

    /// A connection that carries a request for as long as it is there.
    async fn busy(&self) -> TcpStream {
        let mut stream = self.send(&[GET, WAIT].concat()).await;
        let mut answer = Vec::new();
        while !answer.ends_with(b"here") {
            stream.read_buf(&mut answer).await.expect("an answer");
        }
        stream
    }
}

/// Everything the server sends until it closes the connection.
async fn rest(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.expect("an answer");
    text
}

/// The problem document of an answer, which is the last one of its connection.
fn problem(answer: &str, status: u16, name: &str) -> Value {
    let (head, body) = answer.split_once("\r\n\r\n").expect(answer);
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    let head = head.to_lowercase();
    for line in [
        "content-type: application/problem+json".to_owned(),
        "connection: close".to_owned(),
        format!("content-length: {}", body.len()),
    ] {
        assert!(head.lines().any(|other| other == line), "{line}: {answer}");
    }
    let problem: Value = serde_json::from_str(body).expect(answer);
    assert_eq!(problem["status"], status);
    let name = format!("https://sign.example/problems/{name}");
    assert_eq!(problem["type"], name.as_str());
    problem
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_ends_its_header_is_hung_up_on() {
    let server = Server::start(ListenerLimits::of(10)).await;

    let text = server.tell(b"GET / HTTP/1.1\r\nhost: a\r\nx-slow: ").await;

    assert!(!text.contains("here"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_closed_after_its_answer() {
    let server = Server::start(ListenerLimits::of(10)).await;

    let text = server.tell(GET).await;

    assert!(text.ends_with("here"), "{text}");
}

#[tokio::test]
async fn a_connection_over_the_limit_gets_the_place_of_an_idle_one() {
    let server = Server::start(ListenerLimits::of(1)).await;
    let mut idle = server.send(b"GET / HTTP/1.1\r\nhost: a\r\nx-slow: ").await;

    let text = server.tell(GET_LAST).await;

    assert!(text.ends_with("here"), "{text}");
    assert_eq!(idle.read(&mut [0]).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn a_connection_that_finds_all_others_at_work_is_told_so() {
    let server = Server::start(ListenerLimits::of(1)).await;
    let busy = server.busy().await;

    let text = server.tell(GET).await;
    problem(&text, 503, "unavailable");
    assert!(text.contains("retry-after: 5\r\n"), "{text}");

    drop(busy);
    while !server.tell(GET_LAST).await.ends_with("here") {}
}

#[tokio::test]
async fn a_client_with_many_connections_at_work_leaves_some_for_others() {
    let limits = ListenerLimits {
        connections_of_client: 1,
        ..ListenerLimits::of(10)
    };
    let server = Server::start(limits).await;
    let _busy = server.busy().await;

    problem(&server.tell(GET).await, 503, "unavailable");

    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.2:0".parse().unwrap()).expect("binds");
    let mut other = socket.connect(server.address).await.expect("connects");
    other.write_all(GET_LAST).await.expect("writes");
    assert!(rest(&mut other).await.ends_with("here"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_nothing_of_its_answer_is_hung_up_on() {
    let server = Server::start(ListenerLimits::of(1)).await;
    let deaf = server.send(b"GET /long HTTP/1.1\r\nhost: a\r\n\r\n").await;
    deaf.readable().await.expect("is answered");

    while !server.tell(GET_LAST).await.ends_with("here") {
        tokio::time::sleep(TURNING_AWAY).await;
    }
}

/// A connection without a socket on which a request is served, and its client.
fn serving(slots: &ConnectionSlots) -> (Arc<Exchange>, Wire<DuplexStream>, DuplexStream) {
    let (stream, client) = tokio::io::duplex(1024);
    let exchange = Arc::new(Exchange::new(slots.enter(None).expect("there is room")));
    exchange.begin(Framing::Length(0));
    let refusals = Refusals::new(settings(ListenerLimits::of(1), &[]).base_url);
    let heads = LargeHeads::default();
    let lingering = Arc::new(Semaphore::new(1));
    let wire = Wire::new(stream, exchange.clone(), refusals, heads, lingering, None);
    (exchange, wire, client)
}

/// Result of writing half a megabyte to a client that reads a kilobyte at this interval.
async fn gets_all(every: Duration) -> io::Result<()> {
    let (_, mut wire, mut client) = serving(&ConnectionSlots::new("test", 1, 1));
    let taking = async {
        while client.read_exact(&mut [0; 1024]).await.is_ok() {
            tokio::time::sleep(every).await;
        }
    };
    tokio::select! {
        written = wire.write_all(&[0; 512 * 1024]) => written,
        () = taking => unreachable!("the server has not hung up"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_a_few_bytes_now_and_then_is_hung_up_on() {
    let slow = gets_all(Duration::from_secs(5)).await;
    assert_eq!(slow.unwrap_err().kind(), io::ErrorKind::TimedOut);

    let fast_enough = gets_all(Duration::from_millis(200)).await;
    assert!(fast_enough.is_ok(), "{fast_enough:?}");
}

#[tokio::test]
async fn a_request_through_a_proxy_counts_until_its_answer_is_written() {
    let slots = ConnectionSlots::new("test", 1, 1);
    let (exchange, mut wire, _client) = serving(&slots);
    let client = IpAddr::from([198, 51, 100, 1]);
    exchange.hold(slots.take_turn(client));

    exchange.end();
    assert!(slots.take_turn(client).is_none());
    wire.flush().await.expect("is open");

    assert!(slots.take_turn(client).is_some());
}

#[tokio::test]
async fn a_proxy_that_is_trusted_says_for_whom_a_request_is() {
    let asked =
        |line: &str| format!("GET /who HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{line}\r\n\r\n");
    let forwarded = asked("x-forwarded-for: 203.0.113.9, 198.51.100.1");
    let standard = asked("forwarded: for=198.51.100.1");

    let server = Server::behind(ListenerLimits::of(10), &["127.0.0.0/8"]).await;
    for request in [&forwarded, &standard] {
        let text = server.tell(request.as_bytes()).await;
        assert!(text.ends_with("\r\n\r\n198.51.100.1"), "{text}");
    }
    let text = server.tell(asked("x-other: 1").as_bytes()).await;
    assert!(text.ends_with("\r\n\r\n127.0.0.1"), "{text}");

    let other = Server::behind(ListenerLimits::of(10), &["10.0.0.1"]).await;
    for request in [forwarded, standard] {
        let text = other.tell(request.as_bytes()).await;
        assert!(text.ends_with("\r\n\r\n127.0.0.1"), "{text}");
    }
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_client_has_its_share() {
    let limits = ListenerLimits {
        connections_of_client: 1,
        ..ListenerLimits::of(10)
    };
    let server = Server::behind(limits, &["127.0.0.1"]).await;
    let of = |path: &str, client: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx-forwarded-for: {client}\r\n\r\n"
        )
    };
    let mut waiting = server.busy().await;
    let mut clients = Vec::new();
    for number in 1..5 {
        let client = format!("198.51.100.{number}");
        clients.push(server.send(of("/wait", &client).as_bytes()).await);
    }

    let text = loop {
        // The connections before this one may not have been accepted yet.
        let text = server.tell(of("/", "198.51.100.1").as_bytes()).await;
        if !text.ends_with("here") {
            break text;
        }
    };
    assert!(text.starts_with("HTTP/1.1 429 "), "{text}");
    let text = server.tell(of("/", "198.51.100.9").as_bytes()).await;
    assert!(text.ends_with("here"), "{text}");
    clients.clear();
    while !server
        .tell(of("/", "198.51.100.1").as_bytes())
        .await
        .ends_with("here")
    {}
    waiting.shutdown().await.expect("shuts down");
}

#[tokio::test]
async fn what_is_no_request_is_refused_with_a_problem_document() {
    let server = Server::start(ListenerLimits::of(10)).await;
    let long = "x".repeat(LONGEST_HEAD);
    let name = "validation-failed";
    for (request, status, name) in [
        ("nonsense\r\n\r\n".to_owned(), 400, name),
        ("GET / HTTP/1.1\r\nhost : a\r\n\r\n".to_owned(), 400, name),
        ("GET / HTTP/1.1\r\n\r\n".to_owned(), 400, name),
        (
            "GET / HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n".to_owned(),
            400,
            name,
        ),
        (
            "GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n".to_owned(),
            400,
            name,
        ),
        (format!("GET /{long} HTTP/1.1\r\n"), 414, "uri-too-long"),
        (
            format!("GET / HTTP/1.1\r\nhost: a\r\nx: {long}\r\n\r\n"),
            431,
            "headers-too-large",
        ),
        (
            format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(200)),
            431,
            "headers-too-large",
        ),
    ] {
        let text = server.tell(request.as_bytes()).await;
        problem(&text, status, name);
    }
}

#[tokio::test]
async fn a_line_that_ends_in_lf_alone_is_refused_wherever_it_stands() {
    let server = Server::start(ListenerLimits::of(10)).await;
    let head = std::str::from_utf8(GET).expect("ASCII");
    let lines = head.match_indices("\r\n").map(|(at, _)| at);
    for at in lines {
        let mut request = head.to_owned();
        request.remove(at);
        let text = server.tell(request.as_bytes()).await;
        let problem = problem(&text, 400, "validation-failed");
        let detail = problem["detail"].as_str().expect("a sentence");
        assert!(detail.contains("CR and LF"), "{detail}");
    }

    let mut byte_by_byte = server.connect().await;
    byte_by_byte.set_nodelay(true).expect("is open");
    for byte in b"GET / HTTP/1.1\r\nhost: a\n" {
        byte_by_byte.write_all(&[*byte]).await.expect("writes");
        tokio::task::yield_now().await;
    }
    problem(&rest(&mut byte_by_byte).await, 400, "validation-failed");
}

#[tokio::test]
async fn a_refusal_comes_after_the_answers_to_the_requests_before_it() {
    let server = Server::start(ListenerLimits::of(10)).await;
    for bad in [&b"GET / HTTP/1.1\nhost: a\n\n"[..], b"nonsense\r\n\r\n"] {
        let pipelined = server.tell(&[GET, GET, bad, GET].concat()).await;
        let (answers, refusal) = pipelined.rsplit_once("here").expect("two answers");
        assert_eq!(answers.matches("200 OK").count(), 2, "{pipelined}");
        problem(refusal, 400, "validation-failed");

        let mut kept = server.send(GET).await;
        let mut answer = Vec::new();
        while !answer.ends_with(b"here") {
            kept.read_buf(&mut answer).await.expect("an answer");
        }
        kept.write_all(bad).await.expect("writes");
        problem(&rest(&mut kept).await, 400, "validation-failed");
    }
}

#[tokio::test]
async fn bodies_are_left_as_they_are() {
    let server = Server::start(ListenerLimits::of(10)).await;
    let body = "\n\nGET / HTTP/1.1\n\n";
    let posted = format!(
        "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );

    let text = server
        .tell(&[posted.as_bytes(), posted.as_bytes(), GET_LAST].concat())
        .await;

    assert_eq!(text.matches(body).count(), 2, "{text}");
    assert!(text.ends_with("here"), "{text}");
}

#[tokio::test]
async fn a_body_in_chunks_is_the_last_of_its_connection() {
    let server = Server::start(ListenerLimits::of(10)).await;
    let posted = b"POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n\
                   3\r\na\nb\r\n0\r\n\r\n";

    let text = server.tell(&[&posted[..], GET].concat()).await;

    assert!(text.contains("connection: close\r\n"), "{text}");
    assert!(text.ends_with("\r\n\r\na\nb"), "{text}");
}

#[tokio::test]
async fn of_large_heads_that_do_not_end_a_client_has_a_few_alone() {
    let server = Server::start(ListenerLimits::of(10 * large_heads::MOST_OF_CLIENT)).await;
    let unfinished = format!("GET / HTTP/1.1\r\nhost: a\r\nx: {}", "x".repeat(16 * 1024));
    let mut many = Vec::new();
    for _ in 0..=large_heads::MOST_OF_CLIENT {
        many.push(server.send(unfinished.as_bytes()).await);
    }

    let (refused, _, mut others) = futures::future::select_all(
        many.into_iter()
            .map(|mut stream| Box::pin(async move { rest(&mut stream).await })),
    )
    .await;

    problem(&refused, 503, "unavailable");
    assert!(server.tell(GET_LAST).await.ends_with("here"));
    others.clear();
    let finished = format!("{unfinished}\r\nconnection: close\r\n\r\n");
    while !server.tell(finished.as_bytes()).await.ends_with("here") {}
}

#[tokio::test]
async fn the_listener_ends_when_it_is_stopped() {
    let server = Server::start(ListenerLimits::of(10)).await;

    server.stop.cancel();

    server.task.await.expect("ends");
}
