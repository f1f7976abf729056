use std::io::{BufRead, BufReader};
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use parafa_fixtures::tool;
use serde_json::{Value, json};
use tempfile::TempDir;
use url::{ParseError, Url};

/// Maximum wait for an element to be shown.
const SHOWN: Duration = Duration::from_secs(30);
/// Script that returns the violations, each with the elements concerned.
const CHECK: &str = "
    const tell = arguments[arguments.length - 1];
    const sideways = document.documentElement.scrollWidth - innerWidth;
    axe.run(document, { resultTypes: ['violations'] }).then((results) => {
      const found = results.violations.map((one) => [one.id, one.nodes.map((node) => node.html)]);
      if (sideways > 0) found.push(['scrolls sideways', sideways]);
      tell(found);
    });
";
/// Returns the element of a selector, once it has a box.
const LAID_OUT: &str = "
    const found = document.querySelector(arguments[0]);
    return found !== null && found.checkVisibility() ? found : null;
";
/// The name of an element in answers (WebDriver, 12.2).
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// A picture that may be requested at the moment when its attempt ends.
const CODE_TO_SCAN: &str = "/attempts/current/qr.svg";
/// Option that makes pages treat a headless browser as one with a mouse.
const MOUSE: &str =
    ",primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4";
/// Output of the driver before its port.
const STARTED: &str = "started successfully on port ";
/// Maximum number of attempts to start a driver.
const STARTS: usize = 5;
/// Chromium's engine without the browser around it, which starts with much less CPU time. Debian's
/// program of the same name on the `PATH` is a script that starts this one and forwards no signals.
const CHROMIUM: &str = "/usr/lib/chromium/chromium-headless-shell";

/// A headless Chromium with an empty profile; it is closed on drop.
pub(crate) struct Browser {
    client: Client,
    driver: Child,
    _profile: TempDir,
    taps: AtomicUsize,
}

/// Screen of a browser.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// Name in the file names of pictures.
    pub(crate) name: &'static str,
    /// Width in CSS pixels.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// True if the user prefers dark pages.
    pub(crate) is_dark: bool,
}

impl Screen {
    pub(crate) const PHONE: Self = Self {
        name: "phone",
        width: 390,
        height: 844,
        is_dark: false,
    };
    /// Minimum width of pages. It is equal to a screen of four times the width
    /// at a zoom of 400 % (WCAG 2.2, 1.4.10).
    pub(crate) const NARROW: Self = Self {
        name: "narrow",
        width: 320,
        height: 640,
        is_dark: true,
    };
    pub(crate) const DESKTOP: Self = Self {
        name: "desktop",
        width: 1280,
        height: 900,
        is_dark: false,
    };
    /// Desktop at a zoom of 200 % (WCAG 2.2, 1.4.4).
    pub(crate) const ZOOMED: Self = Self {
        name: "zoomed",
        width: 640,
        height: 450,
        is_dark: true,
    };
}

/// Starts the driver and reads its port. A driver exits at once if the free
/// IPv4 port that it found is taken on IPv6.
///
/// The driver makes the browser's profile in the folder `profiles`: the headless shell opens no
/// page with a profile that it is given.
fn start_driver(program: &Path, profiles: &Path) -> Option<(Child, String)> {
    let mut driver = Command::new(program)
        .arg("--port=0")
        .env("TMPDIR", profiles)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver starts");
    let output = driver.stdout.take().expect("stdout is piped");
    let port = BufReader::new(output)
        .lines()
        .map_while(Result::ok)
        .find_map(|line| Some(line.split_once(STARTED)?.1.trim_end_matches('.').to_owned()));
    if port.is_none() {
        driver.kill().expect("it can be ended");
        driver.wait().expect("it has ended");
    }
    Some((driver, port?))
}

impl Browser {
    /// Starts a browser, or skips the test.
    pub(crate) async fn start() -> Option<Self> {
        Self::on(Screen::PHONE).await
    }

