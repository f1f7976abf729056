use std::time::{Duration, Instant};

use reqwest::{Method as Http, StatusCode};
use serde_json::{Value, json};
use tokio::task::block_in_place;
use url::Url;

use super::cards::{Presented, present_card};
use super::town::Town;
use crate::support::demo::{Demo, Persona, parafa};

/// Time limit for a person's signature.
const PATIENCE: Duration = Duration::from_secs(600);
/// Pause between two requests for a link.
const PAUSE: Duration = Duration::from_millis(300);
/// Attempts by phone, after which a signer who may be anybody uses a card: each failed attempt
/// counts against its person for an hour, and faults end those by phone most often.
const BY_PHONE: usize = 2;
/// Failures that no fault leads to: the personas agree, and have good devices and certificates.
pub(super) const OF_PEOPLE: [&str; 12] = [
    "bad_signature",
    "certificate_expired",
    "certificate_purpose",
    "certificate_revoked",
    "certificate_untrusted",
    "document_changed",
    "dtbs_mismatch",
    "identity_mismatch",
    "no_account",
    "not_qualified",
    "user_refused",
    "wrong_code",
];

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
            Self::SmartId => &[
                "smart-id-1",
                "smart-id-2",
                "smart-id-3",
                "smart-id-4",
                "smart-id-minor",
                "smart-id-link",
                "smart-id-link-minor",
            ],
            Self::MobileId => &["mobile-id-1", "mobile-id-2"],
            Self::Card => &["card-p384", "card-p256", "card-rsa", "card-p521"],
        }
    }
}

/// The result of a check of a link.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Look {
    Signed,
    Waiting,
    /// An attempt was begun, or could not be.
    Begun,
    /// An attempt was begun, and its card's signature acknowledged.
    Complete,
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
    pub(super) async fn sign(self, town: &Town, link: &Value) -> bool {
        self.sign_as(town, link, |_| self, 1).await
    }

    /// Like `sign`, at a link for anybody: where hosts are faulty, another person makes each
    /// attempt. Returns false if all who came have no attempts left.
    pub(super) async fn sign_somehow(self, town: &Town, link: &Value) -> bool {
        let who = |attempts: usize| match town.signing.are_faulty() {
            false => self,
            true => Self {
                number: self.number.wrapping_add(attempts),
                method: match attempts < BY_PHONE {
                    true => self.method,
                    false => Method::Card,
                },
            },
        };
        let people = BY_PHONE + Method::Card.people().len();
        self.sign_as(town, link, who, people).await
    }

    /// Lets people sign at a link, until this many were refused.
    async fn sign_as(
        self,
        town: &Town,
        link: &Value,
        who: impl Fn(usize) -> Self,
        people: usize,
    ) -> bool {
        let link = path_of(link);
        let (begun, mut attempts, mut refused) = (Instant::now(), 0, 0);
        let mut is_acknowledged = false;
        while begun.elapsed() < PATIENCE {
            let look = who(attempts).look(town, &link, is_acknowledged).await;
            is_acknowledged = match look {
                Look::Signed => return true,
                Look::Waiting => is_acknowledged,
                Look::Complete => true,
                Look::Begun | Look::Refused => false,
            };
            attempts += usize::from(look != Look::Waiting);
            refused += usize::from(look == Look::Refused);
            if refused >= people {
                return false;
            }
        }
        panic!("{self:?}: the ceremony does not end");
    }

    /// Checks the link, and begins an attempt if none is running. A card's signature that was
    /// acknowledged is completed, or fails for what comes after it.
    async fn look(self, town: &Town, link: &str, is_acknowledged: bool) -> Look {
        let hosts = &town.signing;
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
                // it; or the card's holder has several attempts waiting.
                let is_of_death = match self.method {
                    Method::Card => ["cancelled", "timeout", "too_many_attempts"].contains(&code),
                    Method::SmartId | Method::MobileId => code == "timeout",
                };
                let is_of_fault = hosts.are_faulty() && !OF_PEOPLE.contains(&code);
                assert!(is_of_death || is_of_fault, "{self:?}: {attempt}");
                let is_without_card = ["cancelled", "timeout"].contains(&code);
                assert!(!(is_acknowledged && is_without_card), "{self:?}: {attempt}");
            }
            Some("completing") => return Look::Waiting,
            Some(_) if is_acknowledged => return Look::Waiting,
            // No app uses it any more.
            Some(_) if attempt["method"] == Method::Card.name() => {}
            Some(_) => return Look::Waiting,
        }
        let look = self.begin(town, link).await;
        tokio::time::sleep(PAUSE).await;
        look
    }

    async fn begin(self, town: &Town, link: &str) -> Look {
        let (hosts, persona) = (&town.signing, self.persona(&town.world));
        let mut body = json!({"method": self.method.name()});
        if self.method != Method::Card {
            body["country"] = json!(persona.country);
            body["personalCode"] = json!(persona.personal_code);
        }
        if self.method == Method::MobileId {
            body["phoneNumber"] = json!(persona.phone_number);
        }
        let path = format!("{link}/attempts");
        // A call that was not answered may have led to the signature meanwhile.
        let mut known = vec![StatusCode::CONFLICT, StatusCode::NOT_FOUND];
        if hosts.are_faulty() {
            // Another person may sign instead.
            known.push(StatusCode::TOO_MANY_REQUESTS);
        }
        let begun = hosts.insist(Http::POST, &path, Some(&body), &known).await;
        if begun.status == StatusCode::TOO_MANY_REQUESTS {
            return Look::Refused;
        }
        if !begun.status.is_success() || self.method != Method::Card {
            return Look::Begun;
        }
        let state: Value = serde_json::from_slice(&begun.body).expect("JSON");
        match present_card(town, link, &persona.id, &state).await {
            Presented::Complete => Look::Complete,
            Presented::Over => Look::Begun,
            Presented::Refused => Look::Refused,
        }
    }
}

