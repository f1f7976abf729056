use serde_json::json;

use super::account::Account;
use crate::support::demo::Demo;

#[tokio::test]
async fn what_is_set_up_is_listed() {
    let demo = Demo::start();
    let api = Account::of(&demo, "/signing/viewer");

    let listed = api.get("v1/capabilities").await.expect(200);

    let formats = listed["formats"].as_array().expect("formats");
    let of = |id: &str| formats.iter().find(|format| format["id"] == id);
    for (id, extensions) in [
        ("adoc", json!(["adoc", "bedoc", "cedoc", "gedoc", "ggedoc"])),
        ("asice", json!(["asice", "sce", "bdoc"])),
        ("pdf", json!(["pdf"])),
    ] {
        let format = of(id).expect("the format is set up");
        assert_eq!(format["extensions"], extensions);
        let operations = format["operations"].as_array();
        assert!(operations.is_some_and(|all| all.contains(&json!("sign"))));
    }
    assert_eq!(listed["methods"], json!(["nfc", "smart_id", "mobile_id"]));
    assert_eq!(listed["containers"], json!(["asice", "adoc"]));
}
