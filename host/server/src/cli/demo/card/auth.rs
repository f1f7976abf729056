use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::ValueEnum;
use http::header::{AUTHORIZATION, HeaderName, ORIGIN};
use parafa_demo::{Method, Outcome, Persona};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::super::http::Client;
use crate::cli::{CommandError, Location, print_json, print_line};
use crate::demo::DemoFile;

/// The origin of a page that nobody asked.
const FOREIGN_ORIGIN: &str = "https://evil.example";

/// Arguments of `parafa demo card auth`.
#[derive(Debug, clap::Args)]
pub(super) struct AuthArguments {
    /// The request's id.
    #[arg(long, value_name = "ID")]
    request: Uuid,
    /// The client's token of the request.
    #[arg(long, value_name = "CLIENTTOKEN", allow_hyphen_values = true)]
    token: String,
    /// Whose card it is: a persona's id.
    #[arg(long = "as", value_name = "PERSONA")]
    persona: String,
    /// Do not do as an honest app does.
    #[arg(long, value_enum)]
    hostile: Option<Hostile>,
    #[command(flatten)]
    place: Location,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

/// What an app may try.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Hostile {
    /// Submit another person's certificate after the first one.
    Swap,
    /// Sign with another person's card.
    OtherCard,
    /// Sign other bytes than those that are to be signed.
    OtherBytes,
    /// Sign the text of the data to be signed instead of its bytes.
    Text,
    /// Use the operation token a second time, with another signature.
    Replay,
    /// Submit the certificate for signatures.
    SigningCertificate,
    /// Make the calls from a page of another origin.
    Relay,
}

/// A card in the hands of an app.
struct App<'a> {
    client: Client,
    base: String,
    cards: &'a str,
    arguments: &'a AuthArguments,
}

/// Authenticates a persona.
pub(super) fn auth(arguments: &AuthArguments) -> Result<(), CommandError> {
    let config = arguments.place.load()?;
    let file = DemoFile::read(&DemoFile::path(&config.store.data))
        .map_err(|error| CommandError::Refused(error.to_string()))?;
    let personas = file.world.personas();
    let other = check_persona(personas, &arguments.persona)?;
    let app = App {
        client: Client::of(&[&file.base_url, &file.world.addresses.cards])?,
        base: format!("{}/v1/auth/{}", file.base_url, arguments.request),
        cards: &file.world.addresses.cards,
        arguments,
    };
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let answer = runtime.block_on(app.authenticate(other))?;
    if arguments.json {
        print_json(&answer)?;
    } else {
        let subject = &answer["cert"]["subject"];
        print_line(format_args!(
            "authenticated: {} {}",
            subject["cn"].as_str().unwrap_or_default(),
            subject["serialNumber"].as_str().unwrap_or_default()
        ))?;
    }
    Ok(())
}

/// Somebody else with a card that works; the persona has to have one too.
fn check_persona<'p>(personas: &'p [Persona], named: &str) -> Result<&'p str, CommandError> {
    let mut with_card = personas
        .iter()
        .filter(|persona| persona.methods.contains(&Method::Nfc));
    let known: Vec<&str> = with_card.clone().map(|one| one.id.as_str()).collect();
    if !known.contains(&named) {
        return Err(CommandError::Refused(format!(
            "{named} is no persona with a card; those are {}",
            known.join(", ")
        )));
    }
    let other = with_card.find(|one| one.id != named && one.outcome == Outcome::Signs);
    let other = other.context("the demo world has one card alone")?;
    Ok(&other.id)
}

impl App<'_> {
    async fn authenticate(&self, other: &str) -> Result<Value, CommandError> {
        let AuthArguments {
            persona, hostile, ..
        } = self.arguments;
        let key_use = match hostile {
            Some(Hostile::SigningCertificate) => "signing",
            _ => "authentication",
        };
        let certificate = self.certificate(persona, key_use).await?;
        let submitted = self.post("certificate", &certificate).await?;
        if *hostile == Some(Hostile::Swap) {
            let another = self.certificate(other, key_use).await?;
            self.post("certificate", &another).await?;
        }
        let dtbs = text(&submitted, "dtbs")?;
        let digest = match hostile {
            Some(Hostile::OtherBytes) => Sha256::digest(b"something else"),
            Some(Hostile::Text) => Sha256::digest(dtbs),
            _ => Sha256::digest(STANDARD.decode(dtbs).context("dtbs")?),
        };
        let signer = match hostile {
            Some(Hostile::OtherCard) => other,
            _ => persona.as_str(),
        };
        let token = text(&submitted, "operationToken")?;
        let completion = self.completion(signer, &digest, token).await?;
        let answer = self.post("complete", &completion).await?;
        if *hostile == Some(Hostile::Replay) {
            let other_digest = Sha256::digest(b"something else");
            let completion = self.completion(signer, &other_digest, token).await?;
            return self.post("complete", &completion).await;
        }
        Ok(answer)
    }

    async fn certificate(&self, persona: &str, key_use: &str) -> Result<Value, CommandError> {
        let address = format!("{}/{persona}/{key_use}", self.cards);
        let (status, answer) = self.client.call(&address, &[], None).await?;
        match status.is_success() {
            true => Ok(answer),
            false => Err(CommandError::Refused(format!("the card answers {status}"))),
        }
    }

    /// The members of a completion, as the card and the service name them.
    async fn completion(
        &self,
        persona: &str,
        digest: &[u8],
        token: &str,
    ) -> Result<Value, CommandError> {
        let address = format!("{}/{persona}/authentication/sign", self.cards);
        let body = json!({"sha256": STANDARD.encode(digest)});
        let (status, mut answer) = self.client.call(&address, &[], Some(&body)).await?;
        if !status.is_success() {
            return Err(CommandError::Refused(format!("the card answers {status}")));
        }
        answer["operationToken"] = token.into();
        Ok(answer)
    }

    async fn post(&self, step: &str, body: &Value) -> Result<Value, CommandError> {
        let address = format!("{}/{step}", self.base);
        let authorization = format!("Bearer {}", self.arguments.token);
        let mut headers: Vec<(HeaderName, &str)> = vec![(AUTHORIZATION, &authorization)];
        if self.arguments.hostile == Some(Hostile::Relay) {
            headers.push((ORIGIN, FOREIGN_ORIGIN));
        }
        let (status, answer) = self.client.call(&address, &headers, Some(body)).await?;
        if status.is_success() {
            return Ok(answer);
        }
        let error = &answer["error"];
        Err(CommandError::Refused(format!(
            "{} {}: {}",
            status.as_u16(),
            error["code"].as_str().unwrap_or_default(),
            error["message"].as_str().unwrap_or_default()
        )))
    }
}

fn text<'v>(answer: &'v Value, name: &'static str) -> Result<&'v str, CommandError> {
    let text = answer[name].as_str();
    text.ok_or_else(|| CommandError::Refused(format!("the service's answer has no {name}")))
}
