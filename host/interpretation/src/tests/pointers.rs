//! Places to which pointers lead.

use serde_json::{Value, json};

use crate::pointer::Pattern;

fn pattern(text: &str) -> Pattern {
    Pattern::try_from(text.to_owned()).unwrap()
}

fn places(text: &str, data: &Value) -> Vec<String> {
    let places = pattern(text).places(data);
    places.iter().map(|(place, _)| place.to_string()).collect()
}

#[test]
fn names_are_escaped_as_pointers_have_them() {
    let data = json!({"a/b": [{"c~d": 1}, {"c~d": null}, {}, 2, {"c~d": false}]});
    let places = places("/a~1b/*/c~0d", &data);
    assert_eq!(places, ["/a~1b/0/c~0d", "/a~1b/4/c~0d"]);
    for place in places {
        assert!(data.pointer(&place).is_some());
    }
}

#[test]
fn a_name_is_of_a_member_and_a_star_of_an_element() {
    assert_eq!(places("/list/0", &json!({"list": ["x"]})), [""; 0]);
    assert_eq!(places("/list/0", &json!({"list": {"0": "x"}})), ["/list/0"]);
    assert_eq!(places("/list/*", &json!({"list": {"*": "x"}})), [""; 0]);
    assert_eq!(places("", &json!([])), [""]);
    assert_eq!(places("", &Value::Null), [""; 0]);
}

#[test]
fn a_condition_is_about_the_same_element_as_far_as_it_goes_the_same_way() {
    let data = json!({
        "a": [{"x": 1, "b": [{"y": 2}, {"y": 3}]}, {"x": 4, "b": [{"y": 5}]}],
        "z": 6,
    });
    let pointer = pattern("/a/*/b");
    let second = &pointer.places(&data)[1].0;
    let beside = |text| {
        let values = pattern(text).values_beside(&pointer, second, &data);
        values.into_iter().cloned().collect::<Vec<_>>()
    };
    assert_eq!(beside("/a/*/x"), [4]);
    assert_eq!(beside("/a/*/b/*/y"), [5]);
    assert_eq!(beside("/z"), [6]);
    let first = &pointer.places(&data)[0].0;
    let values = pattern("/a/*/b/*/y").values_beside(&pointer, first, &data);
    assert_eq!(values, [&json!(2), &json!(3)]);
}
