use std::time::{Duration, Instant};

use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

use crate::server::{Server, answer};

/// Requests of a demo workspace to the server.
#[derive(Clone)]
pub(crate) struct Workspace {
    base: String,
    key: String,
    http: Client,
}

impl Workspace {
    /// Creates it with the key at that pointer in `demo.json`.
    pub(crate) fn with_key(server: &Server, pointer: &str) -> Self {
        Self {
            base: server.demo("/baseUrl").to_owned(),
            key: server.demo(pointer).to_owned(),
            http: Client::builder().no_proxy().build().expect("a client"),
        }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let address = format!("{}/v1/{path}", self.base);
        self.http.request(method, address).bearer_auth(&self.key)
    }

    /// Creates a signing and returns its id.
    pub(crate) async fn create(&self, document: &str, webhook: Option<&str>) -> String {
        let mut body = json!({
            "title": "Sutartis",
            "document": {"name": "sutartis.pdf", "content": document},
            "signers": [{"email": "ona@example.lt"}],
        });
        if let Some(webhook) = webhook {
            body["webhookUrl"] = webhook.into();
        }
        let created = answer(self.request(Method::POST, "signings").json(&body)).await;
        id(&created)
    }

    /// Creates this many signings in one batch and returns their ids.
    pub(crate) async fn create_batch(
        &self,
        document: &str,
        signings: usize,
        webhook: &str,
    ) -> Vec<String> {
        let document = json!({"name": "sutartis.pdf", "content": document});
        let body = json!({
            "title": "Sutartys",
            "documents": vec![document; signings],
            "signers": [{"email": "ona@example.lt"}],
            "webhookUrl": webhook,
        });
        let created = answer(self.request(Method::POST, "batches").json(&body)).await;
        let created = created["signings"].as_array();
        created.expect("signings").iter().map(id).collect()
    }

    /// Cancels a signing, which causes an event to its webhook.
    pub(crate) async fn cancel(&self, signing: &str) {
        let request = self.request(Method::POST, &format!("signings/{signing}/cancel"));
        answer(request.json(&json!({}))).await;
    }

    /// Returns the durations of creates that one caller makes one after the other, the quickest
    /// first.
    pub(crate) async fn create_times(&self, document: &str, creates: usize) -> Vec<Duration> {
        let mut times = Vec::with_capacity(creates);
        for _ in 0..creates {
            let begun = Instant::now();
            self.create(document, None).await;
            times.push(begun.elapsed());
        }
        times.sort_unstable();
        times
    }
}

/// Returns the 99th percentile.
pub(crate) fn p99(times: &[Duration]) -> Duration {
    let at = (times.len() * 99).div_ceil(100).saturating_sub(1);
    times.get(at).copied().unwrap_or_default()
}

fn id(signing: &Value) -> String {
    let id = signing["signingId"].as_str();
    id.unwrap_or_else(|| panic!("{signing}")).to_owned()
}
