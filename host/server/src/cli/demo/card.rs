mod auth;
mod sign;

use crate::cli::CommandError;

/// Arguments of `parafa demo card`.
#[derive(Debug, clap::Args)]
pub(super) struct CardArguments {
    #[command(subcommand)]
    command: CardCommand,
}

#[derive(Debug, clap::Subcommand)]
enum CardCommand {
    /// Authenticate a persona with their card, for a request of the
    /// authentication API.
    Auth(auth::AuthArguments),
    /// Sign on a signer's page with a persona's card, as the app on a phone
    /// would: starts the attempt, pairs, and has the card sign.
    Sign(sign::SignArguments),
}

/// Does what was asked of a card.
pub(super) fn card(arguments: &CardArguments) -> Result<(), CommandError> {
    match &arguments.command {
        CardCommand::Auth(arguments) => auth::auth(arguments),
        CardCommand::Sign(arguments) => sign::sign(arguments),
    }
}
