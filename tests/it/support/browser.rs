use std::io::{BufRead, BufReader};
use std::ops::Deref;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use parafa_fixtures::tool;
use serde_json::json;
use tempfile::TempDir;

/// How long an element may take to be shown.
const SHOWN: Duration = Duration::from_secs(30);
/// What the driver prints before its port.
const STARTED: &str = "started successfully on port ";

/// A headless Chromium with an empty profile; it ends with this value.
pub(crate) struct Browser {
    client: Client,
    driver: Child,
    _profile: TempDir,
}

impl Browser {
    /// Starts one, or skips the test.
    pub(crate) async fn start() -> Option<Self> {
        let program = tool::program("chromedriver")?;
        let chromium = tool::program("chromium")?;
        let profile = tempfile::tempdir().expect("a temporary folder");
        let mut driver = Command::new(program)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let output = driver.stdout.take().expect("stdout is piped");
        let port = BufReader::new(output)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| Some(line.split_once(STARTED)?.1.trim_end_matches('.').to_owned()))
            .expect("chromedriver says its port");

        let options = json!({
            "binary": chromium,
            "args": [
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--window-size=400,900",
                format!("--user-data-dir={}", profile.path().display()),
            ],
        });
        let capabilities = [("goog:chromeOptions".to_owned(), options)]
            .into_iter()
            .collect();
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .expect("a browser session");
        Some(Self {
            client,
            driver,
            _profile: profile,
        })
    }

    /// Waits until the element is there and shown, also when the page is loaded
    /// anew meanwhile.
    pub(crate) async fn shown(&self, css: &str) -> Element {
        let displayed = async {
            loop {
                if let Ok(element) = self.client.find(Locator::Css(css)).await
                    && element.is_displayed().await.unwrap_or(false)
                {
                    return element;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        if let Ok(element) = tokio::time::timeout(SHOWN, displayed).await {
            return element;
        }
        let page = self.client.find(Locator::Css("body")).await;
        let text = page.expect("a page").text().await.unwrap_or_default();
        panic!("{css} is not shown; the page says: {text}");
    }

    /// The text of an element that is shown.
    pub(crate) async fn text(&self, css: &str) -> String {
        self.shown(css).await.text().await.expect("the text")
    }

    /// Types a personal code and presses the button.
    pub(crate) async fn start_signing(&self, personal_code: &str) {
        let input = self.shown("#personal-code").await;
        input.clear().await.expect("an empty field");
        input.send_keys(personal_code).await.expect("typed text");
        self.shown("#sign").await.click().await.expect("a click");
    }

    /// Keeps what the window shows as `target/screenshots/NAME.png`, for people
    /// to look at.
    pub(crate) async fn keep_picture(&self, name: &str) {
        let folder = super::root().join("target/screenshots");
        let picture = self.client.screenshot().await.expect("a screenshot");
        std::fs::create_dir_all(&folder).expect("a folder for screenshots");
        std::fs::write(folder.join(name).with_extension("png"), picture).expect("a written file");
    }

    /// Ends the session and the driver.
    pub(crate) async fn close(self) {
        let _ = self.client.clone().close().await;
    }
}

impl Deref for Browser {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
