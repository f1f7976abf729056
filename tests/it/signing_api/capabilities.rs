use serde_json::json;

use super::account::{Account, signing_of, with};
use crate::support::demo::Demo;

#[tokio::test]
async fn what_is_set_up_is_listed_and_what_is_not_is_refused_at_its_member() {
    let demo = Demo::start();
    let api = Account::of(&demo, "/signing/viewer");

    let listed = api.get("v1/capabilities").await.expect(200);

    let formats = listed["formats"].as_array().expect("formats");
    let of = |id: &str| formats.iter().find(|format| format["id"] == id);
    for (id, extensions) in [
        ("asice", json!(["asice", "sce", "bdoc"])),
        ("pdf", json!(["pdf"])),
    ] {
        let format = of(id).expect("the format is set up");
        assert_eq!(format["extensions"], extensions);
        let operations = format["operations"].as_array();
        assert!(operations.is_some_and(|all| all.contains(&json!("sign"))));
    }
    assert_eq!(listed["methods"], json!(["nfc", "smart_id", "mobile_id"]));
    assert_eq!(listed["containers"], json!(["asice"]));

    let owner = Account::live(&demo);
    let mut posted = signing_of(json!([{"email": "ona@example.lt"}]));
    posted["document"]["name"] = json!("sutartis.adoc");
    let refused = owner.post("v1/signings", posted.clone()).await.expect(400);
    assert_eq!(refused["errors"][0]["pointer"], "/document/name");
    let document = posted
        .as_object_mut()
        .and_then(|all| all.remove("document"));
    let content = document.expect("a document")["content"].clone();
    let files = json!([{"name": "a.pdf", "content": content}]);
    let container = json!({"container": {"format": "adoc", "files": files}});
    let refused = owner.post("v1/signings", with(posted, container)).await;
    assert_eq!(
        refused.expect(400)["errors"][0]["pointer"],
        "/container/format"
    );
}
