//! What the front page tells of the demo world.

use parafa_api_http::pages::{DemoPerson, DemoWorld};
use parafa_demo::{Method, Outcome, Persona};

use super::file::WorldPart;

impl WorldPart {
    /// Where its mail is, and whom one can sign as.
    pub(super) fn told(&self) -> DemoWorld {
        DemoWorld {
            mail: format!("{}/", self.addresses.mail.trim_end_matches('/')),
            people: self.personas.iter().map(person).collect(),
        }
    }
}

fn person(persona: &Persona) -> DemoPerson {
    let methods: Vec<_> = persona.methods.iter().map(|method| name(*method)).collect();
    DemoPerson {
        name: persona.name.clone(),
        method: methods.join(", "),
        personal_code: format!("{} {}", persona.country, persona.personal_code),
        phone_number: persona.phone_number.clone(),
        outcome: in_words(persona.outcome),
    }
}

fn name(method: Method) -> &'static str {
    match method {
        Method::SmartId => "Smart-ID",
        Method::MobileId => "Mobile-ID",
        Method::Nfc => "Identity card",
    }
}

fn in_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Signs => "signs",
        Outcome::UserRefused => "refuses",
        Outcome::Timeout => "does not answer",
        Outcome::WrongCode => "picks another verification code",
        Outcome::NoAccount => "has no account",
        Outcome::DeviceError => "has a device that fails",
        Outcome::NotQualified => "has no qualified certificate",
        Outcome::Revoked => "has a revoked certificate",
        Outcome::Expired => "has an expired certificate",
        Outcome::Foreign => "is a citizen of another country",
        Outcome::Untrusted => "has a certificate that nobody trusts",
    }
}
