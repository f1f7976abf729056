use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{calls::Calls, known_world::KnownWorld, outcome::CommandError};
use crate::persona::{KeyType, Method, Persona};

/// Reads the world's cards, as an app does.
pub(super) struct CardReader<'a> {
    pub(super) calls: &'a Calls,
    /// URL of the cards.
    address: &'a str,
}

impl<'a> KnownWorld<'a> {
    /// A persona with a card.
    pub(super) fn holder(self, id: &str) -> Result<&'a Persona, CommandError> {
        self.persona(id, "a card", has_card)
    }

    /// Another person with a card that satisfies a condition.
    pub(super) fn other_holder(
        self,
        is_such: impl Fn(&Persona) -> bool,
    ) -> Result<&'a str, CommandError> {
        let mut personas = self.personas.iter();
        let other = personas.find(|persona| has_card(persona) && is_such(persona));
        let other = other.map(|persona| persona.id.as_str());
        other
            .ok_or_else(|| CommandError::Incomplete("the demo world has one card alone".to_owned()))
    }

    /// Another person with a card whose key is on another curve.
    pub(super) fn holder_on_other_curve(self, own: &Persona) -> Result<&'a str, CommandError> {
        let curves = [KeyType::P256, KeyType::P384, KeyType::P521].map(Some);
        self.other_holder(|one| {
            one.id != own.id && curves.contains(&one.key_type) && one.key_type != own.key_type
        })
    }
}

fn has_card(persona: &Persona) -> bool {
    persona.methods.contains(&Method::Nfc)
}

impl<'a> CardReader<'a> {
    pub(super) fn of(world: KnownWorld<'a>, calls: &'a Calls) -> Self {
        Self {
            calls,
            address: &world.addresses.cards,
        }
    }

    /// The certificate of one of a card's keys, as the app submits it.
    pub(super) async fn certificate(&self, id: &str, key: &str) -> Result<Value, CommandError> {
        let address = format!("{}/{id}/{key}", self.address);
        answered(self.calls.call(&address, &[], None).await?)
    }

    /// A card's signature over a digest, as the app submits it.
    pub(super) async fn sign(
        &self,
        id: &str,
        key: &str,
        digest: &[u8],
    ) -> Result<Value, CommandError> {
        let address = format!("{}/{id}/{key}/sign", self.address);
        let body = json!({"sha256": STANDARD.encode(digest)});
        answered(self.calls.call(&address, &[], Some(&body)).await?)
    }
}

fn answered((status, answer): (StatusCode, Value)) -> Result<Value, CommandError> {
    if status.is_success() {
        Ok(answer)
    } else {
        Err(CommandError::Refused(format!("the card answers {status}")))
    }
}
