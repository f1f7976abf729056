//! Destinations of the demo's mail and webhooks.

use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor, message::MultiPart};
use serde_json::{Value, json};

use crate::support::fresh_world;

const LETTER: &str = "<html lang=\"lt\"><head></head><body><p>Sveiki</p></body></html>";

async fn read(address: String) -> Value {
    let answer = reqwest::get(address).await.expect("an answer");
    answer.json().await.expect("JSON")
}

#[tokio::test]
async fn a_letter_is_shown_as_its_addressees_would_read_it() {
    let world = fresh_world().await;
    let addresses = world.addresses();
    let letter = Message::builder()
        .from("Ąžuolas <parafa@example.com>".parse().expect("a mailbox"))
        .to("jonas@example.com".parse().expect("a mailbox"))
        .subject("Prašymas pasirašyti: sutartis")
        .multipart(MultiPart::alternative_plain_html(
            "Sveiki\n.\nTaškas eilutės pradžioje\nPasirašyti: http://127.0.0.1/c/a?b&c".to_owned(),
            LETTER.to_owned(),
        ))
        .expect("a letter");

    let smtp = addresses.smtp;
    let transport = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(smtp.ip().to_string())
        .port(smtp.port())
        .build();
    transport.send(letter).await.expect("the letter is taken");

    let messages = read(format!("{}/messages", addresses.mail)).await;
    let message = &messages[0];
    assert_eq!(message["to"], "jonas@example.com");
    assert_eq!(message["subject"], "Prašymas pasirašyti: sutartis");
    let text = message["text"].as_str().expect("a text");
    assert_eq!(
        text.trim_end().replace("\r\n", "\n"),
        "Sveiki\n.\nTaškas eilutės pradžioje\nPasirašyti: http://127.0.0.1/c/a?b&c"
    );
    assert_eq!(message["html"].as_str().map(str::trim_end), Some(LETTER));
    let page = reqwest::get(format!("{}/", addresses.mail)).await;
    let page = page.expect("a page").text().await.expect("text");
    for shown in [
        "jonas@example.com",
        "<h2 lang=\"lt\">Prašymas pasirašyti: sutartis</h2>",
        "<a href=\"http://127.0.0.1/c/a?b&amp;c\">http://127.0.0.1/c/a?b&amp;c</a>",
        "sandbox=\"allow-popups allow-popups-to-escape-sandbox\"",
        "srcdoc=\"&lt;html lang=&quot;lt&quot;&gt;&lt;head&gt;&lt;base target=",
        "&lt;p&gt;Sveiki&lt;/p&gt;",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(!page.contains("<p>Sveiki"), "{page}");
}

#[tokio::test]
async fn a_webhook_is_listed_as_it_came_and_its_name_fails_when_told_to() {
    let world = fresh_world().await;
    let hook = format!("{}/mano", world.addresses().hooks);
    let client = reqwest::Client::new();
    let post = || {
        client
            .post(&hook)
            .header("x-service-event", "e")
            .body("{ }")
    };

    let taken = post().send().await.expect("an answer");
    assert_eq!(taken.status(), 200);
    let planned = client
        .put(format!("{hook}/answer"))
        .json(&json!({"status": 503}));
    assert_eq!(planned.send().await.expect("an answer").status(), 204);
    let failed = post().send().await.expect("an answer");
    assert_eq!(failed.status(), 503);

    let deliveries = read(format!("{hook}/deliveries")).await;
    assert_eq!(deliveries.as_array().map(Vec::len), Some(2));
    assert_eq!(deliveries[0]["body"], "{ }");
    assert_eq!(deliveries[0]["headers"]["x-service-event"], "e");
    let received = deliveries[0]["receivedAt"].as_str().expect("a time");
    assert_eq!(received.len(), "2026-03-01T08:00:00.123Z".len());
    let other = read(format!("{}/kitas/deliveries", world.addresses().hooks)).await;
    assert_eq!(other, json!([]));
}
