//! Use of a key outside of its own API.

use reqwest::StatusCode;

use super::DiligenceCaller;
use crate::support::demo::Demo;

#[tokio::test]
async fn what_is_no_apis_own_is_answered_to_a_key_of_any_of_them() {
    let demo = Demo::start();
    let world = &demo.world;
    for key in [
        &world.diligence.live,
        &world.diligence.test,
        &world.signing.live,
        &world.signing.test,
    ] {
        let caller = DiligenceCaller::with(&demo, key);
        for path in [
            "/v1/foo",
            "/v1/kyc-package",
            "/v1/Entities/999000009",
            "/v1/entities/999000009/xyz",
        ] {
            caller.get(path).await.assert_refused(404, "not-found");
        }
        let listed = caller.get("/v1/capabilities").await;
        assert_eq!(listed.status, StatusCode::OK);
        assert!(listed.json()["methods"].is_array());
    }
    let stranger = DiligenceCaller::with(&demo, "ddk_test_unknown");
    for path in ["/v1/foo", "/v1/entities/999000009/xyz", "/v1/capabilities"] {
        let refused = stranger.get(path).await;
        refused.assert_refused(401, "unauthorized");
    }
    let signing = DiligenceCaller::live(&demo).get("/v1/signings").await;
    signing.assert_refused(401, "unauthorized");
}
