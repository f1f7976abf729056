//! Letters, and a clock that leaps while they are handed in.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use parafa_api_signing::requests::CreateBatch;
use parafa_api_signing::{Delivery, Language, SigningOrder};
use parafa_ceremony::records::{CeremonyRow, MailKind};
use parafa_outbound::{MailProtection, MailServer, Mailer};
use parafa_platform::accounts::{Caller, KeyMode, TenantRow, TenantStatus};
use parafa_platform::face::{DoneMail, FaceRow};
use parafa_platform::jobs::LEASE;
use parafa_platform::outbox::{LETTERS, NoticeRow};
use parafa_store::jobs::ClaimedJob;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::calls::{DAY, batch, create, mails, rows, sign, signing_request, terms};
use super::deployment::{CALLER, Deployment, SIGN, Site};
use super::host::Host;

/// Longest time that a letter is waited for.
const PATIENCE: Duration = Duration::from_secs(20);
/// When a letter that is on its way is looked at again.
const SOON: SignedDuration = SignedDuration::from_secs(5);

#[tokio::test]
async fn a_letter_that_is_handed_in_while_the_clock_leaps_goes_out_once() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut post = PostOffice::open().await;
    let host = post.writing(&deployment.sound_host().await);
    name_workspace(&host).await;
    create(&host, SigningOrder::Sequential, Delivery::Email).await;
    let mut job = claim(&host).await.unwrap();
    let handing = {
        let runner = host.runner.clone();
        tokio::spawn(async move { runner.run_one(&mut job).await })
    };
    post.letter().await;

    site.pass(DAY * 3);
    let mut again = claim(&host).await.expect("its lease has ended");
    host.runner.run_one(&mut again).await;
    post.accept_all();
    handing.await.unwrap();
    site.pass(SOON);
    host.run_all().await;

    assert_eq!(post.further_letters(), 0);
    assert!(rows::<NoticeRow>(&host).await.is_empty());
    assert!(claim(&host).await.is_none());
}

#[tokio::test]
async fn a_reminder_that_a_leap_of_days_passes_over_goes_out_once() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut post = PostOffice::open().await;
    post.accept_all();
    let host = post.writing(&deployment.sound_host().await);
    name_workspace(&host).await;
    let mut terms = terms(SigningOrder::Sequential, Delivery::Email);
    terms.soft_deadline_in_days = Some(2);
    host.post(signing_request(terms)).await.unwrap();
    host.run_all().await;
    post.letter().await;

    for _leap in 0..2 {
        site.pass(DAY * 5);
        host.run_all().await;
    }

    post.letter().await;
    assert_eq!(post.further_letters(), 0);
    assert!(mails(&host, MailKind::Reminder).await.is_empty());
}

#[tokio::test]
async fn whoever_is_removed_is_told_so_in_their_own_language() {
    let site = Site::start().await;
    let mut post = PostOffice::open().await;
    post.accept_all();
    for (mode, subject) in [
        (
            KeyMode::Live,
            "Subject: No need to sign any more: Sutartis\n",
        ),
        (
            KeyMode::Test,
            "Subject: [TEST] No need to sign any more: Sutartis\n",
        ),
    ] {
        let caller = Caller { mode, ..CALLER };
        let deployment = Deployment::new(&site);
        let host = post.writing(&deployment.sound_host().await);
        name_workspace(&host).await;
        let mut terms = terms(SigningOrder::Parallel, Delivery::Email);
        terms.signers[0].language = Language::En;
        let request = signing_request(terms);
        let created = host
            .app
            .signing
            .signings
            .create_signing(&caller, request)
            .await;
        let signing = created.unwrap().row.ceremony;
        host.run_all().await;
        for _invitation in 0..2 {
            post.letter().await;
        }

        let removed = signing.signers[0].id.uuid();
        let gone = host
            .app
            .ceremonies
            .remove_signer(&caller, signing.id.uuid(), removed)
            .await;

        gone.unwrap();
        host.run_all().await;
        let letter = post.letter().await;
        assert!(letter.contains("To: pirmas@example.com\n"), "{letter}");
        assert!(letter.contains(subject), "{letter}");
        assert!(
            letter.contains("has called off the request to sign:"),
            "{letter}"
        );
        assert_eq!(post.further_letters(), 0);
    }
}

