//! `GET /v1/signings`: the query.

use parafa_api_signing::SigningStatus;
use parafa_api_signing::requests::ListQuery;

use crate::support::{KNOWN, Service, id};

#[tokio::test]
async fn the_query_arrives_parsed() {
    let service = Service::new();
    assert_eq!(service.get("/v1/signings").await.status, 200);
    let path = format!("/v1/signings?limit=100&status=declined&startingAfter={KNOWN}");
    assert_eq!(service.get(&path).await.status, 200);
    assert_eq!(
        *service.fake.listed.lock().unwrap(),
        [
            ListQuery {
                status: None,
                limit: 50,
                starting_after: None
            },
            ListQuery {
                status: Some(SigningStatus::Declined),
                limit: 100,
                starting_after: Some(id(KNOWN).into())
            },
        ]
    );
}

#[tokio::test]
async fn every_fault_of_the_query_is_named() {
    let service = Service::new();
    for (query, pointers) in [
        ("limit=0", &["/limit"][..]),
        ("limit=101", &["/limit"]),
        ("limit=", &["/limit"]),
        ("limit=%2B5", &["/limit"]),
        ("limit=5.0", &["/limit"]),
        ("status=Pending", &["/status"]),
        ("startingAfter=1", &["/startingAfter"]),
        ("page=2", &["/page"]),
        ("a%2Fb=2", &["/a~1b"]),
        ("limit=5&limit=5", &["/limit"]),
        (
            "x=1&limit=999&status=no&startingAfter=no",
            &["/x", "/limit", "/status", "/startingAfter"],
        ),
    ] {
        let answer = service.get(&format!("/v1/signings?{query}")).await;
        let found: Vec<_> = answer
            .faults()
            .into_iter()
            .map(|(pointer, _)| pointer)
            .collect();
        assert_eq!(found, pointers, "{query}");
    }
    assert!(service.fake.listed.lock().unwrap().is_empty());
}
