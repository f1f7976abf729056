use std::time::{Duration, Instant};

use reqwest::{Method as Http, StatusCode};
use serde_json::{Value, json};
use url::Url;

use super::hosts::Hosts;
use crate::support::demo::{Demo, Persona, parafa};

/// Time limit for a person's signature.
const PATIENCE: Duration = Duration::from_secs(600);
/// Pause between two requests for a link.
const PAUSE: Duration = Duration::from_millis(300);
/// Attempts after which a signer who may be anybody uses a card: each failed attempt counts against
/// its person for an hour.
const ATTEMPTS: usize = 3;

/// Methods of signing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Method {
    SmartId,
    MobileId,
    Card,
}

impl Method {
    pub(super) const ALL: [Self; 3] = [Self::SmartId, Self::MobileId, Self::Card];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SmartId => "smart_id",
            Self::MobileId => "mobile_id",
            Self::Card => "nfc",
        }
    }

    /// Returns the personas with this method.
    fn people(self) -> &'static [&'static str] {
        match self {
            Self::SmartId => &["smart-id-1", "smart-id-2", "smart-id-3", "smart-id-4"],
            Self::MobileId => &["mobile-id-1", "mobile-id-2"],
            Self::Card => &["card-p384", "card-p256", "card-rsa"],
        }
    }
}

/// The result of a check of a link.
#[derive(Clone, Copy, Debug)]
enum Look {
    Signed,
    Waiting,
    /// An attempt was begun, or could not be.
    Begun,
    /// This person has no attempts left for now, or the link has none.
    Refused,
}

/// A person who signs by some method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signer {
    pub(super) number: usize,
    pub(super) method: Method,
}

impl Signer {
    pub(super) fn persona(self, world: &Demo) -> &Persona {
        let people = self.method.people();
        world.persona(people[self.number % people.len()])
    }

    /// Signs at a link. Returns false if faults have used up the person's attempts, or the link's.
    pub(super) async fn sign(self, hosts: &Hosts, world: &Demo, link: &Value) -> bool {
        self.sign_as(hosts, world, link, |_| self).await
    }

    /// Like `sign`, at a link for anybody: after some attempts a person with a card signs.
    pub(super) async fn sign_somehow(self, hosts: &Hosts, world: &Demo, link: &Value) -> bool {
        let with_card = Self {
            method: Method::Card,
            ..self
        };
        let is_enough = |attempts: usize| hosts.are_faulty() && attempts >= ATTEMPTS;
        let who = |attempts: usize| if is_enough(attempts) { with_card } else { self };
        let is_signed = self.sign_as(hosts, world, link, who).await;
        assert!(
            is_signed || hosts.are_faulty(),
            "{self:?}: nobody may be asked"
        );
        is_signed
    }

    async fn sign_as(
        self,
        hosts: &Hosts,
        world: &Demo,
        link: &Value,
        who: impl Fn(usize) -> Self,
    ) -> bool {
        let link: Url = link.as_str().expect("a link").parse().expect("a URL");
        let link = link.path().trim_matches('/').to_owned();
        let (begun, mut attempts) = (Instant::now(), 0);
        loop {
            let signer = who(attempts);
            let look = signer.look(hosts, world, &link).await;
            let is_late = begun.elapsed() >= PATIENCE;
            // Nobody comes after a person with a card.
            let is_last = signer.method == Method::Card;
            match look {
                Look::Signed => return true,
                Look::Refused if is_late || is_last => return false,
                Look::Waiting => {}
                Look::Begun | Look::Refused => attempts += 1,
            }
            assert!(!is_late, "{self:?}: the ceremony does not end");
        }
    }

    /// Checks the link, and begins an attempt if none is running.
    async fn look(self, hosts: &Hosts, world: &Demo, link: &str) -> Look {
        let path = format!("{link}/state?waitMs=2000");
        let state = hosts.insist_on_json(Http::GET, &path, None).await;
        if state["signer"]["status"] == "signed" {
            return Look::Signed;
        }
        let attempt = &state["attempt"];
        match attempt["phase"].as_str() {
            None => {}
            Some("failed") => {
                let code = attempt["error"]["code"].as_str().expect("a code");
                // A host died after the phone's ring, before it recorded that, or while an app used
                // it.
                let is_of_death = match self.method {
                    Method::Card => ["cancelled", "timeout"].contains(&code),
                    Method::SmartId | Method::MobileId => code == "timeout",
                };
                assert!(is_of_death || hosts.are_faulty(), "{self:?}: {attempt}");
            }
            Some(_) => return Look::Waiting,
        }
        let look = self.begin(hosts, world, link).await;
        tokio::time::sleep(PAUSE).await;
        look
    }

    async fn begin(self, hosts: &Hosts, world: &Demo, link: &str) -> Look {
        let persona = self.persona(world);
        if let Method::Card = self.method {
            let link = hosts.any().join(link).expect("a link").to_string();
            let data = world.data().to_str().expect("UTF-8").to_owned();
            let words = [
                "demo",
                "card",
                "sign",
                &link,
                "--as",
                &persona.id,
                "--data",
                &data,
            ];
            let words = words.map(str::to_owned);
            let signed = tokio::task::spawn_blocking(move || parafa(words));
            let signed = signed.await.expect("the app");
            // Other failures show at the link.
            let told = String::from_utf8_lossy(&signed.stderr);
            let is_refused = told.contains(&StatusCode::TOO_MANY_REQUESTS.to_string());
            return match hosts.are_faulty() && is_refused {
                true => Look::Refused,
                false => Look::Begun,
            };
        }
        let mut body = json!({
            "method": self.method.name(),
            "country": persona.country,
            "personalCode": persona.personal_code,
        });
        if let Method::MobileId = self.method {
            body["phoneNumber"] = json!(persona.phone_number);
        }
        let path = format!("{link}/attempts");
        let mut known = vec![StatusCode::CONFLICT];
        if hosts.are_faulty() {
            // Another person may sign instead, or a call that was not answered has led to the
            // signature meanwhile.
            known.extend([StatusCode::TOO_MANY_REQUESTS, StatusCode::NOT_FOUND]);
        }
        let begun = hosts.insist(Http::POST, &path, Some(&body), &known).await;
        match begun.status {
            StatusCode::TOO_MANY_REQUESTS => Look::Refused,
            _ => Look::Begun,
        }
    }
}

/// Returns the number of signatures of a document; fails the test unless all of them are intact.
pub(super) fn intact_signatures(document: &[u8], ending: &str) -> usize {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join(format!("signed.{ending}"));
    std::fs::write(&file, document).expect("a file");
    let verified = parafa(["verify".as_ref(), file.as_os_str()]);
    let told = String::from_utf8_lossy(&verified.stdout);
    assert!(verified.status.success(), "{told}");
    told.lines()
        .filter(|line| line.starts_with("signature "))
        .count()
}
