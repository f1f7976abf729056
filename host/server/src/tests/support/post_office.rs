//! A mail server for hosts' letters.

use std::sync::Arc;
use std::time::Duration;

use parafa_outbound::{MailProtection, MailServer, Mailer};
use parafa_platform::jobs::LEASE;
use parafa_platform::outbox::LETTERS;
use parafa_store::jobs::ClaimedJob;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::host::Host;

/// Maximum wait for a letter.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) async fn claim_letter(host: &Host) -> Option<ClaimedJob> {
    let claimed = host.app.records.store.claim_due(LETTERS, 1, LEASE);
    claimed.await.unwrap().pop()
}

/// A mail server that confirms a letter only on request.
pub(crate) struct PostOffice {
    port: u16,
    letters: mpsc::UnboundedReceiver<String>,
    accepting: Arc<Semaphore>,
    counter: JoinHandle<()>,
}

impl PostOffice {
    pub(crate) async fn open() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (told, letters) = mpsc::unbounded_channel();
        let accepting = Arc::new(Semaphore::new(0));
        let accepted = accepting.clone();
        let counter = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(attend(client, told.clone(), accepted.clone()));
            }
        });
        Self {
            port,
            letters,
            accepting,
            counter,
        }
    }

    /// Returns the host with this mail server.
    pub(crate) fn writing(&self, host: &Host) -> Host {
        writing_to(self.port, host)
    }

    /// Waits for a letter.
    pub(crate) async fn letter(&mut self) -> String {
        let letter = timeout(PATIENCE, self.letters.recv()).await;
        letter.expect("a letter").unwrap()
    }

    /// Confirms the waiting letter and all later ones.
    pub(crate) fn accept_all(&self) {
        self.accepting.add_permits(100);
    }

    /// Returns the number of letters received but not awaited.
    pub(crate) fn further_letters(&mut self) -> usize {
        std::iter::from_fn(|| self.letters.try_recv().ok()).count()
    }
}

impl Drop for PostOffice {
    fn drop(&mut self) {
        self.counter.abort();
    }
}

/// Returns the host with the mail server at this port.
pub(crate) fn writing_to(port: u16, host: &Host) -> Host {
    let server = MailServer {
        host: "127.0.0.1".to_owned(),
        port,
        protection: MailProtection::Plain,
        credentials: None,
        from: "parafa@example.com".to_owned(),
    };
    host.with_doors(move |doors| doors.mailer = Some(Mailer::new(&server).unwrap()))
}

/// Plays the server's part of RFC 5321, as far as a letter needs it.
async fn attend(client: TcpStream, told: mpsc::UnboundedSender<String>, accepted: Arc<Semaphore>) {
    let (reader, mut writer) = client.into_split();
    let mut lines = BufReader::new(reader).lines();
    let mut is_letter = false;
    let mut letter = String::new();
    let _ = writer.write_all(b"220 post.example\r\n").await;
    while let Ok(Some(line)) = lines.next_line().await {
        let reply: &[u8] = match line.as_str() {
            "." if is_letter => {
                is_letter = false;
                let _ = told.send(std::mem::take(&mut letter));
                accepted.acquire().await.unwrap().forget();
                b"250 taken\r\n"
            }
            _ if is_letter => {
                // Soft line breaks of quoted-printable text end in this.
                letter.push_str(line.strip_suffix('=').unwrap_or(&line));
                if !line.ends_with('=') {
                    letter.push('\n');
                }
                continue;
            }
            "DATA" => {
                is_letter = true;
                b"354 go on\r\n"
            }
            _ => b"250 fine\r\n",
        };
        if writer.write_all(reply).await.is_err() {
            return;
        }
    }
}
