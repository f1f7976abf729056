use std::time::Duration;

use reqwest::{Client, StatusCode};
use serde::Deserialize;
use serde_json::Value;

use super::demo::Demo;

/// Maximum wait for an event in the world.
const HAPPENS: Duration = Duration::from_secs(60);
/// Wait of one poll of the journal, in milliseconds.
const WAIT_MS: u32 = 5_000;

/// Control interface of a demo world.
pub(crate) struct WorldControl {
    http: Client,
    address: String,
}

/// Entry of the world's journal.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Entry {
    pub(crate) number: u64,
    pub(crate) service: String,
    pub(crate) event: String,
    pub(crate) status: Option<u16>,
    pub(crate) session: Option<String>,
    /// Text on a phone's screen.
    pub(crate) text: Option<String>,
}

impl Entry {
    /// Returns whether a service was `asked` or has `answered`.
    pub(crate) fn is(&self, service: &str, event: &str) -> bool {
        self.service == service && self.event == event
    }

    /// Returns whether a phone was prompted for this session: `signature`,
    /// `certificate_choice`.
    pub(crate) fn rang_for(&self, session: &str) -> bool {
        self.event == "phone_rang" && self.session.as_deref() == Some(session)
    }
}

impl WorldControl {
    /// Returns the control of this server's world.
    pub(crate) fn of(demo: &Demo) -> Self {
        Self {
            http: Client::builder()
                .no_proxy()
                .build()
                .expect("an HTTP client"),
            address: demo.world.world.control.clone(),
        }
    }

    /// Makes a service fail until [`Self::mend`].
    pub(crate) async fn spoil(&self, service: &str, fault: Value) {
        let request = self.http.put(self.fault_address(service)).json(&fault);
        let answer = request.send().await.expect("the world answers");
        assert_eq!(answer.status(), StatusCode::NO_CONTENT);
    }

    /// Ends a service's failure.
    pub(crate) async fn mend(&self, service: &str) {
        let request = self.http.delete(self.fault_address(service));
        let answer = request.send().await.expect("the world answers");
        assert_eq!(answer.status(), StatusCode::NO_CONTENT);
    }

    /// Returns all entries after this one.
    pub(crate) async fn journal(&self, after: u64) -> Vec<Entry> {
        self.look(after, 0).await
    }

    /// Returns all entries after this one; waits some seconds for the first.
    pub(crate) async fn next(&self, after: u64) -> Vec<Entry> {
        self.look(after, WAIT_MS).await
    }

    /// Returns the number of the newest entry.
    pub(crate) async fn now(&self) -> u64 {
        let entries = self.journal(0).await;
        entries.last().map_or(0, |entry| entry.number)
    }

    /// Waits for the first matching entry after another one.
    pub(crate) async fn happens(&self, mut after: u64, what: impl Fn(&Entry) -> bool) -> Entry {
        let happens = async {
            loop {
                for entry in self.next(after).await {
                    after = entry.number;
                    if what(&entry) {
                        return entry;
                    }
                }
            }
        };
        let happened = tokio::time::timeout(HAPPENS, happens).await;
        happened.expect("it happens in the world")
    }

    async fn look(&self, after: u64, wait_ms: u32) -> Vec<Entry> {
        let address = format!("{}/journal?after={after}&waitMs={wait_ms}", self.address);
        let answer = self.http.get(address).send().await;
        let answer = answer.expect("the world answers");
        answer.json().await.expect("the journal's entries")
    }

    fn fault_address(&self, service: &str) -> String {
        format!("{}/faults/{service}", self.address)
    }
}
