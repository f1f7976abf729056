//! Bodies other than that of a new signing.

use parafa_api_signing::requests::{BulkErasure, DocumentBytes, Party, UpdateDeadline};
use parafa_api_signing::{DocumentFamily, SigningMethod, SimulatedOutcome};
use serde_json::{Value, json};

use crate::support::{Answer, FILE, KNOWN, SIGNER, Service, base64, id, json_request, time};

async fn send(service: &Service, method: &str, path: &str, body: &Value) -> Answer {
    let path = path.replace("{s}", &format!("/v1/signings/{KNOWN}"));
    service
        .send(json_request(method, &path, "owner", body.to_string()))
        .await
}

async fn pointers(method: &str, path: &str, body: &Value) -> Vec<String> {
    let answer = send(&Service::new(), method, path, body).await;
    answer.faults().into_iter().map(|(at, _)| at).collect()
}

#[tokio::test]
async fn a_deadline_is_1_to_30_days_from_now() {
    let service = Service::new();
    for days in [1, 30] {
        let body = json!({"expiresInDays": days});
        assert_eq!(send(&service, "PATCH", "{s}", &body).await.status, 200);
    }
    assert_eq!(
        *service.fake.deadlines.lock().unwrap(),
        [1, 30].map(|expires_in_days| UpdateDeadline { expires_in_days })
    );
    for days in [json!(0), json!(31), json!(1.5), json!("3"), json!(null)] {
        let body = json!({"expiresInDays": days});
        assert_eq!(
            pointers("PATCH", "{s}", &body).await,
            ["/expiresInDays"],
            "{days}"
        );
    }
    assert_eq!(
        pointers("PATCH", "{s}", &json!({"title": "a"})).await,
        ["/title", "/expiresInDays"]
    );
}

#[tokio::test]
async fn an_erasure_may_have_a_time() {
    let service = Service::new();
    let path = "/v1/erasure";
    send(&service, "POST", path, &json!({})).await;
    send(
        &service,
        "POST",
        path,
        &json!({"before": "2026-03-01T10:00:00+02:00"}),
    )
    .await;
    send(
        &service,
        "POST",
        path,
        &json!({"before": "9999-12-31T23:59:59Z"}),
    )
    .await;
    let all = Some(jiff::Timestamp::MAX);
    let expected =
        [None, Some(time("2026-03-01T08:00:00Z")), all].map(|before| BulkErasure { before });
    assert_eq!(*service.fake.erasures.lock().unwrap(), expected);
    for before in [json!("2026-03-01"), json!(null), json!(7), json!("now")] {
        let body = json!({"before": before});
        assert_eq!(pointers("POST", path, &body).await, ["/before"], "{before}");
    }
    assert_eq!(
        pointers("POST", path, &json!({"after": 1, "before": 1})).await,
        ["/after", "/before"]
    );
}

#[tokio::test]
async fn an_outcome_is_simulated_for_somebody() {
    let service = Service::new();
    let body = json!({"action": "decline", "signerEmail": "ona@example.lt", "reason": "Ne."});
    assert_eq!(
        send(&service, "POST", "{s}/simulate", &body).await.status,
        200
    );
    {
        let simulations = service.fake.simulations.lock().unwrap();
        let [simulation] = simulations.as_slice() else {
            panic!("one")
        };
        assert_eq!(simulation.action, SimulatedOutcome::Decline);
        assert_eq!(
            simulation.signer_email.as_ref().map(AsRef::as_ref),
            Some("ona@example.lt")
        );
        assert_eq!(simulation.reason.as_deref(), Some("Ne."));
    }
    assert_eq!(
        pointers(
            "POST",
            "{s}/simulate",
            &json!({"action": "sign", "signerEmail": "ona", "reason": null, "x": 1})
        )
        .await,
        ["/action", "/signerEmail", "/reason", "/x"]
    );
    assert_eq!(
        pointers("POST", "{s}/simulate", &json!({})).await,
        ["/action"]
    );
}

#[tokio::test]
async fn a_party_is_added_with_the_same_members_as_at_creation() {
    let service = Service::new();
    for body in [
        json!({"email": "ona@example.lt"}),
        json!({"email": "ieva@example.lt", "role": "viewer"}),
    ] {
        assert_eq!(
            send(&service, "POST", "{s}/signers", &body).await.status,
            201
        );
    }
    {
        let signers = service.fake.signers.lock().unwrap();
        assert!(
            matches!(&signers[0].party, Party::Signer { methods, personal_code: None }
                if *methods == [SigningMethod::Nfc, SigningMethod::SmartId])
        );
        assert!(matches!(signers[1].party, Party::Viewer));
    }
    assert_eq!(
        pointers(
            "POST",
            "{s}/signers",
            &json!({"role": "viewer", "methods": ["nfc"], "personalCode": "39912319997", "name": 1})
        )
        .await,
        ["/methods", "/personalCode", "/name", "/email"]
    );
}

