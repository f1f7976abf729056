use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::header::{AUTHORIZATION, HeaderName};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::{
    calls::Calls,
    cards::CardReader,
    known_world::KnownWorld,
    outcome::{CommandError, Told},
};

/// Arguments of `demo card sign`.
#[derive(Debug, clap::Args)]
pub struct SignArguments {
    /// The signer's link.
    #[arg(value_name = "CEREMONY_URL")]
    ceremony: Url,
    /// The id of the persona whose card signs.
    #[arg(long = "as", value_name = "PERSONA")]
    persona: String,
    /// Attack the signing in this way.
    #[arg(long, value_name = "HOW")]
    hostile: Option<SigningAttack>,
}

/// Attack of an app.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
enum SigningAttack {
    /// Send another card's certificate between the two calls.
    Swap,
    /// Sign bytes other than the data to be signed.
    OtherBytes,
    /// Sign with a card whose key is on another curve.
    WrongCurve,
    /// Send the authentication certificate.
    AuthCertificate,
}

impl SignArguments {
    pub(super) async fn run(&self, world: KnownWorld<'_>) -> Result<Told, CommandError> {
        let own = world.holder(&self.persona)?;
        let other = world.holder_on_other_curve(own)?;
        let mut link = self.ceremony.clone();
        link.set_query(None);
        link.set_fragment(None);
        let calls = &Calls::new()?;
        let app = SigningApp {
            cards: CardReader::of(world, calls),
        };
        let attempt = app.sign(&link, &own.id, other, self.hostile).await?;
        let phase = attempt["phase"].as_str().unwrap_or_default();
        if phase == "failed" {
            let message = attempt["error"]["message"].as_str().unwrap_or_default();
            let code = attempt["error"]["code"].as_str().unwrap_or_default();
            return Err(CommandError::Refused(format!("{code}: {message}")));
        }
        Ok(Told {
            line: format!("{} has signed: {phase}", own.id),
            value: json!({"persona": own.id, "attempt": attempt}),
        })
    }
}

/// The app on the phone.
struct SigningApp<'a> {
    cards: CardReader<'a>,
}

impl SigningApp<'_> {
    /// From the button to the end of the attempt. A refused attempt is cancelled, unless the server
    /// has ended it: its turn would block others.
    async fn sign(
        &self,
        link: &Url,
        own: &str,
        other: &str,
        hostile: Option<SigningAttack>,
    ) -> Result<Value, CommandError> {
        let start = json!({"method": "nfc"});
        let state = self.post(&below(link, "attempts"), None, &start).await?;
        let signed = self.go_on(&state, own, other, hostile).await;
        if signed.is_err() {
            let attempt = below(link, "attempts/current");
            // The refusal is reported, whether or not this succeeds.
            let _ = self.cards.calls.delete(&attempt).await;
        }
        signed
    }

    /// From the code to the end of the attempt.
    async fn go_on(
        &self,
        state: &Value,
        own: &str,
        other: &str,
        hostile: Option<SigningAttack>,
    ) -> Result<Value, CommandError> {
        let pairing = &state["attempt"]["pairing"];
        let pairings = address(&pairing["uri"])?.join("/c/pairings");
        let pairings = pairings.map_err(|_| lacks("pairing"))?;
        let code = json!({"code": pairing["code"]});
        let paired = self.post(&pairings, None, &code).await?;
        let token = paired["cardToken"].as_str();
        let base = address(&paired["base"])?;

        let key = match hostile {
            Some(SigningAttack::AuthCertificate) => "authentication",
            _ => "signing",
        };
        let certificates = below(&base, "certificate");
        let certificate = self.cards.certificate(own, key).await?;
        let asked = self.post(&certificates, token, &certificate).await?;
        if hostile == Some(SigningAttack::Swap) {
            let swapped = self.cards.certificate(other, "signing").await?;
            self.post(&certificates, token, &swapped).await?;
        }
        let to_be_signed = STANDARD.decode(asked["dtbs"].as_str().unwrap_or_default());
        let mut to_be_signed = to_be_signed.map_err(|_| lacks("dtbs"))?;
        if hostile == Some(SigningAttack::OtherBytes) {
            to_be_signed.push(0);
        }
        let signer = match hostile {
            Some(SigningAttack::Swap | SigningAttack::WrongCurve) => other,
            _ => own,
        };
        let digest = Sha256::digest(&to_be_signed);
        let mut signature = self.cards.sign(signer, key, &digest).await?;
        signature["operationToken"] = asked["operationToken"].clone();
        self.post(&below(&base, "complete"), token, &signature)
            .await
    }

    /// The answer, or the service's own words.
    async fn post(
        &self,
        address: &Url,
        token: Option<&str>,
        body: &Value,
    ) -> Result<Value, CommandError> {
        let authorization = token.map(|token| format!("Bearer {token}"));
        let headers: Vec<(HeaderName, &str)> = authorization
            .iter()
            .map(|value| (AUTHORIZATION, value.as_str()))
            .collect();
        let called = self
            .cards
            .calls
            .call(address.as_str(), &headers, Some(body));
        let (status, answer) = called.await?;
        if status.is_success() {
            return Ok(answer);
        }
        let fault = &answer["errors"][0]["detail"];
        let told = fault.as_str().or(answer["detail"].as_str());
        Err(CommandError::Refused(format!(
            "{status}: {}",
            told.unwrap_or("no reason is given")
        )))
    }
}

fn address(member: &Value) -> Result<Url, CommandError> {
    let address = member.as_str().and_then(|text| Url::parse(text).ok());
    address.ok_or_else(|| lacks("address"))
}

fn lacks(what: &str) -> CommandError {
    CommandError::Incomplete(format!("the server's answer has no {what}"))
}

fn below(base: &Url, path: &str) -> Url {
    let mut address = base.clone();
    let whole = format!("{}/{path}", base.path().trim_end_matches('/'));
    address.set_path(&whole);
    address
}
