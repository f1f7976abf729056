mod card;
mod http;
mod scan;

use std::str::FromStr;

use anyhow::Context;
use jiff::{Span, SpanRelativeTo};
use parafa_demo::Control;

use super::{CommandError, Location, print_json, print_line};
use crate::demo::DemoFile;

/// Arguments of `parafa demo`.
#[derive(Debug, clap::Args)]
pub(super) struct DemoArguments {
    #[command(subcommand)]
    command: DemoCommand,
}

#[derive(Debug, clap::Subcommand)]
enum DemoCommand {
    /// Move the clock of the whole demo world: its services and every host in
    /// it. What is due by then is done at once.
    Clock(ClockArguments),
    /// Use a persona's identity card, as an app would.
    Card(card::CardArguments),
    /// Have a persona's phone scan a Smart-ID code or follow its link.
    Scan(scan::ScanArguments),
}

#[derive(Debug, clap::Args)]
struct ClockArguments {
    /// How far the clock moves on, such as +3d, +1h or +1d12h; `reset` sets it
    /// back to the machine's.
    #[arg(value_name = "+TIME|reset")]
    step: ClockStep,
    #[command(flatten)]
    place: Location,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

/// What becomes of the clock.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum ClockStep {
    /// It moves on by whole seconds.
    Advance(u32),
    /// It shows the machine's time again.
    Reset,
}

impl FromStr for ClockStep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "reset" {
            return Ok(Self::Reset);
        }
        let seconds = text.strip_prefix('+').and_then(|step| {
            let span = step.parse::<Span>().ok()?;
            let step = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
            u32::try_from(step.as_secs()).ok()
        });
        match seconds {
            Some(seconds) if seconds > 0 => Ok(Self::Advance(seconds)),
            _ => Err("must be like +3d, +1h or +30m, or reset".to_owned()),
        }
    }
}

/// Does what was asked of the demo world that `demo.json` names.
pub(super) fn demo(arguments: &DemoArguments) -> Result<(), CommandError> {
    match &arguments.command {
        DemoCommand::Clock(arguments) => clock(arguments),
        DemoCommand::Scan(arguments) => scan::scan(arguments),
        DemoCommand::Card(arguments) => card::card(arguments),
    }
}

fn clock(arguments: &ClockArguments) -> Result<(), CommandError> {
    let config = arguments.place.load()?;
    let file = DemoFile::read(&DemoFile::path(&config.store.data))
        .map_err(|error| CommandError::Refused(error.to_string()))?;
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let moved = runtime.block_on(async {
        let control = Control::new(&file.world.addresses.control)?;
        match arguments.step {
            ClockStep::Advance(seconds) => control.advance(seconds).await,
            ClockStep::Reset => control.reset().await,
        }
    });
    let state = moved.map_err(|error| CommandError::Refused(error.to_string()))?;
    if arguments.json {
        print_json(&state)?;
    } else {
        print_line(format_args!(
            "the demo world's clock shows {:.0}, {:#} ahead",
            state.now,
            state.offset()
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_a_time_with_a_plus_or_the_word_reset() {
        let hour = 60 * 60;
        for (text, step) in [
            ("+3d", ClockStep::Advance(3 * 24 * hour)),
            ("+1h", ClockStep::Advance(hour)),
            ("+1d12h", ClockStep::Advance(36 * hour)),
            ("reset", ClockStep::Reset),
        ] {
            assert_eq!(text.parse(), Ok(step), "{text}");
        }
    }

    #[test]
    fn a_clock_is_not_moved_back_nor_by_nothing() {
        for text in ["3d", "-3d", "+-3d", "+0s", "+1mo", "+", "tomorrow"] {
            assert!(text.parse::<ClockStep>().is_err(), "{text}");
        }
    }
}
