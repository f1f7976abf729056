//! Calls on webhook deliveries.

use parafa_api_http::deliveries::{DeliveryQuery, WebhookDeliveryStatus};
use parafa_api_signing::ProblemKind;
use serde_json::json;

use crate::support::{DELIVERY, Service, UNDER_WAY, id, json_request};

#[tokio::test]
async fn the_query_arrives_parsed() {
    let service = Service::new();
    let path = format!(
        "/v1/deliveries?limit=2&status=failed&event=signing.completed&startingAfter={DELIVERY}"
    );

    let answer = service.get(&path).await;

    assert_eq!(answer.json()["nextCursor"], DELIVERY);
    assert_eq!(
        *service.fake.deliveries.lock().unwrap(),
        [DeliveryQuery {
            status: Some(WebhookDeliveryStatus::Failed),
            event: Some("signing.completed"),
            limit: 2,
            starting_after: Some(id(DELIVERY)),
        }]
    );
}

#[tokio::test]
async fn every_fault_of_the_query_is_named() {
    let service = Service::new();

    let answer = service
        .get("/v1/deliveries?status=lost&event=kyc.delivered&limit=0")
        .await;

    let pointers: Vec<_> = answer.faults().into_iter().map(|(at, _)| at).collect();
    assert_eq!(pointers, ["/status", "/event", "/limit"]);
}

#[tokio::test]
async fn a_test_goes_where_events_may_go_and_is_found_at_its_address() {
    let service = Service::new();
    let test = |address: &str| {
        let body = json!({"webhookUrl": address}).to_string();
        service.send(json_request("POST", "/v1/deliveries", "owner", body))
    };

    let refused = test("http://caller.example/hooks").await;
    let begun = test("https://caller.example/hooks").await;

    let fault = ("/webhookUrl".to_owned(), "must be an https URL".to_owned());
    assert_eq!(refused.faults(), [fault]);
    assert_eq!(begun.status, 202);
    assert_eq!(
        begun.header("location"),
        format!("https://sign.example/v1/deliveries/{DELIVERY}")
    );
    assert_eq!(service.fake.tests.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn an_event_that_is_being_posted_is_not_posted_again() {
    let service = Service::new();
    let resend = |id: &str| {
        let path = format!("/v1/deliveries/{id}/resend");
        service.send(json_request("POST", &path, "owner", "{}"))
    };

    let [under_way, ended] = [resend(UNDER_WAY).await, resend(DELIVERY).await];

    assert_eq!(under_way.problem(), ProblemKind::DeliveryUnderWay);
    assert_eq!(ended.status, 202);
    assert_eq!(ended.header("location"), "", "it keeps its address");
    assert_eq!(ended.json()["attempts"][0]["outcome"], "410");
}
