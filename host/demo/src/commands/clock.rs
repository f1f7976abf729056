use std::str::FromStr;

use jiff::{Span, SpanRelativeTo};

use super::{
    known_world::KnownWorld,
    outcome::{CommandError, Told},
};
use crate::control::Control;

/// Arguments of `demo clock`.
#[derive(Debug, clap::Args)]
pub struct ClockArguments {
    /// The time to advance by, such as +3d, +1h or +1d12h; `reset` returns to the machine's time.
    #[arg(value_name = "+TIME|reset")]
    step: ClockStep,
}

/// Change of the clock.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum ClockStep {
    /// Advances by whole seconds.
    Advance(u32),
    /// Returns to the machine's time.
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

impl ClockArguments {
    pub(super) async fn run(&self, world: KnownWorld<'_>) -> Result<Told, CommandError> {
        let control = Control::new(&world.addresses.control)?;
        let state = match self.step {
            ClockStep::Advance(seconds) => control.advance(seconds).await?,
            ClockStep::Reset => control.reset().await?,
        };
        Ok(Told {
            line: format!(
                "the demo world's clock shows {:.0}, {:#} ahead",
                state.now,
                state.offset()
            ),
            value: serde_json::to_value(state).expect("a time and a number are JSON"),
        })
    }
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
