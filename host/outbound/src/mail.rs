//! Mail, handed to the one configured server.

use std::time::Duration;

use bytes::Bytes;
use email_encoding::headers::rfc2047;
use email_encoding::headers::writer::EmailWriter;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, Message, MultiPart, SinglePart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use parafa_traces::TARGET;
use tracing::field::Empty;
use tracing::{Instrument, info_span};
use unicode_general_category::{GeneralCategory, get_general_category};
use url::Host;

/// Longest time for one command of the conversation with the server.
const COMMAND_TIME: Duration = Duration::from_secs(15);
/// Longest time for the whole of it.
const SEND_TIME: Duration = Duration::from_secs(30);

/// The mail server and the sender.
#[derive(Clone)]
pub struct MailServer {
    /// The server's host name.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Protection of the connection.
    pub protection: MailProtection,
    /// User name and password, if the server requires them.
    pub credentials: Option<(String, String)>,
    /// The address that mail is from; its name is the letter's own.
    pub from: String,
}

/// Protection of the connection to a mail server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MailProtection {
    /// TLS from the first byte (RFC 8314).
    Tls,
    /// An upgrade that is required (RFC 3207).
    StartTls,
    /// No TLS: only for a server on the same machine.
    Plain,
}

/// A letter to one person, put into words.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Letter {
    /// Name of the sender.
    pub from_name: String,
    /// Address for replies, if it is not the sender's.
    pub reply_to: Option<String>,
    /// Address of the recipient.
    pub to_address: String,
    /// Name of the recipient.
    pub to_name: Option<String>,
    /// The subject.
    pub subject: String,
    /// The body as text.
    pub text: String,
    /// The body as HTML.
    pub html: String,
    /// Picture shown by the HTML.
    pub picture: Option<Picture>,
    /// Attached files.
    pub attachments: Vec<MailFile>,
}

/// A picture embedded in a letter, so that reading it loads nothing from elsewhere.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Picture {
    /// The HTML shows it by this name as `cid:` (RFC 2392).
    pub id: &'static str,
    /// A PNG file.
    pub png: Bytes,
}

/// A file attached to a letter.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MailFile {
    /// File name.
    pub name: String,
    /// Media type.
    pub media_type: String,
    /// The bytes.
    pub content: Bytes,
}

/// Hands letters in over SMTP.
#[derive(Clone)]
pub struct Mailer {
    host: String,
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Address,
}

/// Reason why a mailer cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MailSetupError {
    /// The sender's address is invalid.
    #[error("{0} is not an address to send mail from")]
    From(String),
    /// The server cannot be spoken to.
    #[error("the mail server cannot be used")]
    Server(#[source] lettre::transport::smtp::Error),
}

/// Reason why a letter was not handed in. Contains nothing of its content.
#[derive(Debug, Clone, Copy, Eq, PartialEq, thiserror::Error)]
pub enum MailError {
    /// Permanent failure: an address or a letter that the server refuses, with its reply code (RFC
    /// 5321, 4.2.1), or that cannot be written.
    #[error("the mail server refuses the email permanently")]
    Refused(Option<u16>),
    /// Transient failure.
    #[error("the mail server did not accept the email")]
    Unavailable,
}

impl MailError {
    /// A short name of the fault, for monitoring.
    fn name(self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Unavailable => "unavailable",
        }
    }
}

impl Mailer {
    /// A mailer for this server. Does not connect yet.
    ///
    /// # Errors
    /// [`MailSetupError`].
    pub fn new(server: &MailServer) -> Result<Self, MailSetupError> {
        type Smtp = AsyncSmtpTransport<Tokio1Executor>;

        let from = server.from.parse();
        let from = from.map_err(|_| MailSetupError::From(server.from.clone()))?;
        let builder = match server.protection {
            MailProtection::Tls => Smtp::relay(&server.host).map_err(MailSetupError::Server)?,
            MailProtection::StartTls => {
                Smtp::starttls_relay(&server.host).map_err(MailSetupError::Server)?
            }
            MailProtection::Plain => Smtp::builder_dangerous(&server.host),
        };
        let mut builder = builder.port(server.port).timeout(Some(COMMAND_TIME));
        if let Some((user, password)) = &server.credentials {
            builder = builder.credentials(Credentials::new(user.clone(), password.clone()));
        }
        Ok(Self {
            host: server.host.clone(),
            transport: builder.build(),
            from,
        })
    }