/// Returns the path of a link, which any host opens.
fn path_of(link: &Value) -> String {
    let link: Url = link.as_str().expect("a link").parse().expect("a URL");
    link.path().trim_matches('/').to_owned()
}

/// Returns the number of signatures of a document; fails the test unless all of them are intact.
pub(super) fn intact_signatures(document: &[u8], ending: &str) -> usize {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join(format!("signed.{ending}"));
    std::fs::write(&file, document).expect("a file");
    let verified = block_in_place(|| parafa(["verify".as_ref(), file.as_os_str()]));
    let told = String::from_utf8_lossy(&verified.stdout);
    assert!(verified.status.success(), "{told}");
    told.lines()
        .filter(|line| line.starts_with("signature "))
        .count()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::errands::{Conditions, Hosts};

    /// Attempts that may wait for one person.
    const WAITING: usize = 4;

    /// Returns the link of a new signing.
    async fn link(world: &Demo) -> Value {
        let signing = world.signing().create_plain().await;
        json!(signing.signers[0].link().as_str())
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_person_without_attempts_goes_and_another_signs_instead() {
        let world = Arc::new(Demo::start());
        let hosts = Hosts::at([world.world.base_url.clone()]);
        let hosts = hosts.in_conditions(Conditions::Faults);
        let town = Town::new(&world, &hosts, &Arc::default());
        let holder = Signer {
            number: 0,
            method: Method::Card,
        };
        let card = &holder.persona(&world).id;
        let certificate = town.provider.certificate(card, "signing").await;
        let certificate = json!({"certificate": certificate});
        for _ in 0..WAITING {
            let link = path_of(&link(&world).await);
            let start = json!({"method": "nfc"});
            for (call, body) in [("attempts", &start), ("card/certificate", &certificate)] {
                let path = format!("{link}/{call}");
                town.signing
                    .insist(Http::POST, &path, Some(body), &[])
                    .await;
            }
        }
        let link = link(&world).await;

        assert!(!holder.sign(&town, &link).await);
        assert!(holder.sign_somehow(&town, &link).await);
    }
}
