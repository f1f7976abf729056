//! A mail server that keeps and shows its letters.

mod smtp;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::{
    Json, Router,
    extract::{Query, State},
    response::Html,
    routing::get,
};
use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use jiff::Timestamp;
use mail_parser::{MessageParser, MessagePart, MimeHeaders};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub(crate) use self::smtp::serve;
use crate::{
    arrivals::{Arrivals, Awaited},
    clock::WorldClock,
    date_time::date_time,
    newest::Newest,
};

/// The colours of the service's own pages, from which the demo cannot import them.
const STYLE: &str = "
:root { color-scheme: light dark; --ink: #16202c; --paper: #f3f5f4; --card: #fff; --line: #c9d0d9; --accent: #14532d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf3; --paper: #12171e; --card: #1b222c; --line: #3a4656; --accent: #86d9a4; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.0625rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 46rem; margin: 0 auto; padding: .75rem; }
article { margin-bottom: .75rem; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
h1, h2 { margin: 0 0 .5rem; line-height: 1.3; }
iframe { width: 100%; height: 32rem; border: 1px solid var(--line); border-radius: .5rem; background: #fff; }
summary { padding: .5rem 0; cursor: pointer; }
pre { margin: 0; font: inherit; white-space: pre-wrap; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
";

/// One letter, as its addressee would read it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    id: Uuid,
    /// Its `Message-ID`, which identifies repetitions.
    message_id: String,
    /// Recipient of the envelope.
    to: String,
    from: String,
    subject: String,
    text: String,
    /// HTML with the letter's pictures in place.
    html: String,
    attachments: Vec<AttachedFile>,
    #[serde(serialize_with = "crate::date_time::serialize")]
    received_at: Timestamp,
}

/// A file that came along.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttachedFile {
    name: String,
    mime_type: String,
    bytes: usize,
    /// Lower-case hexadecimal digits.
    sha256: String,
}

impl Message {
    /// Memory used by its texts, in bytes.
    fn bytes(&self) -> usize {
        let texts = [
            &self.message_id,
            &self.to,
            &self.from,
            &self.subject,
            &self.text,
            &self.html,
        ];
        texts.map(String::len).iter().sum()
    }
}

/// The letters, oldest first. Clones share them.
#[derive(Clone)]
pub(crate) struct Mailbox {
    clock: WorldClock,
    messages: Arc<Mutex<Newest<Message>>>,
    arrivals: Arrivals,
}

impl Mailbox {
    pub(crate) fn new(clock: WorldClock) -> Self {
        Self {
            clock,
            messages: Arc::default(),
            arrivals: Arrivals::default(),
        }
    }

    /// The letters as JSON, and as a page.
    pub(crate) fn router(self) -> Router {
        Router::new()
            .route("/mail/", get(page))
            .route("/mail/messages", get(list))
            .with_state(self)
    }

    /// Keeps a letter for each of its addressees; returns false if it is not a letter.
    fn keep(&self, recipients: &[String], raw: &[u8]) -> bool {
        let Some(parsed) = MessageParser::default().parse(raw) else {
            return false;
        };
        let body = |part: Option<std::borrow::Cow<'_, str>>| part.unwrap_or_default().into_owned();
        let from = parsed.from().and_then(|from| from.first());
        let message = Message {
            id: Uuid::nil(),
            message_id: parsed.message_id().unwrap_or_default().to_owned(),
            to: String::new(),
            from: from
                .map(|from| {
                    let name = from.name().unwrap_or_default();
                    format!("{name} <{}>", from.address().unwrap_or_default())
                })
                .unwrap_or_default(),
            subject: parsed.subject().unwrap_or_default().to_owned(),
            text: body(parsed.body_text(0)),
            html: with_pictures(body(parsed.body_html(0)), &parsed),
            attachments: parsed.attachments().filter_map(attached).collect(),
            received_at: self.clock.now(),
        };
        let mut messages = self.messages();
        for recipient in recipients {
            let message = Message {
                id: Uuid::now_v7(),
                to: recipient.clone(),
                ..message.clone()
            };
            messages.push(message.bytes(), message);
        }
        drop(messages);
        self.arrivals.note();
        true
    }

    fn all(&self) -> Vec<Message> {
        self.messages().iter().cloned().collect()
    }

    fn messages(&self) -> MutexGuard<'_, Newest<Message>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The HTML as a reader shows it: references to the letter's own parts (RFC 2392) are replaced by
/// their content.
fn with_pictures(html: String, letter: &mail_parser::Message<'_>) -> String {
    letter.attachments().fold(html, |html, part| {
        let Some(id) = part.content_id() else {
            return html;
        };
        let picture = format!(
            "data:{};base64,{}",
            media_type(part),
            BASE64.encode(part.contents())
        );
        html.replace(&format!("cid:{id}"), &picture)
    })
}

fn attached(part: &MessagePart<'_>) -> Option<AttachedFile> {
    if part.content_id().is_some() {
        return None;
    }
    let content = part.contents();
    Some(AttachedFile {
        name: part.attachment_name().unwrap_or_default().to_owned(),
        mime_type: media_type(part),
        bytes: content.len(),
        sha256: hex::encode(Sha256::digest(content)),
    })
}

fn media_type(part: &MessagePart<'_>) -> String {
    let kind = part.content_type();
    kind.map(|kind| format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default()))
        .unwrap_or_default()
}

/// Answers at once, or when the awaited number has arrived.
async fn list(
    State(mailbox): State<Mailbox>,
    Query(awaited): Query<Awaited>,
) -> Json<Vec<Message>> {
    let count = || mailbox.messages().len();
    mailbox.arrivals.wait(awaited, count).await;
    Json(mailbox.all())
}

async fn page(State(mailbox): State<Mailbox>) -> Html<String> {
    let mut messages = mailbox.all();
    messages.reverse();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Mail of the demo" }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "Mail of the demo" }
                    @if messages.is_empty() {
                        p { "Nothing was sent yet." }
                    }
                    @for message in &messages { (shown(message)) }
                }
            }
        }
    };
    Html(page.into_string())
}

/// A letter as mail programs show it: it runs nothing, and its links open beside it.
fn shown(message: &Message) -> Markup {
    let language = language(&message.html);
    let html = message
        .html
        .replacen("<head>", "<head><base target=\"_blank\">", 1);
    html! {
        article {
            h2 lang=[language] { (message.subject) }
            p { (message.from) " → " (message.to) ", " (date_time(message.received_at)) }
            iframe title={ "The letter to " (message.to) ": " (message.subject) } loading="lazy"
                sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc=(html) {}
            details {
                summary { "As text" }
                pre lang=[language] { (with_links(&message.text)) }
            }
        }
    }
}

/// The language that a letter says it is in.
fn language(html: &str) -> Option<&str> {
    let (_, rest) = html.split_once("<html lang=\"")?;
    Some(rest.split_once('"')?.0)
}

/// A text with its URLs as links.
fn with_links(text: &str) -> Markup {
    let is_address = |word: &str| word.starts_with("https://") || word.starts_with("http://");
    html! {
        @for piece in text.split_inclusive(char::is_whitespace) {
            @let word = piece.trim_end();
            @if is_address(word) {
                a href=(word) { (word) } (&piece[word.len()..])
            } @else {
                (piece)
            }
        }
    }
}