    /// Hands a letter in. `id` is part of the `Message-ID`, which distinguishes a repeated letter
    /// from a second one. It consists of letters, digits and hyphens.
    ///
    /// # Errors
    /// [`MailError`].
    pub async fn send(&self, id: &str, letter: &Letter) -> Result<(), MailError> {
        let message = self.message(id, letter).ok_or(MailError::Refused(None))?;
        let span = info_span!(
            target: TARGET,
            "mail",
            otel.kind = "client",
            server.address = self.host,
            "error.type" = Empty,
        );
        let sending = tokio::time::timeout(SEND_TIME, self.transport.send(message));
        let sent = match sending.instrument(span.clone()).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) if error.is_permanent() => {
                Err(MailError::Refused(error.status().map(u16::from)))
            }
            Ok(Err(error)) => {
                self.tell(Some(&error));
                Err(MailError::Unavailable)
            }
            Err(_) => {
                self.tell(None);
                Err(MailError::Unavailable)
            }
        };
        if let Err(error) = sent {
            span.record("error.type", error.name());
        }
        sent
    }

    /// The server's host name.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Warns the operator of a transient failure. The server's reply may name the addressee, and is
    /// left out.
    fn tell(&self, error: Option<&lettre::transport::smtp::Error>) {
        let status = error.and_then(|error| error.status().map(u16::from));
        let error = error.filter(|error| status.is_none() && !error.is_response());
        tracing::warn!(
            provider = "mail",
            host = self.host,
            status,
            remedy = match status {
                Some(_) => "read in the mail server's log why it defers emails",
                None =>
                    "check that this machine can reach the server at mail.host and mail.port, with the protection of mail.protection",
            },
            error = error.map(|error| error as &dyn std::error::Error),
            "the mail server did not accept an email"
        );
    }

    fn message(&self, id: &str, letter: &Letter) -> Option<Message> {
        let to = with_a_labels(&letter.to_address)?.parse().ok()?;
        let from_name = Some(one_line(&letter.from_name));
        let to_name = letter.to_name.as_deref().map(one_line);
        let subject = one_line(&letter.subject);
        let mut builder = Message::builder();
        if let Some(reply_to) = &letter.reply_to {
            let address = with_a_labels(reply_to)?.parse().ok()?;
            builder = builder.reply_to(Mailbox::new(from_name.clone(), address));
        }
        let mut message = builder
            .message_id(Some(format!("<{}@{}>", id, self.from.domain())))
            .from(Mailbox::new(from_name, self.from.clone()))
            .to(Mailbox::new(to_name, to))
            .subject(subject.clone())
            .multipart(body(letter)?)
            .ok()?;
        if looks_encoded(&subject) {
            let encoded = encoded_words("Subject", subject)?;
            message.headers_mut().insert_raw(encoded);
        }
        Some(message)
    }
}

/// An address with its domain in A-labels (RFC 5890, 2.3.2.1), which every server accepts.
fn with_a_labels(address: &str) -> Option<String> {
    let (local_part, domain) = address.rsplit_once('@')?;
    let domain = Host::parse(domain).ok()?;
    Some(format!("{local_part}@{domain}"))
}

