use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, HeaderName};
use parafa_demo::{KeyType, Persona};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;

use super::super::http::Client;
use crate::cli::{CommandError, Location, print_json, print_line};
use crate::demo::DemoFile;

/// Arguments of `parafa demo card sign`.
#[derive(Debug, clap::Args)]
pub(super) struct SignArguments {
    /// The signer's link.
    #[arg(value_name = "CEREMONY_URL")]
    ceremony: Url,
    /// Whose card signs: a persona's id.
    #[arg(long = "as", value_name = "PERSONA")]
    persona: String,
    /// Behave as no app should.
    #[arg(long, value_name = "HOW")]
    hostile: Option<Hostile>,
    #[command(flatten)]
    place: Location,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

/// What a hostile app does.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
enum Hostile {
    /// Sends another card's certificate between the two calls.
    Swap,
    /// Has the card sign other bytes.
    OtherBytes,
    /// Has a card with a key on another curve sign.
    WrongCurve,
    /// Sends the authentication certificate.
    AuthCertificate,
}

/// Has a persona's card sign.
pub(super) fn sign(arguments: &SignArguments) -> Result<(), CommandError> {
    let config = arguments.place.load()?;
    let file = DemoFile::read(&DemoFile::path(&config.store.data))
        .map_err(|error| CommandError::Refused(error.to_string()))?;
    let cards: Vec<&Persona> = with_cards(&file).collect();
    let own = cards.iter().find(|card| card.id == arguments.persona);
    let own = own.ok_or_else(|| {
        let known: Vec<&str> = cards.iter().map(|card| card.id.as_str()).collect();
        CommandError::Refused(format!(
            "{} is no persona with a card; those are {}",
            arguments.persona,
            known.join(", ")
        ))
    })?;
    let other = cards.iter().find(|card| is_other(own, card));
    let other = other.context("the demo world has but one card")?;
    let mut link = arguments.ceremony.clone();
    link.set_query(None);
    link.set_fragment(None);
    let app = App::new(&link, &file.world.addresses.cards)?;
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let signed = runtime.block_on(app.sign(&link, &own.id, &other.id, arguments.hostile));
    let attempt = signed?;
    let phase = attempt["phase"].as_str().unwrap_or_default();
    if phase == "failed" {
        let message = attempt["error"]["message"].as_str().unwrap_or_default();
        let code = attempt["error"]["code"].as_str().unwrap_or_default();
        return Err(CommandError::Refused(format!("{code}: {message}")));
    }
    if arguments.json {
        print_json(&json!({"persona": own.id, "attempt": attempt}))?;
    } else {
        print_line(format_args!("{} has signed: {phase}", own.id))?;
    }
    Ok(())
}

fn with_cards(file: &DemoFile) -> impl Iterator<Item = &Persona> {
    let personas = file.world.personas().iter();
    personas.filter(|persona| persona.methods.contains(&parafa_demo::Method::Nfc))
}

/// Whether a card is somebody else's, and its key on another curve.
fn is_other(own: &Persona, card: &Persona) -> bool {
    let is_ec = |persona: &Persona| matches!(persona.key_type, Some(KeyType::P256 | KeyType::P384));
    card.id != own.id && is_ec(card) && card.key_type != own.key_type
}

/// The app on the phone.
struct App {
    client: Client,
    /// Where cards are.
    cards: Url,
}

impl App {
    fn new(link: &Url, cards: &str) -> Result<Self, CommandError> {
        let client = Client::of(&[link.as_str(), cards])?;
        let cards = Url::parse(cards).context("the world's address")?;
        Ok(Self { client, cards })
    }

    /// From the button to the end of the attempt.
    async fn sign(
        &self,
        link: &Url,
        own: &str,
        other: &str,
        hostile: Option<Hostile>,
    ) -> Result<Value, CommandError> {
        let start = json!({"method": "nfc"});
        let state = self.post(&below(link, "attempts"), None, &start).await?;
        let code = &state["attempt"]["pairing"]["code"];
        let uri = state["attempt"]["pairing"]["uri"].as_str();
        let uri = uri.and_then(|uri| Url::parse(uri).ok());
        let uri = uri.context("the attempt has no pairing")?;
        let pairings = uri.join("/c/pairings").context("the pairing's address")?;
        let paired = self.post(&pairings, None, &json!({"code": code})).await?;
        let token = paired["cardToken"].as_str().unwrap_or_default();
        let base = paired["base"]
            .as_str()
            .and_then(|base| Url::parse(base).ok());
        let base = base.context("the pairing has no base")?;

        let key = match hostile {
            Some(Hostile::AuthCertificate) => "authentication",
            _ => "signing",
        };
        let certificate = self.certificate(own, key).await?;
        let asked = self
            .post(&below(&base, "certificate"), Some(token), &certificate)
            .await?;
        if hostile == Some(Hostile::Swap) {
            let swapped = self.certificate(other, "signing").await?;
            self.post(&below(&base, "certificate"), Some(token), &swapped)
                .await?;
        }
        let to_be_signed = asked["dtbs"].as_str().unwrap_or_default();
        let mut to_be_signed = STANDARD
            .decode(to_be_signed)
            .context("what is to be signed")?;
        if hostile == Some(Hostile::OtherBytes) {
            to_be_signed.push(0);
        }
        let signer = match hostile {
            Some(Hostile::Swap | Hostile::WrongCurve) => other,
            _ => own,
        };
        let digest = json!({"sha256": STANDARD.encode(Sha256::digest(&to_be_signed))});
        let address = below(&self.cards, &format!("{signer}/{key}/sign"));
        let mut signature = self.post(&address, None, &digest).await?;
        signature["operationToken"] = asked["operationToken"].clone();
        self.post(&below(&base, "complete"), Some(token), &signature)
            .await
    }

    async fn certificate(&self, persona: &str, key: &str) -> Result<Value, CommandError> {
        let address = below(&self.cards, &format!("{persona}/{key}"));
        self.call(&address, None, None).await
    }

    async fn post(
        &self,
        address: &Url,
        token: Option<&str>,
        body: &Value,
    ) -> Result<Value, CommandError> {
        self.call(address, token, Some(body)).await
    }

    /// The answer, or the service's own words.
    async fn call(
        &self,
        address: &Url,
        token: Option<&str>,
        body: Option<&Value>,
    ) -> Result<Value, CommandError> {
        let authorization = token.map(|token| format!("Bearer {token}"));
        let headers: Vec<(HeaderName, &str)> = authorization
            .iter()
            .map(|value| (AUTHORIZATION, value.as_str()))
            .collect();
        let (status, problem) = self.client.call(address.as_str(), &headers, body).await?;
        if status.is_success() {
            return Ok(problem);
        }
        let fault = &problem["errors"][0]["detail"];
        let told = fault.as_str().or(problem["detail"].as_str());
        Err(CommandError::Refused(format!(
            "{status}: {}",
            told.unwrap_or("no reason is given")
        )))
    }
}

fn below(base: &Url, path: &str) -> Url {
    let mut address = base.clone();
    let whole = format!("{}/{path}", base.path().trim_end_matches('/'));
    address.set_path(&whole);
    address
}
