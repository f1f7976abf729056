//! Texts that would be displayed as something else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::PdfBuilder;
use serde_json::{Value, json};

use crate::attack::{Attack, Finding};
use crate::server::{Disk, Server};

/// Invisible characters in displayed texts.
pub(crate) const TEXTS: Attack = Attack {
    name: "texts",
    needs_files: false,
    run: || Box::pin(run()),
};

/// A separate line with a link, in a mail by the service.
const LINE: &str = "Sutartis\r\n\r\nPasirašykite čia: https://evil.example/";
/// `fdp.exe` that is displayed as `exe.pdf`.
const TURNED: &str = "sutartis-\u{202E}fdp.exe";

async fn run() -> Vec<Finding> {
    let server = Server::start(Disk::Real, &[]);
    let sound = json!({
        "title": "Sutartis",
        "document": {
            "name": "sutartis.pdf",
            "content": BASE64.encode(PdfBuilder::new().build()),
        },
        "signers": [{"email": "ona@example.lt"}],
    });
    assert_eq!(status(&server, &sound).await, 201, "the request is sound");

    let mut taken = 0;
    let mut tried = 0;
    for text in [LINE, TURNED, "a\u{7F}", "a\u{85}b", "a\tb", "\u{2066}a"] {
        for (pointer, member) in [("", "title"), ("", "externalId"), ("/signers/0", "name")] {
            let mut body = sound.clone();
            body.pointer_mut(pointer).expect("an object")[member] = text.into();
            tried += 1;
            taken += u32::from(status(&server, &body).await == 201);
        }
        let mut body = sound.clone();
        body["document"]["name"] = format!("{text}.pdf").into();
        tried += 1;
        taken += u32::from(status(&server, &body).await == 201);
    }
    vec![Finding {
        what: "texts with control characters or direction marks that were taken, of 24",
        before: "20",
        now: format!("{taken} of {tried}"),
        holds: taken == 0,
    }]
}

async fn status(server: &Server, body: &Value) -> u16 {
    let sent = server.post("v1/signings", body.to_string().into()).send();
    sent.await.expect("the server answers").status().as_u16()
}