#[tokio::test]
async fn the_key_of_letters_about_an_erased_signing_goes_with_the_last_of_them() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut post = PostOffice::open().await;
    post.accept_all();
    let host = post.writing(&deployment.sound_host().await);
    name_workspace(&host).await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Email).await;
    host.run_all().await;
    host.erase(row.ceremony.id.uuid()).await.unwrap();
    for _invitation in 0..2 {
        post.letter().await;
    }
    assert_eq!(mails(&host, MailKind::Retraction).await.len(), 2);
    let keys = deployment.data_keys();

    let mut first = claim(&host).await.expect("a letter");
    host.runner.run_one(&mut first).await;
    assert_eq!(deployment.data_keys(), keys, "the other letter's still");
    host.run_all().await;

    assert_eq!(deployment.data_keys(), keys - 1);
    for _retraction in 0..2 {
        post.letter().await;
    }
}

#[tokio::test]
async fn the_next_signer_of_a_batch_gets_one_letter_with_all_links_that_open() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut batch = SequentialBatch::open(&site, &deployment).await;
    assert_eq!(batch.named_in_next_letter().await, ["a", "b", "c"]);

    batch.first_signs(0).await;
    batch.first_signs(1).await;
    assert_eq!(batch.post.further_letters(), 0, "another link will open");
    batch.first_signs(2).await;

    assert_eq!(batch.named_in_next_letter().await, ["a", "b", "c"]);
    assert_eq!(batch.post.further_letters(), 0);
}

#[tokio::test]
async fn a_signing_of_a_batch_that_ends_holds_up_no_letter_any_more() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut batch = SequentialBatch::open(&site, &deployment).await;
    batch.named_in_next_letter().await;
    batch.first_signs(0).await;
    batch.first_signs(1).await;

    let (app, last) = (&batch.host.app, batch.signings[2].ceremony.id.uuid());
    let erased = app.ceremonies.erase(&CALLER, last).await;
    assert!(erased.unwrap());
    batch.host.run_all().await;

    let letters = [batch.post.letter().await, batch.post.letter().await];
    let [called_off, invited] = ["pirmas", "antras"].map(|to| {
        let to = format!("To: {to}@example.com\n");
        letters.iter().find(|letter| letter.contains(&to))
    });
    assert_eq!(named(called_off.unwrap()), ["c"]);
    assert_eq!(named(invited.unwrap()), ["a", "b"]);
}

#[tokio::test]
async fn the_next_signer_of_a_batch_waits_an_hour_for_further_links() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut batch = SequentialBatch::open(&site, &deployment).await;
    batch.named_in_next_letter().await;

    batch.first_signs(0).await;
    site.pass(SignedDuration::from_mins(61));
    batch.host.run_all().await;
    assert_eq!(batch.named_in_next_letter().await, ["a"]);
    batch.first_signs(1).await;
    batch.first_signs(2).await;

    assert_eq!(batch.named_in_next_letter().await, ["b", "c"]);
}

#[tokio::test]
async fn whoever_signed_a_batch_in_turn_gets_one_letter_with_all_of_it_as_the_workspace_chose() {
    let site = Site::start().await;
    for (chosen, attached, linked) in [(DoneMail::Link, 0, 6), (DoneMail::Attach, 3, 0)] {
        let deployment = Deployment::new(&site);
        let mut batch = SequentialBatch::open(&site, &deployment).await;
        let face = FaceRow {
            done_mail: chosen,
            ..FaceRow::none(CALLER.tenant)
        };
        batch.host.put(&face).await;
        for document in 0..3 {
            batch.first_signs(document).await;
        }
        for _invitation in 0..2 {
            batch.named_in_next_letter().await;
        }

        batch.signs(1, 0).await;
        batch.signs(1, 1).await;
        assert_eq!(batch.post.further_letters(), 0, "one is not complete");
        batch.signs(1, 2).await;

        let letters = [batch.post.letter().await, batch.post.letter().await];
        for to in ["pirmas", "antras"] {
            let to = format!("To: {to}@example.com\n");
            let letter = letters.iter().find(|letter| letter.contains(&to));
            let letter = letter.expect("a letter to each of them");
            assert_eq!(named(letter), ["a", "b", "c"], "{chosen:?}");
            let parts: Vec<_> = letter.split("Content-Disposition: attachment").collect();
            assert_eq!(parts.len() - 1, attached, "{chosen:?}");
            // Each in the text and in the HTML.
            assert_eq!(parts[0].matches("/c/").count(), linked, "{chosen:?}");
        }
        assert_eq!(batch.post.further_letters(), 0, "{chosen:?}");
    }
}