/// The letter as text and as HTML, with its picture and attachments (RFC 2046, 5.1, and RFC 2387).
fn body(letter: &Letter) -> Option<MultiPart> {
    let words = match &letter.picture {
        None => MultiPart::alternative_plain_html(letter.text.clone(), letter.html.clone()),
        Some(Picture { id, png }) => {
            let png = Attachment::new_inline((*id).to_owned())
                .body(png.to_vec(), ContentType::parse("image/png").ok()?);
            let html = SinglePart::html(letter.html.clone());
            MultiPart::alternative()
                .singlepart(SinglePart::plain(letter.text.clone()))
                .multipart(MultiPart::related().singlepart(html).singlepart(png))
        }
    };
    if letter.attachments.is_empty() {
        return Some(words);
    }
    let whole = MultiPart::mixed().multipart(words);
    letter.attachments.iter().try_fold(whole, |whole, file| {
        let media_type = ContentType::parse(&file.media_type).ok()?;
        let attachment = Attachment::new(one_line(&file.name));
        Some(whole.singlepart(attachment.body(file.content.to_vec(), media_type)))
    })
}

/// Returns true if mail readers would decode the text as encoded words.
fn looks_encoded(text: &str) -> bool {
    text.contains("=?")
}

/// A header field of encoded-words (RFC 2047, 2), so that readers show it as typed.
fn encoded_words(name: &'static str, text: String) -> Option<HeaderValue> {
    let mut encoded = String::new();
    let mut writer = EmailWriter::new(&mut encoded, name.len() + ": ".len(), 0, false);
    rfc2047::encode(&text, &mut writer).ok()?;
    drop(writer);
    let name = HeaderName::new_from_ascii_str(name);
    Some(HeaderValue::dangerous_new_pre_encoded(name, text, encoded))
}

