//! Prices of answers, from the price list in `data/prices.toml`.

use std::sync::LazyLock;

use parafa_api_diligence::SignatureTier;
use parafa_api_diligence::requests::{AnswerOptions, Form, Question};
use parafa_platform::billing::{Amount, UsageItem};
use serde::Deserialize;

static LIST: LazyLock<PriceList> = LazyLock::new(|| {
    toml::from_str(include_str!("../data/prices.toml"))
        .expect("a test reads the price list that is built in")
});

/// All prices, without VAT.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceList {
    interpretation: Amount,
    answers: Answers,
}

/// Prices by item of the ledger.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answers {
    company_profile: Prices,
    participants: Prices,
    beneficial_owners: Prices,
    real_estate: Prices,
    property_extract: Prices,
    seizures: Prices,
    cases: Prices,
    report: Prices,
}

/// The prices of one kind of answer, by form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Prices {
    json: Amount,
    jades_t: Amount,
    jades_lt: Amount,
    asice: Amount,
}

/// Returns the ledger's item of an answer, with its price.
#[must_use]
pub fn price(question: &Question, options: AnswerOptions) -> (UsageItem, Amount) {
    let list = &LIST.answers;
    let (item, prices) = match question {
        Question::Profile(_) => (UsageItem::CompanyProfile, &list.company_profile),
        Question::Participants(_) => (UsageItem::Participants, &list.participants),
        Question::BeneficialOwners(_) => (UsageItem::BeneficialOwners, &list.beneficial_owners),
        Question::RealEstate(_) => (UsageItem::RealEstate, &list.real_estate),
        Question::PropertyExtract(_) => (UsageItem::PropertyExtract, &list.property_extract),
        Question::Seizures(_) => (UsageItem::Seizures, &list.seizures),
        Question::Cases(_) => (UsageItem::Cases, &list.cases),
        Question::Report(_) => (UsageItem::Report, &list.report),
    };
    let base = match options.form {
        Form::Json => prices.json,
        Form::Signed(SignatureTier::JadesT) => prices.jades_t,
        Form::Signed(SignatureTier::JadesLt) => prices.jades_lt,
        Form::Container => prices.asice,
    };
    match options.interpret {
        true => (item, base.plus(LIST.interpretation)),
        false => (item, base),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [Form; 4] = [
        Form::Json,
        Form::Signed(SignatureTier::JadesT),
        Form::Signed(SignatureTier::JadesLt),
        Form::Container,
    ];

    #[test]
    fn every_answer_has_its_price_in_every_form_and_an_interpretation_costs_the_same_on_top() {
        let entity = || "999000009".parse().unwrap();
        let object = "4400-9990-0001".parse().unwrap();
        #[rustfmt::skip]
        let agreed = [
            (Question::Profile(entity()), ["0.30", "1.79", "2.79", "4.79"]),
            (Question::Participants(entity()), ["0.65", "2.14", "3.14", "5.14"]),
            (Question::BeneficialOwners(entity()), ["0.15", "1.64", "2.64", "4.64"]),
            (Question::RealEstate(entity()), ["0.35", "1.84", "2.84", "4.84"]),
            (Question::PropertyExtract(object), ["0.70", "2.19", "3.19", "5.19"]),
            (Question::Seizures(entity()), ["0.70", "2.19", "3.19", "5.19"]),
            (Question::Cases(entity()), ["0.10", "1.59", "2.59", "4.59"]),
            (Question::Report(entity()), ["1.29", "2.78", "3.78", "5.78"]),
        ];
        for (question, prices) in agreed {
            for (form, agreed) in FORMS.into_iter().zip(prices) {
                let cost = |interpret| {
                    let options = AnswerOptions {
                        interpret,
                        form,
                        purpose: None,
                    };
                    price(&question, options).1
                };

                assert_eq!(cost(false).to_string(), agreed, "{question:?}, {form:?}");
                let on_top = cost(true).minus(cost(false));
                assert_eq!(on_top, Some(Amount::from_cents(29)), "{question:?}");
            }
        }
    }
}