#[tokio::test]
async fn methods_are_at_least_one_and_each_once() {
    let path = format!("{{s}}/signers/{SIGNER}");
    let service = Service::new();
    let body = json!({"methods": ["mobile_id", "nfc"]});
    assert_eq!(send(&service, "PATCH", &path, &body).await.status, 200);
    assert_eq!(
        service.fake.methods.lock().unwrap()[0].methods,
        [SigningMethod::MobileId, SigningMethod::Nfc]
    );
    let too_many = ["/methods", "/methods/2"];
    for (methods, at) in [
        (json!([]), &["/methods"][..]),
        (json!(["nfc", "nfc"]), &["/methods/1"]),
        (json!(["card"]), &["/methods/0"]),
        (json!("nfc"), &["/methods"]),
        (json!(["mobile_id"]), &["/methods"]),
        (json!(["nfc", "smart_id", "nfc", "mobile_id"]), &too_many),
    ] {
        let body = json!({"methods": methods});
        assert_eq!(pointers("PATCH", &path, &body).await, at, "{methods}");
    }
    assert_eq!(pointers("PATCH", &path, &json!({})).await, ["/methods"]);
}

#[expect(clippy::needless_pass_by_value, reason = "callers make it on the spot")]
fn batch(documents: Value) -> Value {
    json!({
        "title": "Sutartys",
        "documents": documents,
        "signers": [{"email": "jonas@example.lt"}],
    })
}

#[tokio::test]
async fn a_batch_has_documents_of_both_sorts() {
    let service = Service::new();
    let documents = json!([
        {"name": "a.pdf", "content": base64(b"%PDF-1.7"), "flatten": true},
        {"name": "b.asice", "fileToken": FILE},
    ]);
    let answer = send(&service, "POST", "/v1/batches", &batch(documents)).await;
    assert_eq!(answer.status, 201);
    let batches = service.fake.batches.lock().unwrap();
    let [first, second] = batches[0].documents.as_slice() else {
        panic!("two")
    };
    assert!(first.flatten);
    assert_eq!(first.content_pointer(), "/documents/0/content");
    assert_eq!(first.flatten_pointer(), "/documents/0/flatten");
    assert_eq!(second.family, DocumentFamily::Asice);
    assert_eq!(second.content_pointer(), "/documents/1/fileToken");
    assert!(matches!(second.bytes, DocumentBytes::FileToken(token) if token == id(FILE).into()));
    let terms = &batches[0].terms;
    assert_eq!(
        (terms.expires_in_days, terms.soft_deadline_in_days),
        (14, None)
    );
}

#[tokio::test]
async fn every_fault_of_a_batch_is_named() {
    let document = |name: &str| json!({"name": name, "content": base64(b"%PDF-1.7")});
    for (documents, at) in [
        (json!([]), vec!["/documents"]),
        (Value::from(vec![document("a.pdf"); 21]), vec!["/documents"]),
        (
            json!([document("a.pdf"), document("b.txt"), {"name": "c.pdf"}]),
            vec!["/documents/1/name", "/documents/2/content"],
        ),
    ] {
        assert_eq!(pointers("POST", "/v1/batches", &batch(documents)).await, at);
    }
    let documents = Value::from(vec![document("a.pdf"); 20]);
    let answer = send(&Service::new(), "POST", "/v1/batches", &batch(documents)).await;
    assert_eq!(answer.status, 201);
    assert_eq!(
        pointers(
            "POST",
            "/v1/batches",
            &json!({"container": {}, "expiresInDays": 31})
        )
        .await,
        [
            "/container",
            "/expiresInDays",
            "/documents",
            "/title",
            "/signers"
        ]
    );
}

