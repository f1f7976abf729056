use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use url::Url;
use uuid::Uuid;

use crate::support::client::{Ceremony, DeviceLink, Signing, SigningClient};
use crate::support::control::WorldControl;
use crate::support::demo::{Demo, Persona};
use crate::support::referee::Referees;

/// Interval between polls for a phase.
const LOOK: Duration = Duration::from_millis(20);
/// Maximum wait for a phase.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server to kill, in the world of another that survives.
pub(super) struct Scene {
    /// Dropped after the server, which needs its world until then.
    pub(super) host: Demo,
    pub(super) control: WorldControl,
    world: Demo,
}

/// A signer's attempt to sign the only document of a signing.
pub(super) struct Attempt {
    pub(super) signing: Uuid,
    pub(super) original: Vec<u8>,
    pub(super) ceremony: Ceremony,
    /// Number of the last entry in the world's journal when it began.
    pub(super) begun: u64,
}

impl Scene {
    pub(super) fn set() -> Self {
        let world = Demo::start();
        let host = world.join();
        let control = WorldControl::of(&host);
        Self {
            host,
            control,
            world,
        }
    }

    /// Kills the server and restarts it on the same folder.
    pub(super) fn crash(&mut self) {
        self.host.kill();
        self.host.start_again();
    }

    pub(super) fn api(&self) -> SigningClient {
        self.host.signing()
    }

    pub(super) fn person(&self) -> &Persona {
        self.host.smart_id_personas("signs")[0]
    }

    /// Returns the other server of this world.
    pub(super) fn neighbour(&self) -> &Demo {
        &self.world
    }

    /// Creates a signing and starts its only attempt.
    pub(super) async fn begin(&self) -> Attempt {
        let (original, signing) = self.create().await;
        self.begin_on(signing.signing_id, original, signing.signers[0].link())
            .await
    }

    /// Starts the attempt by device link, and waits for the link.
    pub(super) async fn begin_by_link(&self) -> Attempt {
        let (original, signing) = self.create().await;
        let begun = self.control.now().await;
        let ceremony = Demo::ceremony(signing.signers[0].link());
        ceremony.open_device_link().await;
        Attempt {
            signing: signing.signing_id,
            original,
            ceremony,
            begun,
        }
    }

    async fn create(&self) -> (Vec<u8>, Signing) {
        let original = parafa_fixtures::plain(1);
        let signing = self.api().create_for_ona(&original).await;
        (original, signing)
    }

    /// Starts the only attempt on a signing.
    pub(super) async fn begin_on(&self, signing: Uuid, original: Vec<u8>, link: &Url) -> Attempt {
        let begun = self.control.now().await;
        let ceremony = Demo::ceremony(link);
        let person = self.person();
        ceremony.begin(person).await;
        Attempt {
            signing,
            original,
            ceremony,
            begun,
        }
    }

    /// Waits until the attempt has ended, and asserts that it ended as if the
    /// server had never been killed: done, with one signature and one prompt on
    /// the phone. Returns the document.
    pub(super) async fn assert_signed_once(&self, attempt: &Attempt) -> Bytes {
        attempt.ceremony.finish().await;
        let signing = self.api().signing(attempt.signing).await;
        assert_eq!(signing.status, "completed");
        assert_eq!(signing.signers[0].status, "signed");
        let (document, _) = self.api().document(attempt.signing).await;
        assert!(
            document.starts_with(&attempt.original),
            "the caller's bytes are kept"
        );
        assert_eq!(signatures(&document), 1);
        let journal = self.control.journal(attempt.begun).await;
        for session in ["certificate_choice", "signature"] {
            let rings = journal.iter().filter(|entry| entry.rang_for(session));
            assert_eq!(rings.count(), 1, "the phone is asked once for a {session}");
        }
        document
    }

    /// Finds the referees for this world's signatures, or counts a skip.
    pub(super) fn referees(&self) -> Option<Referees> {
        Referees::find(&self.host.world.world.roots)
    }

    /// Returns the server's folder of documents.
    pub(super) fn files(&self) -> PathBuf {
        self.host.data().join("bytes")
    }
}

impl Attempt {
    /// Waits until the attempt reaches this phase.
    pub(super) async fn reaches(&self, phase: &str) {
        let reached = async {
            loop {
                let state = self.ceremony.state().await;
                if state.attempt.is_some_and(|attempt| attempt.phase == phase) {
                    return;
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        let reached = tokio::time::timeout(PATIENCE, reached).await;
        assert!(reached.is_ok(), "the attempt is never {phase}");
    }

    /// Returns the open link.
    pub(super) async fn link(&self) -> DeviceLink {
        let attempt = self.ceremony.state().await.attempt;
        let link = attempt.and_then(|attempt| attempt.device_link);
        link.expect("a link is open")
    }

    /// Asserts that the attempt is still completing.
    pub(super) async fn assert_completing(&self, api: &SigningClient) {
        let state = self.ceremony.state().await;
        let phase = state.attempt.map(|attempt| attempt.phase);
        assert_eq!(phase.as_deref(), Some("completing"));
        assert_eq!(state.signer.status, "pending");
        assert_eq!(api.signing(self.signing).await.status, "pending");
    }
}

/// Counts the signatures in a PDF with one incremental update for each.
fn signatures(document: &[u8]) -> usize {
    const MARK: &[u8] = b"/ByteRange";

    document
        .windows(MARK.len())
        .filter(|window| *window == MARK)
        .count()
}
