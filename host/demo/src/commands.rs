//! Commands on a demo world: its clock, and the apps that use cards and phones.

mod authenticate;
mod calls;
mod cards;
mod clock;
mod known_world;
mod outcome;
mod scan;
mod sign;

use self::{
    authenticate::AuthArguments, clock::ClockArguments, scan::ScanArguments, sign::SignArguments,
};
pub use self::{
    known_world::KnownWorld,
    outcome::{CommandError, Told},
};

/// Actions in a running demo world.
#[derive(Debug, clap::Subcommand)]
pub enum DemoCommand {
    /// Move the clock of the whole demo world: its services and every host in it. Jobs that are due
    /// by then run at once.
    Clock(ClockArguments),
    /// Use a persona's identity card, as an app would.
    #[command(subcommand)]
    Card(CardCommand),
    /// Have a persona's phone scan a Smart-ID code or follow its link.
    Scan(ScanArguments),
}

/// Actions with a card.
#[derive(Debug, clap::Subcommand)]
pub enum CardCommand {
    /// Authenticate a persona with their card, for a request of the
    /// authentication API.
    Auth(AuthArguments),
    /// Sign on a signer's page with a persona's card, as the app on a phone
    /// would: starts the attempt, pairs, and has the card sign.
    Sign(SignArguments),
}

impl DemoCommand {
    /// Runs the command.
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
