mod auth;

use std::time::Duration;

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Method, Request, header};
use parafa_demo::{KeyType, Persona};
use parafa_http_port::{ExchangeLimits, HttpPort};
use parafa_outbound::{AddressPolicy, HostPort, OutboundClient, Reach, ServerTrust};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;

use crate::cli::{CommandError, Location, print_json, print_line};
use crate::demo::DemoFile;

/// What one call may take and hold.
const LIMITS: ExchangeLimits = ExchangeLimits {
    timeout: Duration::from_secs(60),
    max_response_bytes: 256 * 1024,
};

/// Arguments of `parafa demo card`.
#[derive(Debug, clap::Args)]
pub(super) struct CardArguments {
    #[command(subcommand)]
    command: CardCommand,
}

#[derive(Debug, clap::Subcommand)]
enum CardCommand {
    /// Sign on a signer's page with a persona's card, as the app on a phone
    /// would: starts the attempt, pairs, and has the card sign.
    Sign(SignArguments),
    /// Authenticate the holder of a persona's card, for a request of the
    /// authentication API.
    Auth(auth::AuthArguments),
}

#[derive(Debug, clap::Args)]
struct SignArguments {
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

/// Has a persona's card do what was asked.
pub(super) fn card(arguments: &CardArguments) -> Result<(), CommandError> {
    match &arguments.command {
        CardCommand::Sign(arguments) => sign(arguments),
        CardCommand::Auth(arguments) => auth::auth(arguments),
    }
}

fn sign(arguments: &SignArguments) -> Result<(), CommandError> {
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
    client: OutboundClient,
    /// Where cards are.
    cards: Url,
}

impl App {
    fn new(link: &Url, cards: &str) -> Result<Self, CommandError> {
        // Nothing else of this process has chosen one.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let cards = Url::parse(cards).context("the world's address")?;
        let listed = [link, &cards]
            .into_iter()
            .filter_map(HostPort::of)
            .collect();
        let policy = AddressPolicy::new(listed, Reach::ListedOnly);
        let client = OutboundClient::new(policy, &ServerTrust::default()).context("the client")?;
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
        self.call(Method::GET, &address, None, Bytes::new()).await
    }

    async fn post(
        &self,
        address: &Url,
        token: Option<&str>,
        body: &Value,
    ) -> Result<Value, CommandError> {
        let body = Bytes::from(body.to_string());
        self.call(Method::POST, address, token, body).await
    }

    /// The answer, or the service's own words.
    async fn call(
        &self,
        method: Method,
        address: &Url,
        token: Option<&str>,
        body: Bytes,
    ) -> Result<Value, CommandError> {
        let mut request = Request::builder()
            .method(method)
            .uri(address.as_str())
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(body).context("the request")?;
        let answer = self.client.exchange(request, LIMITS).await;
        let answer = answer.map_err(|error| CommandError::Refused(error.to_string()))?;
        if answer.status().is_success() {
            return Ok(serde_json::from_slice(answer.body()).context("the answer")?);
        }
        let problem: Value = serde_json::from_slice(answer.body()).unwrap_or_default();
        let fault = &problem["errors"][0]["detail"];
        let told = fault.as_str().or(problem["detail"].as_str());
        Err(CommandError::Refused(format!(
            "{}: {}",
            answer.status(),
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
