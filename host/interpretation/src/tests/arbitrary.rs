//! Data of any shape.

use proptest::prelude::*;
use serde_json::Value;

use super::samples;
use crate::{Endpoint, Library};

/// Names and values that rules check, and others.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "sections",
            "profile",
            "beneficialOwners",
            "seizures",
            "data",
            "status",
            "acts",
            "restrictedRights",
            "authority",
            "kind",
            "owners",
            "controls",
            "legalStatus",
            "normalized",
            "legalForm",
            "elf",
            "code",
            "name",
            "source",
            "reference",
            "court",
            "disposal",
            "BPLS",
            "bankruptcy",
            "declared",
            "no-data",
            "retrievedAt",
        ])
        .prop_map(str::to_owned),
        "[a-z~/*0-9]{0,4}",
    ]
}

pub(crate) fn json_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    scalar.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((word(), inner), 0..6)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// Replaces one value of the samples, by its index among all values.
fn replaced(data: &mut Value, place: &mut usize, with: &Value) {
    if *place == 0 {
        *data = with.clone();
        *place = usize::MAX;
        return;
    }
    *place -= 1;
    match data {
        Value::Object(members) => members
            .values_mut()
            .for_each(|value| replaced(value, place, with)),
        Value::Array(elements) => elements
            .iter_mut()
            .for_each(|value| replaced(value, place, with)),
        _ => (),
    }
}

fn assert_sound(endpoint: Endpoint, data: &Value) -> Result<(), TestCaseError> {
    let items = Library::current().interpret(endpoint, data).items;
    for item in items {
        prop_assert!(data.pointer(&item.pointer).is_some(), "{}", item.pointer);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_the_data_are_items_are_of_what_is_there(data in json_value()) {
        for endpoint in [
            Endpoint::Profile,
            Endpoint::BeneficialOwners,
            Endpoint::Seizures,
            Endpoint::Report,
        ] {
            assert_sound(endpoint, &data)?;
        }
    }

    #[test]
    fn whatever_stands_in_place_of_a_value_items_are_of_what_is_there(
        sample in prop::sample::select(samples::all()),
        mut place in 0usize..80,
        with in json_value(),
    ) {
        let (endpoint, mut data) = sample;
        replaced(&mut data, &mut place, &with);
        assert_sound(endpoint, &data)?;
    }
}
