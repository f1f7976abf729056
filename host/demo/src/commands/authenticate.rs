use base64::{Engine as _, engine::general_purpose::STANDARD};
use clap::ValueEnum;
use reqwest::header::{AUTHORIZATION, HeaderName, ORIGIN};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{
    calls::Calls,
    cards::CardReader,
    known_world::KnownWorld,
    outcome::{CommandError, Told},
};
use crate::persona::Outcome;

/// The origin of a page that made no request.
const FOREIGN_ORIGIN: &str = "https://evil.example";
/// Content other than the data to be signed.
const OTHER_BYTES: &[u8] = b"something else";

/// Arguments of `demo card auth`.
#[derive(Debug, clap::Args)]
pub struct AuthArguments {
    /// The request's id.
    #[arg(long, value_name = "ID")]
    request: Uuid,
    /// The client's token of the request.
    #[arg(long, value_name = "CLIENTTOKEN", allow_hyphen_values = true)]
    token: String,
    /// The id of the persona whose card authenticates.
    #[arg(long = "as", value_name = "PERSONA")]
    persona: String,
    /// Attack the authentication in this way.
    #[arg(long, value_enum)]
    hostile: Option<AuthenticationAttack>,
}

/// Attack of an app.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum AuthenticationAttack {
    /// Submit another person's certificate after the first one.
    Swap,
    /// Sign with another person's card.
    OtherCard,
    /// Sign bytes other than the data to be signed.
    OtherBytes,
    /// Sign with a card whose key is on another curve.
    WrongCurve,
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
struct AuthenticationApp<'a> {
    cards: CardReader<'a>,
    base: String,
    arguments: &'a AuthArguments,
}

impl AuthArguments {
    pub(super) async fn run(&self, world: KnownWorld<'_>) -> Result<Told, CommandError> {
        let own = world.holder(&self.persona)?;
        let other = match self.hostile {
            Some(AuthenticationAttack::WrongCurve) => world.holder_on_other_curve(own)?,
            _ => world.other_holder(|one| one.id != own.id && one.outcome == Outcome::Signs)?,
        };
        let calls = &Calls::new()?;
        let app = AuthenticationApp {
            cards: CardReader::of(world, calls),
            base: format!("{}/v1/auth/{}", world.server, self.request),
            arguments: self,
        };
        let value = app.authenticate(other).await?;
        let subject = &value["cert"]["subject"];
        let line = format!(
            "authenticated: {} {}",
            subject["cn"].as_str().unwrap_or_default(),
            subject["serialNumber"].as_str().unwrap_or_default()
        );
        Ok(Told { value, line })
    }
}

impl AuthenticationApp<'_> {
    async fn authenticate(&self, other: &str) -> Result<Value, CommandError> {
        let AuthArguments {
            persona, hostile, ..
        } = self.arguments;
        let key_use = match hostile {
            Some(AuthenticationAttack::SigningCertificate) => "signing",
            _ => "authentication",
        };
        let certificate = self.cards.certificate(persona, key_use).await?;
        let submitted = self.post("certificate", &certificate).await?;
        if *hostile == Some(AuthenticationAttack::Swap) {
            let another = self.cards.certificate(other, key_use).await?;
            self.post("certificate", &another).await?;
        }
        let dtbs = text(&submitted, "dtbs")?;
        let digest = match hostile {
            Some(AuthenticationAttack::OtherBytes) => Sha256::digest(OTHER_BYTES),
            Some(AuthenticationAttack::Text) => Sha256::digest(dtbs),
            _ => Sha256::digest(STANDARD.decode(dtbs).map_err(|_| lacks("dtbs"))?),
        };
        let signer = match hostile {
            Some(AuthenticationAttack::OtherCard | AuthenticationAttack::WrongCurve) => other,
            _ => persona.as_str(),
        };
        let token = text(&submitted, "operationToken")?;
        let answer = self.complete(signer, &digest, token).await?;
        if *hostile == Some(AuthenticationAttack::Replay) {
            let other_digest = Sha256::digest(OTHER_BYTES);
            return self.complete(signer, &other_digest, token).await;
        }
        Ok(answer)
    }

    /// The members of a completion are the card's answer and the token.
    async fn complete(
        &self,
        signer: &str,
        digest: &[u8],
        token: &str,
    ) -> Result<Value, CommandError> {
        let mut completion = self.cards.sign(signer, "authentication", digest).await?;
        completion["operationToken"] = token.into();
        self.post("complete", &completion).await
    }

    async fn post(&self, step: &str, body: &Value) -> Result<Value, CommandError> {
        let address = format!("{}/{step}", self.base);
        let authorization = format!("Bearer {}", self.arguments.token);
        let mut headers: Vec<(HeaderName, &str)> = vec![(AUTHORIZATION, &authorization)];
        if self.arguments.hostile == Some(AuthenticationAttack::Relay) {
            headers.push((ORIGIN, FOREIGN_ORIGIN));
        }
        let (status, answer) = self
            .cards
            .calls
            .call(&address, &headers, Some(body))
            .await?;
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
    answer[name].as_str().ok_or_else(|| lacks(name))
}

fn lacks(name: &str) -> CommandError {
    CommandError::Refused(format!("the service's answer has no {name}"))
}