    /// Starts a browser with this screen, or skips the test.
    pub(crate) async fn on(screen: Screen) -> Option<Self> {
        let program = tool::program("chromedriver")?;
        let is_installed = Path::new(CHROMIUM).is_file();
        let chromium = tool::or_skip("chromium-headless-shell", is_installed.then_some(CHROMIUM))?;
        let profile = tempfile::tempdir().expect("a temporary folder");
        let started = (0..STARTS).find_map(|_| start_driver(&program, profile.path()));
        let (driver, port) = started.expect("chromedriver says its port");

        let options = json!({
            "binary": chromium,
            "args": [
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                // A process beside, ready for another site's page, would never be used.
                "--disable-features=SpareRendererForSitePerProcess",
                // Debian's font rendering, which the shell does not detect by itself.
                "--font-render-hinting=slight",
                format!(
                    "--blink-settings=preferredColorScheme={}{}",
                    u8::from(!screen.is_dark),
                    if screen.width < 500 { "" } else { MOUSE },
                ),
            ],
            "mobileEmulation": {"deviceMetrics": {
                "width": screen.width, "height": screen.height, "pixelRatio": 1,
                "mobile": screen.width < 500, "touch": screen.width < 500,
            }},
        });
        let capabilities = [
            ("goog:chromeOptions".to_owned(), options),
            ("goog:loggingPrefs".to_owned(), json!({"browser": "ALL"})),
        ]
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
            taps: AtomicUsize::new(0),
        })
    }

    /// Waits until the element exists and is shown, even if the page is
    /// reloaded meanwhile.
    pub(crate) async fn shown(&self, css: &str) -> Element {
        let displayed = async {
            loop {
                if let Some(element) = self.laid_out(css).await
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

    /// Returns the element, if it has a box. The driver's check whether it is displayed is a long
    /// script, too long to repeat while no element has a box.
    async fn laid_out(&self, css: &str) -> Option<Element> {
        let found = self.execute(LAID_OUT, vec![json!(css)]).await.ok()?;
        let id = found[ELEMENT].as_str()?.to_owned();
        Some(Element::from_element_id(self.client.clone(), id.into()))
    }

    /// Returns the text of a displayed element.
    pub(crate) async fn text(&self, css: &str) -> String {
        self.shown(css).await.text().await.expect("the text")
    }

    /// Waits until the text of a displayed element contains a part.
    pub(crate) async fn wait_for_text(&self, css: &str, part: &str) {
        let mut text = String::new();
        let told = async {
            while !text.contains(part) {
                tokio::time::sleep(Duration::from_millis(50)).await;
                text = self.text(css).await;
            }
        };
        let told = tokio::time::timeout(SHOWN, told).await;
        assert!(told.is_ok(), "{css} says nothing of {part}: {text}");
    }

    /// Clicks on an element, once it is shown.
    pub(crate) async fn click(&self, css: &str) {
        self.shown(css).await.click().await.expect("a click");
        self.taps.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of clicks so far.
    pub(crate) fn taps(&self) -> usize {
        self.taps.load(Ordering::Relaxed)
    }

    /// Waits until the picture with this id is loaded.
    pub(crate) async fn wait_for_picture(&self, id: &str) {
        let script = "return document.getElementById(arguments[0]).naturalWidth > 0";
        let loaded = async {
            while self.execute(script, vec![json!(id)]).await.ok() != Some(json!(true)) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let loaded = tokio::time::timeout(SHOWN, loaded).await;
        loaded.expect("the picture is loaded");
    }

    /// Scrolls an element to the top of the window.
    pub(crate) async fn scroll_to(&self, css: &str) {
        self.shown(css).await;
        let script = "document.querySelector(arguments[0]).scrollIntoView({ block: 'start' })";
        let scrolled = self.execute(script, vec![json!(css)]).await;
        scrolled.expect("a script runs");
    }

    /// Presses a key in the focused element.
    pub(crate) async fn press(&self, key: impl Into<char>) {
        let value = key.into();
        let keys = KeyActions::new("keyboard".to_owned())
            .then(KeyAction::Down { value })
            .then(KeyAction::Up { value });
        self.perform_actions(keys).await.expect("a pressed key");
    }

    /// Types a personal code and presses the button.
    pub(crate) async fn start_signing(&self, personal_code: &str) {
        let input = self.shown("#personal-code").await;
        input.clear().await.expect("an empty field");
        input.send_keys(personal_code).await.expect("typed text");
        self.click("#sign").await;
    }

    /// Asserts that the page has no accessibility violations and no horizontal
    /// scrolling.
    pub(crate) async fn assert_accessible(&self, state: &str) {
        let is_there = self.execute("return 'axe' in window", Vec::new()).await;
        if is_there.expect("a look") != json!(true) {
            let checker = include_str!("../../browser/axe/axe.min.js");
            let brought = self.execute(checker, Vec::new()).await;
            brought.expect("the checker");
        }
        let found = self.execute_async(CHECK, Vec::new()).await;
        let found = found.expect("the findings");
        assert_eq!(found, json!([]), "{state}");
    }

    /// Returns whether pictures for the documentation are requested.
    pub(crate) fn illustrates() -> bool {
        std::env::var_os("PARAFA_PICTURES").is_some()
    }

    /// Saves a picture of the window for the documentation, if
    /// `PARAFA_PICTURES` names a folder for it.
    pub(crate) async fn illustrate(&self, name: &str) {
        let Some(folder) = std::env::var_os("PARAFA_PICTURES") else {
            return;
        };
        let picture = self.client.screenshot().await.expect("a screenshot");
        let file = super::root().join(folder).join(name).with_extension("png");
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder for pictures");
        std::fs::write(file, picture).expect("a written file");
    }

    /// Saves a picture of the window as `target/screenshots/NAME.png`, for
    /// people to review.
    pub(crate) async fn keep_picture(&self, name: &str) {
        let folder = super::root().join("target/screenshots");
        let picture = self.client.screenshot().await.expect("a screenshot");
        std::fs::create_dir_all(&folder).expect("a folder for screenshots");
        std::fs::write(folder.join(name).with_extension("png"), picture).expect("a written file");
    }

    /// Turns the page's network access off or on.
    pub(crate) async fn set_offline(&self, is_offline: bool) {
        let conditions = json!({
            "offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
        });
        self.devtools("Network.emulateNetworkConditions", conditions)
            .await;
    }

    /// Sets the preference for reduced motion, as a device's settings do.
    pub(crate) async fn reduce_motion(&self) {
        let feature = json!({"name": "prefers-reduced-motion", "value": "reduce"});
        self.devtools("Emulation.setEmulatedMedia", json!({"features": [feature]}))
            .await;
    }

    /// Withholds changes of a signing's state from pages opened from now on:
    /// they get the first state alone. Returns the argument of
    /// [`Self::let_news_through`].
    pub(crate) async fn withhold_news(&self) -> Value {
        let source = "
            let told = false;
            const real = window.fetch;
            window.fetch = (address, options) => {
              if (!String(address).includes('/state')) return real(address, options);
              if (told) return new Promise(() => {});
              told = true;
              return real(address, options);
            };
        ";
        let params = json!({"source": source});
        self.devtools("Page.addScriptToEvaluateOnNewDocument", params)
            .await
    }

    /// Stops withholding changes from pages opened from now on.
    pub(crate) async fn let_news_through(&self, withheld: Value) {
        self.devtools("Page.removeScriptToEvaluateOnNewDocument", withheld)
            .await;
    }

    /// Disables scripts of pages from now on.
    pub(crate) async fn turn_scripts_off(&self) {
        self.devtools(
            "Emulation.setScriptExecutionDisabled",
            json!({"value": true}),
        )
        .await;
    }

    /// Sets the folder of downloads.
    pub(crate) async fn download_into(&self, folder: &Path) {
        let params = json!({"behavior": "allow", "downloadPath": folder});
        self.devtools("Browser.setDownloadBehavior", params).await;
    }

    /// Blocks an address for the page.
    pub(crate) async fn block(&self, address: &str) {
        self.devtools("Network.setBlockedURLs", json!({"urls": [address]}))
            .await;
    }

    async fn devtools(&self, command: &str, params: Value) -> Value {
        let mut answer = Value::Null;
        for (cmd, params) in [("Network.enable", json!({})), (command, params)] {
            let body = json!({"cmd": cmd, "params": params});
            let extension = Extension("goog/cdp/execute", body);
            let done = self.client.issue_cmd(extension).await;
            answer = done.expect("the browser obeys");
        }
        answer
    }

    /// Returns the browser's messages since the last call: errors of scripts,
    /// resources blocked by a policy, and failed requests.
    async fn complaints(&self) -> Vec<String> {
        let log = Extension("se/log", json!({"type": "browser"}));
        let entries = self.client.issue_cmd(log).await.expect("the log");
        let entries = entries.as_array().expect("a list of entries").iter();
        entries
            .filter(|entry| entry["level"] == "SEVERE")
            .map(|entry| entry["message"].as_str().unwrap_or_default().to_owned())
            .filter(|message| !message.contains(CODE_TO_SCAN))
            .collect()
    }

    /// Asserts that the browser logged this message, and no other, since the
    /// last call.
    pub(crate) async fn assert_complains_of(&self, expected: &str) {
        let complaints = self.complaints().await;
        let is_expected = |complaint: &String| complaint.contains(expected);
        assert!(!complaints.is_empty(), "no complaint of {expected}");
        assert!(complaints.iter().all(is_expected), "{complaints:#?}");
    }

    /// Ends the session and the driver; fails the test if the browser logged
    /// messages.
    pub(crate) async fn close(self) {
        let complaints = self.complaints().await;
        let _ = self.client.clone().close().await;
        assert!(complaints.is_empty(), "{complaints:#?}");
    }
}

/// A chromedriver extension command: its path and its body.
#[derive(Debug)]
struct Extension(&'static str, Value);

impl WebDriverCompatibleCommand for Extension {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!(
            "session/{}/{}",
            session.unwrap_or_default(),
            self.0
        ))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.1.to_string()))
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