/// Makes a caller's text safe for a header field: no line breaks, and no characters that change
/// direction or are invisible (UAX #44, 5.7.1). Joiners stay, because they shape their neighbours.
fn one_line(text: &str) -> String {
    text.chars()
        .filter_map(|character| match get_general_category(character) {
            _ if matches!(character, '\u{200C}' | '\u{200D}') => Some(character),
            GeneralCategory::Control
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator => Some(' '),
            GeneralCategory::Format => None,
            _ => Some(character),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    /// A server that accepts one letter, or answers `recipient` to its addressee.
    async fn server(recipient: &'static str) -> (u16, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let conversation = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.expect("a client");
            let (reader, mut writer) = stream.into_split();
            let mut lines = BufReader::new(reader).lines();
            let mut letter = String::new();
            let mut in_letter = false;
            writer.write_all(b"220 here\r\n").await.expect("writes");
            while let Ok(Some(line)) = lines.next_line().await {
                let answer = if in_letter && line != "." {
                    letter.push_str(&line);
                    letter.push('\n');
                    continue;
                } else if line.starts_with("RCPT") {
                    recipient
                } else if line.starts_with("DATA") {
                    in_letter = true;
                    "354 go on"
                } else {
                    in_letter = false;
                    "250 fine"
                };
                let answer = format!("{answer}\r\n");
                if writer.write_all(answer.as_bytes()).await.is_err() || line == "QUIT" {
                    break;
                }
            }
            letter
        });
        (port, conversation)
    }

    fn mailer(port: u16) -> Mailer {
        Mailer::new(&MailServer {
            host: "127.0.0.1".to_owned(),
            port,
            protection: MailProtection::Plain,
            credentials: None,
            from: "parafa@example.com".to_owned(),
        })
        .expect("a mailer")
    }

    fn letter() -> Letter {
        Letter {
            from_name: "Ąžuolas, UAB\r\nBcc: everybody@example.com".to_owned(),
            reply_to: Some("klausk@ąžuolas.example".to_owned()),
            to_address: "signer@example.com".to_owned(),
            to_name: Some("Žydrė".to_owned()),
            subject: "Sutartis\nX-Other: 1".to_owned(),
            text: "Sveiki".to_owned(),
            html: "<p>Sveiki</p>".to_owned(),
            picture: None,
            attachments: Vec::new(),
        }
    }

    #[test]
    fn a_header_is_one_line_of_what_can_be_seen() {
        for (text, shown) in [
            ("Sutartis\r\nBcc: x", "Sutartis  Bcc: x"),
            ("a\u{2028}b\u{2029}c", "a b c"),
            ("fdp\u{202E}\u{200E}.\u{AD}exe\u{FEFF}\u{E0041}", "fdp.exe"),
            ("می\u{200C}خواهم", "می\u{200C}خواهم"),
        ] {
            assert_eq!(one_line(text), shown);
        }
    }

    #[tokio::test]
    async fn a_letter_arrives_as_text_and_html_under_a_name_that_adds_no_header() {
        let (port, conversation) = server("250 fine").await;
        let mailer = mailer(port);

        let sent = mailer.send("0192-1", &letter()).await;

        drop(mailer);
        assert_eq!(sent, Ok(()));
        let letter = conversation.await.expect("a letter");
        assert!(
            letter.contains("Message-ID: <0192-1@example.com>"),
            "{letter}"
        );
        assert!(letter.contains("text/plain") && letter.contains("text/html"));
        let reply_to = letter.lines().find(|line| line.starts_with("Reply-To: "));
        let reply_to = reply_to.expect("an address for answers");
        assert!(letter.contains("<klausk@xn--"), "{reply_to}");
        assert!(!letter.contains("\nBcc:") && !letter.contains("\nX-Other:"));
    }

    #[tokio::test]
    async fn pictures_stand_beside_the_html_and_files_beside_the_letter() {
        let (port, conversation) = server("250 fine").await;
        let mailer = mailer(port);
        let letter = Letter {
            picture: Some(Picture {
                id: "logo",
                png: Bytes::from_static(b"PNG"),
            }),
            attachments: vec![MailFile {
                name: "sutartis ą\r\nX-Other: 1.pdf".to_owned(),
                media_type: "application/pdf".to_owned(),
                content: Bytes::from_static(b"%PDF"),
            }],
            ..letter()
        };

        let sent = mailer.send("0192-1", &letter).await;

        drop(mailer);
        assert_eq!(sent, Ok(()));
        let letter = conversation.await.expect("a letter");
        let order = [
            "multipart/mixed",
            "multipart/alternative",
            "text/plain",
            "multipart/related",
            "text/html",
            "Content-ID: <logo>",
            "Content-Disposition: attachment",
            "application/pdf",
        ];
        for part in order {
            assert!(letter.contains(part), "{part}: {letter}");
        }
        let places: Vec<_> = order[..6].iter().map(|part| letter.find(part)).collect();
        assert!(places.is_sorted(), "{letter}");
        assert!(!letter.contains("\nX-Other:"), "{letter}");
    }

    #[tokio::test]
    async fn an_internationalized_domain_goes_out_in_ascii() {
        let (port, conversation) = server("250 fine").await;
        let mailer = mailer(port);
        let letter = Letter {
            to_address: "ona@Žemė.example".to_owned(),
            ..letter()
        };

        let sent = mailer.send("0192-1", &letter).await;

        drop(mailer);
        assert_eq!(sent, Ok(()));
        let letter = conversation.await.expect("a letter");
        assert!(letter.contains("<ona@xn--em-9ma32b.example>"), "{letter}");
    }

    #[tokio::test]
    async fn an_addressee_whom_the_server_refuses_for_good_is_told_from_trouble() {
        for (answer, expected) in [
            ("550 nobody", MailError::Refused(Some(550))),
            ("450 later", MailError::Unavailable),
        ] {
            let (port, _conversation) = server(answer).await;
            assert_eq!(mailer(port).send("0192-1", &letter()).await, Err(expected));
        }
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_trouble() {
        assert_eq!(
            mailer(1).send("0192-1", &letter()).await,
            Err(MailError::Unavailable)
        );
    }
}
