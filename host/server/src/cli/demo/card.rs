mod auth;

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
}

/// Does what was asked of a card.
pub(super) fn card(arguments: &CardArguments) -> Result<(), CommandError> {
    match &arguments.command {
        CardCommand::Auth(arguments) => auth::auth(arguments),
    }
}
