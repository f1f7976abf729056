//! What answers cost.

use parafa_api_diligence::SignatureTier;
use parafa_api_diligence::requests::{AnswerOptions, Form, Question};
use parafa_platform::billing::{Amount, UsageItem};

/// The prices of one kind of answer, in cents and without VAT.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Prices {
    json: u64,
    jades_t: u64,
    jades_lt: u64,
    asice: u64,
}

/// What the interpretation costs on top, in cents.
const INTERPRETATION: u64 = 29;

/// What an answer is in the ledger, and its prices.
fn listed(question: &Question) -> (UsageItem, Prices) {
    let prices = |json, jades_t, jades_lt, asice| Prices {
        json,
        jades_t,
        jades_lt,
        asice,
    };
    match question {
        Question::Profile(_) => (UsageItem::CompanyProfile, prices(30, 179, 279, 479)),
        Question::Participants(_) => (UsageItem::Participants, prices(65, 214, 314, 514)),
        Question::BeneficialOwners(_) => (UsageItem::BeneficialOwners, prices(15, 164, 264, 464)),
        Question::RealEstate(_) => (UsageItem::RealEstate, prices(35, 184, 284, 484)),
        Question::PropertyExtract(_) => (UsageItem::PropertyExtract, prices(70, 219, 319, 519)),
        Question::Seizures(_) => (UsageItem::Seizures, prices(70, 219, 319, 519)),
        Question::Cases(_) => (UsageItem::Cases, prices(10, 159, 259, 459)),
        Question::Report(_) => (UsageItem::Report, prices(129, 278, 378, 578)),
    }
}

/// What an answer is in the ledger, and what it costs.
#[must_use]
pub fn price(question: &Question, options: AnswerOptions) -> (UsageItem, Amount) {
    let (item, prices) = listed(question);
    let base = match options.form {
        Form::Json => prices.json,
        Form::Signed(SignatureTier::JadesT) => prices.jades_t,
        Form::Signed(SignatureTier::JadesLt) => prices.jades_lt,
        Form::Container => prices.asice,
    };
    let interpretation = match options.interpret {
        true => INTERPRETATION,
        false => 0,
    };
    (item, Amount::from_cents(base + interpretation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpretation_costs_the_same_whatever_it_is_added_to() {
        let entity = || "999000009".parse().unwrap();
        let options = |form, interpret| AnswerOptions {
            interpret,
            form,
            purpose: None,
        };
        let cost = |question: Question, form, interpret| {
            price(&question, options(form, interpret)).1.to_string()
        };

        assert_eq!(cost(Question::Profile(entity()), Form::Json, true), "0.59");
        assert_eq!(
            cost(Question::Cases(entity()), Form::Container, false),
            "4.59"
        );
        let signed = Form::Signed(SignatureTier::JadesLt);
        assert_eq!(cost(Question::Report(entity()), signed, true), "4.07");
        let signed = Form::Signed(SignatureTier::JadesT);
        assert_eq!(cost(Question::Report(entity()), signed, false), "2.78");
    }
}