#[tokio::test]
async fn a_workspace_that_wants_no_letter_at_the_end_sends_none_for_a_batch_in_turns() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut batch = SequentialBatch::open(&site, &deployment).await;
    let face = FaceRow {
        done_mail: DoneMail::None,
        ..FaceRow::none(CALLER.tenant)
    };
    batch.host.put(&face).await;
    for document in 0..3 {
        batch.first_signs(document).await;
    }
    for _invitation in 0..2 {
        batch.named_in_next_letter().await;
    }

    for document in 0..3 {
        batch.signs(1, document).await;
    }

    assert_eq!(batch.post.further_letters(), 0);
}

/// A batch of three documents, which two people sign one after the other.
struct SequentialBatch<'s> {
    site: &'s Site,
    post: PostOffice,
    host: Host,
    signings: Vec<CeremonyRow>,
}

impl<'s> SequentialBatch<'s> {
    async fn open(site: &'s Site, deployment: &Deployment<'_>) -> Self {
        let post = PostOffice::open().await;
        post.accept_all();
        let host = post.writing(&deployment.sound_host().await);
        name_workspace(&host).await;
        let request = CreateBatch {
            terms: terms(SigningOrder::Sequential, Delivery::Email),
            ..batch()
        };
        let created = host.post_batch(request).await;
        let signings = created.unwrap().signings.into_iter();
        host.run_all().await;
        Self {
            site,
            post,
            host,
            signings: signings.map(|shown| shown.row().clone()).collect(),
        }
    }

    /// The first signer signs one of the documents.
    async fn first_signs(&self, document: usize) {
        self.signs(0, document).await;
    }

    async fn signs(&self, party: usize, document: usize) {
        let signing = &self.signings[document].ceremony;
        let (id, signer) = (signing.id.uuid(), signing.signers[party].id.uuid());
        sign(self.site, &self.host, id, signer, SIGN[party]).await;
        self.host.run_all().await;
    }

    async fn named_in_next_letter(&mut self) -> Vec<&'static str> {
        named(&self.post.letter().await)
    }
}

/// The documents that a letter names, without their extensions.
fn named(letter: &str) -> Vec<&'static str> {
    let names = ["a", "b", "c"].into_iter();
    names
        .filter(|name| letter.contains(&format!("{name}.pdf")))
        .collect()
}

/// Letters are in the name of a workspace.
pub(super) async fn name_workspace(host: &Host) {
    let row = &TenantRow {
        id: CALLER.tenant,
        name: "Ąžuolas, UAB".to_owned(),
        status: TenantStatus::Active,
        created_at: host.parts.clock.now(),
        adoc_category: None,
    };
    host.put(row).await;
}

pub(super) async fn claim(host: &Host) -> Option<ClaimedJob> {
    let claimed = host.app.records.store.claim_due(LETTERS, 1, LEASE);
    claimed.await.unwrap().pop()
}

/// A mail server that says that it has taken a letter only when it is told to.
pub(super) struct PostOffice {
    port: u16,
    letters: mpsc::UnboundedReceiver<String>,
    accepting: Arc<Semaphore>,
    counter: JoinHandle<()>,
}

impl PostOffice {
    pub(super) async fn open() -> Self {
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

    /// The host with this for its mail server.
    pub(super) fn writing(&self, host: &Host) -> Host {
        writing_to(self.port, host)
    }

    /// Waits for a letter.
    pub(super) async fn letter(&mut self) -> String {
        let letter = timeout(PATIENCE, self.letters.recv()).await;
        letter.expect("a letter").unwrap()
    }

    /// Takes the letter that is waiting, and all that come.
    pub(super) fn accept_all(&self) {
        self.accepting.add_permits(100);
    }

    /// How many letters came that nobody waited for.
    pub(super) fn further_letters(&mut self) -> usize {
        std::iter::from_fn(|| self.letters.try_recv().ok()).count()
    }
}

impl Drop for PostOffice {
    fn drop(&mut self) {
        self.counter.abort();
    }
}

/// The host with the mail server at this port.
pub(super) fn writing_to(port: u16, host: &Host) -> Host {
    let server = MailServer {
        host: "127.0.0.1".to_owned(),
        port,
        protection: MailProtection::Plain,
        credentials: None,
        from: "parafa@example.com".to_owned(),
    };
    host.with_doors(move |doors| doors.mailer = Some(Mailer::new(&server).unwrap()))
}

/// The server's part of RFC 5321, as little of it as a letter takes.
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
                // Lines of quoted-printable text go on after this.
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
