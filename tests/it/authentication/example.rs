//! Example of a relying party, run as a newcomer would.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use parafa_fixtures::tool;

use crate::support::browser::Browser;
use crate::support::demo::Demo;
use crate::support::root;

const PAGE: &str = "http://localhost:8090";
/// Time limit for a login.
const WITHIN: Duration = Duration::from_secs(30);

/// Backend of the example; it is killed on drop.
struct RelyingParty(Child);

impl RelyingParty {
    fn start(demo: &Demo) -> Option<Self> {
        let mut backend = Command::new(tool::program("python3")?)
            .args(["-u", "docs/examples/relying_party.py"])
            .arg(demo.data().join("demo.json"))
            .current_dir(root())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python runs");
        let output = backend.stdout.take().expect("stdout is piped");
        let first = BufReader::new(output).lines().next();
        let line = first.expect("it says where to go").expect("text");
        assert_eq!(line, format!("open {PAGE}"));
        Some(Self(backend))
    }
}

impl Drop for RelyingParty {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until the page contains `part`; returns the page's text.
async fn told(browser: &Browser, part: &str) -> String {
    let says = async {
        loop {
            let text = browser.text("#out").await;
            if text.contains(part) {
                return text;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let says = tokio::time::timeout(WITHIN, says).await;
    says.unwrap_or_else(|_| panic!("the page does not say {part}"))
}

#[tokio::test]
async fn its_page_logs_a_card_s_holder_in_and_tells_why_a_revoked_card_is_refused() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let Some(_backend) = RelyingParty::start(&demo) else {
        return;
    };
    browser.goto(PAGE).await.expect("the page");

    browser.shown("#go").await.click().await.expect("a click");
    let login = told(&browser, "assertion").await;
    let login: serde_json::Value = serde_json::from_str(&login).expect("JSON");
    let holder = demo.persona("card-p384");
    assert_eq!(login["subject"]["serialNumber"], holder.personal_code);

    let who = browser.shown("#who").await;
    let choice = who.select_by_label("card-revoked").await;
    choice.expect("the revoked card is offered");
    browser.shown("#go").await.click().await.expect("a click");
    told(&browser, "certificate_revoked: ").await;
    browser.assert_complains_of("422 (Unprocessable").await;
    browser.close().await;
}
