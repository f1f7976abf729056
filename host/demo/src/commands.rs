//! What people do with a demo world from the command line: its clock, and what
//! apps do with cards and phones.

mod authenticate;
mod calls;
mod cards;
mod clock;
mod scan;
mod sign;

use serde_json::Value;
use thiserror::Error;
use url::Url;

use self::{
    authenticate::AuthArguments, clock::ClockArguments, scan::ScanArguments, sign::SignArguments,
};
use crate::{control::ControlError, persona::Persona, world::Addresses};

/// What is done with a demo world that runs.
#[derive(Debug, clap::Subcommand)]
pub enum DemoCommand {
    /// Move the clock of the whole demo world: its services and every host in
    /// it. What is due by then is done at once.
    Clock(ClockArguments),
    /// Use a persona's identity card, as an app would.
    #[command(subcommand)]
    Card(CardCommand),
    /// Have a persona's phone scan a Smart-ID code or follow its link.
    Scan(ScanArguments),
}

/// What is done with a card.
#[derive(Debug, clap::Subcommand)]
pub enum CardCommand {
    /// Authenticate a persona with their card, for a request of the
    /// authentication API.
    Auth(AuthArguments),
    /// Sign on a signer's page with a persona's card, as the app on a phone
    /// would: starts the attempt, pairs, and has the card sign.
    Sign(SignArguments),
}

/// What is known of a world in another process, and of the server in it.
#[derive(Clone, Copy, Debug)]
pub struct KnownWorld<'a> {
    /// Where the server's APIs and pages are, without a slash at the end.
    pub server: &'a str,
    /// Where the world's services are.
    pub addresses: &'a Addresses,
    /// Who lives there.
    pub personas: &'a [Persona],
}

/// What came of a command.
#[derive(Clone, Debug)]
pub struct Told {
    /// For programs.
    pub value: Value,
    /// For people.
    pub line: String,
}

/// Why a command did not do what it was asked.
#[derive(Debug, Error)]
pub enum CommandError {
    /// It cannot be done as it was asked, or a service refuses it; a sentence,
    /// in the service's own words where it has some.
    #[error("{0}")]
    Refused(String),
    /// Nobody answers.
    #[error("{address} does not answer")]
    NoAnswer {
        /// Where it was asked.
        address: Url,
        /// What went wrong.
        source: reqwest::Error,
    },
    /// The world's clock is not moved.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// There is no HTTP client.
    #[error("the HTTP client cannot be made")]
    Client(#[source] reqwest::Error),
    /// An address is none.
    #[error("the address {address} is not one")]
    Address {
        /// What was given.
        address: String,
        /// What is wrong with it.
        source: url::ParseError,
    },
    /// An answer or the world lacks something.
    #[error("{0}")]
    Incomplete(String),
}

impl CommandError {
    /// Whether it may go well when something else is asked for, or a service
    /// runs.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Refused(_) | Self::NoAnswer { .. } | Self::Control(_)
        )
    }
}

impl DemoCommand {
    /// Does it.
    ///
    /// # Errors
    /// [`CommandError`].
    pub async fn run(&self, world: KnownWorld<'_>) -> Result<Told, CommandError> {
        match self {
            Self::Clock(arguments) => arguments.run(world).await,
            Self::Card(CardCommand::Auth(arguments)) => arguments.run(world).await,
            Self::Card(CardCommand::Sign(arguments)) => arguments.run(world).await,
            Self::Scan(arguments) => arguments.run(world).await,
        }
    }
}

impl<'a> KnownWorld<'a> {
    /// A persona by the id, among those who have something.
    fn persona(
        self,
        id: &str,
        what: &str,
        has: impl Fn(&Persona) -> bool,
    ) -> Result<&'a Persona, CommandError> {
        let those: Vec<&Persona> = self.personas.iter().filter(|one| has(one)).collect();
        let named = those.iter().find(|one| one.id == id);
        named.copied().ok_or_else(|| {
            let known: Vec<&str> = those.iter().map(|one| one.id.as_str()).collect();
            CommandError::Refused(format!(
                "{id} is no persona with {what}; those are {}",
                known.join(", ")
            ))
        })
    }
}
