use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Amount;

/// Prices of signatures, by their number in the month.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "Vec<PriceStep>", into = "Vec<PriceStep>")]
pub struct PriceLadder {
    /// Steps in ascending order of `from`, which begins at 1 and is unique.
    steps: Vec<PriceStep>,
}

/// The price of a signature from a certain number per month on, written
/// `101=0.40`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct PriceStep {
    /// The first signature of the month at this price.
    pub from: NonZeroU64,
    /// The price of each signature.
    pub amount: Amount,
}

/// A text that is not a step of a price ladder.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0:?} is not a price, such as 101=0.40: 0.40 euros from the 101st signature of a month on"
)]
pub struct NoPriceStep(String);

/// Steps that are not a price ladder.
#[derive(Debug, thiserror::Error)]
pub enum NoPriceLadder {
    /// The first signature has no price.
    #[error("no price holds from the first signature on; one must, such as 1=0.50")]
    Beginning,
    /// Two steps begin at the same number.
    #[error("two prices hold from signature {0} on")]
    Ambiguous(NonZeroU64),
}

impl PriceLadder {
    /// Returns the steps, the lowest first.
    pub fn steps(&self) -> &[PriceStep] {
        &self.steps
    }

    /// Returns the price of the `number`th signature of a month.
    pub fn price(&self, number: u64) -> Amount {
        self.steps
            .iter()
            .rev()
            .find(|step| step.from.get() <= number)
            .map_or_else(Amount::default, |step| step.amount)
    }
}

impl Default for PriceLadder {
    /// Returns 0.50 euros, 0.40 from the 101st signature on, 0.30 from the
    /// 1001st.
    fn default() -> Self {
        let step = |from: u64, cents| PriceStep {
            from: NonZeroU64::MIN.saturating_add(from - 1),
            amount: Amount::from_cents(cents),
        };
        Self {
            steps: vec![step(1, 50), step(101, 40), step(1001, 30)],
        }
    }
}

impl TryFrom<Vec<PriceStep>> for PriceLadder {
    type Error = NoPriceLadder;

    /// Accepts the steps in any order.
    fn try_from(mut steps: Vec<PriceStep>) -> Result<Self, NoPriceLadder> {
        steps.sort_by_key(|step| step.from);
        if steps.first().is_none_or(|step| step.from.get() != 1) {
            return Err(NoPriceLadder::Beginning);
        }
        let twice = steps
            .iter()
            .zip(steps.iter().skip(1))
            .find(|(one, next)| one.from == next.from);
        match twice {
            None => Ok(Self { steps }),
            Some((step, _)) => Err(NoPriceLadder::Ambiguous(step.from)),
        }
    }
}

impl From<PriceLadder> for Vec<PriceStep> {
    fn from(ladder: PriceLadder) -> Self {
        ladder.steps
    }
}

impl fmt::Display for PriceStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.from, self.amount)
    }
}

impl FromStr for PriceStep {
    type Err = NoPriceStep;

    fn from_str(text: &str) -> Result<Self, NoPriceStep> {
        let parse = || {
            let (from, amount) = text.split_once('=')?;
            Some(Self {
                from: from.parse().ok()?,
                amount: amount.parse().ok()?,
            })
        };
        parse().ok_or_else(|| NoPriceStep(text.to_owned()))
    }
}

impl TryFrom<String> for PriceStep {
    type Error = NoPriceStep;

    fn try_from(text: String) -> Result<Self, NoPriceStep> {
        text.parse()
    }
}

impl From<PriceStep> for String {
    fn from(step: PriceStep) -> Self {
        step.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ladder(steps: &[&str]) -> Result<PriceLadder, NoPriceLadder> {
        let steps: Vec<PriceStep> = steps.iter().map(|step| step.parse().unwrap()).collect();
        PriceLadder::try_from(steps)
    }

    #[test]
    fn the_highest_step_that_is_reached_sets_the_price() {
        let ladder = ladder(&["101=0.40", "1=0.50"]).unwrap();

        assert_eq!(ladder.price(1), Amount::from_cents(50));
        assert_eq!(ladder.price(100), Amount::from_cents(50));
        assert_eq!(ladder.price(101), Amount::from_cents(40));
    }

    #[test]
    fn a_ladder_begins_with_the_first_signature_and_is_unambiguous() {
        assert!(matches!(ladder(&[]), Err(NoPriceLadder::Beginning)));
        assert!(matches!(ladder(&["2=1"]), Err(NoPriceLadder::Beginning)));
        let twice = ladder(&["1=1", "5=1", "5=2"]);
        assert!(matches!(twice, Err(NoPriceLadder::Ambiguous(five)) if five.get() == 5));
    }

    #[test]
    fn what_is_no_step_is_refused() {
        for text in ["", "1", "0=1", "-1=1", "1=-1", "1=0.001", "one=1"] {
            assert!(text.parse::<PriceStep>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_ladder_is_stored_as_it_is_written() {
        let stored = serde_json::to_string(&ladder(&["1=0.50", "101=0.4"]).unwrap()).unwrap();

        assert_eq!(stored, r#"["1=0.50","101=0.40"]"#);
        assert!(serde_json::from_str::<PriceLadder>("[]").is_err());
    }
}