#[tokio::test]
async fn a_batch_has_as_many_parties_as_a_signing() {
    let signers = |count: usize| -> Vec<_> {
        (0..count)
            .map(|index| json!({"email": format!("a{index}@example.lt")}))
            .collect()
    };
    let mut body = batch(json!([{"name": "a.pdf", "content": base64(b"%PDF-1.7")}]));
    body["signers"] = signers(20).into();
    let answer = send(&Service::new(), "POST", "/v1/batches", &body).await;
    assert_eq!(answer.status, 201);
    body["signers"] = signers(21).into();
    assert_eq!(pointers("POST", "/v1/batches", &body).await, ["/signers"]);
    body["signers"] = json!([{"email": "a@example.lt"}, {"email": "A@EXAMPLE.lt"}]);
    assert_eq!(
        pointers("POST", "/v1/batches", &body).await,
        ["/signers/1/email"]
    );
}

#[tokio::test]
async fn a_file_has_a_name_with_a_known_extension() {
    let service = Service::new();
    let body = json!({"name": "Sutartis.ADOC", "content": base64(b"PK")});
    assert_eq!(send(&service, "POST", "/v1/files", &body).await.status, 201);
    {
        let files = service.fake.files.lock().unwrap();
        assert_eq!(files[0].family, DocumentFamily::Adoc);
        assert_eq!(files[0].content.as_ref(), b"PK");
    }
    for (body, at) in [
        (json!({"name": "a.docx", "content": ""}), vec!["/name"]),
        (json!({"name": "a/b.pdf", "content": ""}), vec!["/name"]),
        (json!({"name": "a.pdf", "content": "AA"}), vec!["/content"]),
        (
            json!({"name": "a.pdf", "fileToken": FILE}),
            vec!["/fileToken", "/content"],
        ),
    ] {
        assert_eq!(pointers("POST", "/v1/files", &body).await, at, "{body}");
    }
}

#[tokio::test]
async fn a_comment_has_something_to_read() {
    let service = Service::new();
    let body = json!({"body": "ž".repeat(4000), "authorLabel": "ž".repeat(120)});
    assert_eq!(
        send(&service, "POST", "{s}/comments", &body).await.status,
        201
    );
    assert_eq!(
        service.fake.comments.lock().unwrap()[0]
            .body
            .chars()
            .count(),
        4000
    );
    for (body, at) in [
        (json!({"body": "ž".repeat(4001)}), vec!["/body"]),
        (json!({"body": " \u{200B}\n"}), vec!["/body"]),
        (
            json!({"body": "a", "authorLabel": "ž".repeat(121)}),
            vec!["/authorLabel"],
        ),
        (
            json!({"body": "a", "authorLabel": null}),
            vec!["/authorLabel"],
        ),
        (json!({"author": "service"}), vec!["/author", "/body"]),
    ] {
        assert_eq!(pointers("POST", "{s}/comments", &body).await, at, "{body}");
    }
}

#[tokio::test]
async fn lines_that_people_write_may_have_breaks_and_tabs_and_no_other_control_characters() {
    let lines = "Ne:\r\n\tper bran\u{AD}gu.\u{200F}\n";
    let comment = |body: &str| json!({"body": body});
    let declined = |reason: &str| json!({"action": "decline", "reason": reason});
    let service = Service::new();
    let told = send(&service, "POST", "{s}/comments", &comment(lines)).await;
    assert_eq!(told.status, 201);
    let told = send(&service, "POST", "{s}/simulate", &declined(lines)).await;
    assert_eq!(told.status, 200);

    for c in [
        '\0', '\u{B}', '\u{1B}', '\u{7F}', '\u{85}', '\u{2028}', '\u{202E}', '\u{2067}',
    ] {
        let text = format!("a{c}b");
        assert_eq!(
            pointers("POST", "{s}/comments", &comment(&text)).await,
            ["/body"]
        );
        assert_eq!(
            pointers("POST", "{s}/simulate", &declined(&text)).await,
            ["/reason"]
        );
        let label = json!({"body": "a", "authorLabel": text});
        assert_eq!(
            pointers("POST", "{s}/comments", &label).await,
            ["/authorLabel"]
        );
        let file = json!({"name": format!("{text}.pdf"), "content": "QUJD"});
        assert_eq!(pointers("POST", "/v1/files", &file).await, ["/name"]);
        let party = json!({"email": "ona@example.lt", "name": text});
        assert_eq!(pointers("POST", "{s}/signers", &party).await, ["/name"]);
    }
}

#[tokio::test]
async fn deep_json_is_refused_as_broken() {
    for body in ["[".repeat(200_000), "{\"a\":".repeat(200_000)] {
        let answer = Service::new()
            .send(json_request("POST", "/v1/files", "owner", body))
            .await;
        assert_eq!(answer.faults()[0].0, "");
    }
}
