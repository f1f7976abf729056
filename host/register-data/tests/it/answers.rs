//! Reading and writing of answers.

use parafa_register_data::{
    Query, RegisterData, Role, UnreadableAnswer,
    data::{Amount, BirthMonth, CompanyProfile, Percent, Quantity},
    synthetic::{self, Answer, COMPLETE, COMPLETE_PROPERTY},
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Every query about an entity.
pub(crate) fn queries(code: &str) -> Vec<Query> {
    let code = || code.parse().unwrap();
    let mut queries = vec![
        Query::CompanyProfile(code()),
        Query::Participants(code()),
        Query::BeneficialOwners(code()),
        Query::RealEstate(code()),
        Query::Seizures(code()),
        Query::Cases(code()),
    ];
    let roles = Role::ALL.into_iter();
    queries.extend(roles.map(|role| Query::RoleHolders {
        entity: code(),
        role,
    }));
    queries
}

pub(crate) fn data(query: &Query) -> RegisterData {
    match synthetic::answer(query) {
        Answer::Data(data) => data,
        other => panic!("{query:?}: {other:?}"),
    }
}

fn profile() -> (Query, Value) {
    let query = Query::CompanyProfile(COMPLETE.parse().unwrap());
    let value = serde_json::to_value(data(&query)).unwrap();
    (query, value)
}

fn read(query: &Query, value: &Value) -> Result<RegisterData, UnreadableAnswer> {
    RegisterData::from_json(query, &serde_json::to_vec(value).unwrap())
}

#[test]
fn an_entity_is_asked_about_by_the_names_of_kinds() {
    for query in queries(COMPLETE).into_iter().take(6) {
        let about = Query::about_entity(query.kind()).unwrap();
        assert_eq!(about(COMPLETE.parse().unwrap()), query);
    }
    for kind in ["role-holders", "property-extract", ""] {
        assert!(Query::about_entity(kind).is_none(), "{kind}");
    }
}

#[test]
fn every_answer_is_read_as_it_was_written() {
    let mut queries: Vec<_> = [
        "999000009",
        "999000017",
        "999000024",
        "999000106",
        "999000113",
        "999000138",
    ]
    .iter()
    .flat_map(|code| queries(code))
    .collect();
    queries.push(Query::PropertyExtract(COMPLETE_PROPERTY.parse().unwrap()));
    for query in queries {
        let Answer::Data(data) = synthetic::answer(&query) else {
            continue;
        };
        let written = serde_json::to_vec(&data).unwrap();
        assert_eq!(
            RegisterData::from_json(&query, &written).unwrap(),
            data,
            "{query:?}"
        );
    }
}

#[test]
fn a_member_that_is_left_out_is_missed_and_a_null_is_not() {
    let (query, mut value) = profile();
    value["euid"] = Value::Null;
    value["registeredOffice"]["aobCode"] = Value::Null;
    assert!(read(&query, &value).is_ok());
    value["registeredOffice"]
        .as_object_mut()
        .unwrap()
        .remove("aobCode");
    let missed = read(&query, &value).unwrap_err();
    assert_eq!(
        missed.to_string(),
        "the answer lacks /registeredOffice/aobCode"
    );
}

#[test]
fn a_list_that_a_register_does_not_tell_is_read_as_unknown() {
    let (query, mut value) = profile();
    for list in [
        "alternateNames",
        "activities",
        "managementBodies",
        "branches",
        "restrictions",
    ] {
        value[list] = Value::Null;
    }
    let written = serde_json::to_value(read(&query, &value).unwrap()).unwrap();
    assert_eq!(written, value);
}

#[test]
fn amounts_are_rounded_half_up_to_two_decimals() {
    for (written, amount) in [
        ("2500", Some("2500.00")),
        ("2500.5", Some("2500.50")),
        ("002500.50", Some("2500.50")),
        ("0.2896", Some("0.29")),
        ("1.995", Some("2.00")),
        ("0.30000000000000004", Some("0.30")),
        ("999999999999999999.99", Some("999999999999999999.99")),
        ("999999999999999999.995", None),
        ("1000000000000000000", None),
        ("-1", None),
        ("1e3", None),
        (".5", None),
        ("5.", None),
    ] {
        let read = written.parse::<Amount>().ok();
        assert_eq!(read.as_ref().map(Amount::as_str), amount, "{written}");
    }
}

#[test]
fn an_answer_about_another_entity_is_not_taken() {
    let (_, value) = profile();
    let query = Query::CompanyProfile("999000017".parse().unwrap());
    assert!(matches!(
        read(&query, &value),
        Err(UnreadableAnswer::AboutAnother)
    ));
}

#[test]
fn a_personal_code_where_none_belongs_is_refused_and_not_repeated() {
    let (query, mut value) = profile();
    value["managementBodies"][0]["members"][0]["personalCode"] = json!("40504040001");
    let error = read(&query, &value).unwrap_err();
    assert!(matches!(error, UnreadableAnswer::Shape { .. }));
    assert!(!error.to_string().contains("40504040001"));
}

#[test]
fn what_no_schema_has_is_left_out() {
    let (query, mut value) = profile();
    let before = read(&query, &value).unwrap();
    value["rating"] = json!(5);
    assert_eq!(read(&query, &value).unwrap(), before);
}

#[test]
fn the_schema_of_a_profile_names_every_member_and_requires_it() {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let schema = generator.root_schema_for::<CompanyProfile>().to_value();
    let (_, value) = profile();
    let members = value.as_object().unwrap();
    let required = schema["required"].as_array().unwrap();
    assert_eq!(required.len(), members.len());
    for member in members.keys() {
        assert!(required.contains(&json!(member)), "{member}");
        let described = &schema["properties"][member]["description"];
        assert!(described.is_string(), "{member}");
    }
}

proptest! {
    #[test]
    fn quantities_percentages_and_months_are_written_as_they_were_read(
        quantity in "[0-9]{1,18}(\\.[0-9]{1,8})?",
        percent in 0.0_f64..=100.0,
        month in "(19|20)[0-9]{2}-(0[1-9]|1[0-2])",
    ) {
        let read: Quantity = serde_json::from_value(json!(quantity)).unwrap();
        prop_assert_eq!(serde_json::to_value(&read).unwrap(), json!(quantity));
        let read: Percent = serde_json::from_value(json!(percent)).unwrap();
        prop_assert_eq!(serde_json::to_value(read).unwrap(), json!(percent));
        let read: BirthMonth = serde_json::from_value(json!(month)).unwrap();
        prop_assert_eq!(serde_json::to_value(read).unwrap(), json!(month));
    }

    #[test]
    fn an_amount_has_two_decimals_whatever_was_written_and_is_the_nearest_to_it(
        whole in 0_u64..1_000_000_000,
        fraction in "[0-9]{0,17}",
    ) {
        let written = match fraction.is_empty() {
            true => whole.to_string(),
            false => format!("{whole}.{fraction}"),
        };
        let read: Amount = written.parse().unwrap();
        let (_, decimals) = read.as_str().split_once('.').unwrap();
        prop_assert_eq!(decimals.len(), 2);
        let apart: f64 = read.as_str().parse::<f64>().unwrap() - written.parse::<f64>().unwrap();
        prop_assert!(apart.abs() < 0.005_001, "{} for {}", read.as_str(), written);
        prop_assert_eq!(read.as_str().parse::<Amount>().unwrap(), read);
    }

    #[test]
    fn what_is_no_amount_percentage_or_month_is_refused(text in "\\PC{0,12}", number in 100.01_f64..1e9) {
        prop_assume!(!text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-'));
        prop_assert!(text.parse::<Amount>().is_err());
        prop_assert!(text.parse::<Quantity>().is_err());
        prop_assert!(text.parse::<BirthMonth>().is_err());
        prop_assert!(Percent::try_from(number).is_err());
        prop_assert!(Percent::try_from(-number).is_err());
    }
}
