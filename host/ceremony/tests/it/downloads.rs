//! Downloads over sockets, to clients that may be slow or gone.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures::TryStreamExt;
use parafa_api_http::{BaseUrl, ProblemDocuments, edge};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::downloads::{BrokenOff, Requester};
use parafa_listener::{ListenerLimits, ListenerSettings, TrustedProxies};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::support::{CALLER, Stage};

/// More than the system buffers for a client that does not read.
const LONG: usize = 12 * 1024 * 1024;
/// Downloads of one link at the same time.
const OF_ONE_LINK: usize = 4;
/// Longest wait of a client with nothing to wait for.
const PATIENCE: Duration = Duration::from_secs(20);
/// A moment without any expected event.
const MOMENT: Duration = Duration::from_millis(300);

/// A signer's link to a long document, served on a socket.
struct Scene {
    stage: Stage,
    content: Bytes,
    address: SocketAddr,
    link: String,
}

impl Scene {
    async fn new(length: usize) -> Self {
        let content: Bytes = (0..=u8::MAX).cycle().take(length).collect();
        let stage = Stage::set_over(content.clone()).await;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let base_url = BaseUrl::new(stage.ceremonies.links().base_url());
        let format = ProblemDocuments::new(base_url.clone());
        let router = edge(stage.router(), format);
        let settings = ListenerSettings {
            name: "downloads",
            base_url,
            proxies: TrustedProxies::default(),
            limits: ListenerLimits::of(64),
        };
        let stop = CancellationToken::new();
        tokio::spawn(parafa_listener::serve(listener, router, settings, stop));
        Self {
            link: stage.link(),
            stage,
            content,
            address,
        }
    }

    /// Requests the document.
    async fn ask(&self, method: &str) -> TcpStream {
        let mut client = TcpStream::connect(self.address).await.unwrap();
        let request = format!(
            "{method} /c/{}/document HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
            self.link
        );
        client.write_all(request.as_bytes()).await.unwrap();
        client
    }

    /// Returns the head of the answer, and the rest until the connection ended.
    async fn answer(&self, method: &str) -> (String, Vec<u8>) {
        read(self.ask(method).await).await
    }

    fn free_places(&self) -> usize {
        self.stage.ceremonies.downloads().places.free()
    }
}

async fn read(mut client: TcpStream) -> (String, Vec<u8>) {
    let mut answer = Vec::new();
    // The connection may end in any way.
    let _ = client.read_to_end(&mut answer).await;
    let mut lines = answer.windows(4);
    let end = lines.position(|end| end == b"\r\n\r\n").unwrap();
    let content = answer.split_off(end + 4);
    (String::from_utf8(answer).unwrap(), content)
}

#[tokio::test]
async fn a_document_is_sent_whole_with_its_length() {
    let scene = Scene::new(300_000).await;
    let places = scene.free_places();

    let (head, content) = scene.answer("GET").await;

    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let length = format!("content-length: {}\r\n", scene.content.len());
    assert!(head.contains(&length), "{head}");
    assert!(content == scene.content);
    assert_eq!(scene.free_places(), places);
}

#[tokio::test]
async fn damage_far_behind_breaks_the_connection_before_the_document_is_complete() {
    let scene = Scene::new(300_000).await;
    scene.stage.damage_bytes(250_000);

    let (head, content) = scene.answer("GET").await;

    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let length = format!("content-length: {}\r\n", scene.content.len());
    assert!(head.contains(&length), "{head}");
    assert!(content.len() < 250_000, "{}", content.len());
    assert!(scene.content.starts_with(&content));
}

#[tokio::test]
async fn damage_at_the_beginning_is_told_and_who_asks_for_the_head_alone_reads_nothing() {
    let scene = Scene::new(300_000).await;
    scene.stage.damage_bytes(1000);

    let (told, _) = scene.answer("GET").await;
    let (head, content) = scene.answer("HEAD").await;

    assert!(told.starts_with("HTTP/1.1 503 "), "{told}");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let length = format!("content-length: {}\r\n", scene.content.len());
    assert!(head.contains(&length), "{head}");
    assert!(content.is_empty());
}

#[tokio::test]
async fn clients_that_do_not_read_leave_nothing_to_others_of_their_link_until_they_hang_up() {
    let scene = Scene::new(LONG).await;
    let places = scene.free_places();
    let mut deaf = Vec::new();
    for _ in 0..OF_ONE_LINK {
        let client = scene.ask("GET").await;
        client.readable().await.unwrap();
        deaf.push(client);
    }
    assert_eq!(scene.free_places(), places - OF_ONE_LINK);

    let (refused, _) = scene.answer("GET").await;
    assert!(refused.starts_with("HTTP/1.1 429 "), "{refused}");
    assert!(refused.contains("\r\nretry-after: "), "{refused}");
    let next = scene.ask("GET").await;
    let early = tokio::time::timeout(MOMENT, next.readable()).await;
    assert!(early.is_err(), "it was answered without a place");
    drop(deaf);

    let (head, content) = tokio::time::timeout(PATIENCE, read(next)).await.unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(content == scene.content);
}

#[tokio::test]
async fn nothing_more_of_a_document_goes_out_once_it_was_erased() {
    let stage = Stage::set_over(vec![b'x'; 300_000].into()).await;
    let Stage {
        ceremonies,
        ceremony: id,
        ..
    } = &stage;
    let ceremony = ceremonies.open_link(&stage.link()).await.unwrap();
    let ask = || async {
        let download = ceremonies.document(&ceremony).await.unwrap();
        let requester = Requester::Link(ceremony.signer);
        (download, requester)
    };
    let [(begun, requester), (late, _)] = [ask().await, ask().await];
    let mut begun = pin!(ceremonies.downloads().send(begun, requester).await.unwrap());
    let first = begun.try_next().await.unwrap();
    assert!(first.is_some());
    drop(first);

    ceremonies.erase(&CALLER, *id).await.unwrap();

    let next = begun.try_next().await;
    assert!(matches!(next, Err(BrokenOff::Unread(_))));
    let late = ceremonies.downloads().send(late, requester).await;
    assert!(matches!(late.err(), Some(CeremonyError::NotFound)));
}
