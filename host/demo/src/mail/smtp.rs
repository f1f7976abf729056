//! The part of SMTP (RFC 5321) needed to receive letters.

use std::{io, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream, tcp::OwnedWriteHalf},
};

use super::Mailbox;
use crate::shutdown::Shutdown;

/// Maximum length of a command line, in bytes (RFC 5321 4.5.3.1.4 requires 512).
const MAX_LINE: u64 = 4096;
/// Largest letter, in bytes.
const MAX_LETTER: usize = 8 * 1024 * 1024;
/// Maximum number of addressees of one letter (RFC 5321 4.5.3.1.8 requires 100).
const MAX_RECIPIENTS: usize = 100;
/// The beginning of addresses that have no mailbox.
const NOBODY: &str = "nobody@";
/// Longest silence of a client.
const SILENCE: Duration = Duration::from_secs(60);

/// Accepts letters until the world ends.
pub(crate) async fn serve(listener: TcpListener, mailbox: Mailbox, shutdown: Shutdown) {
    loop {
        let accepted = tokio::select! {
            () = shutdown.begun() => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            continue;
        };
        let (mailbox, shutdown) = (mailbox.clone(), shutdown.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = shutdown.begun() => {}
                ended = converse(stream, &mailbox) => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, "a mail client went away");
                    }
                }
            }
        });
    }
}

/// Envelope of a client's letter so far.
#[derive(Default)]
struct Envelope {
    has_sender: bool,
    recipients: Vec<String>,
}

async fn converse(stream: TcpStream, mailbox: &Mailbox) -> io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let mut envelope = Envelope::default();
    say(&mut writer, "220 demo ESMTP").await?;
    while let Some(line) = read_line(&mut reader).await? {
        let verb = line.get(..4).unwrap_or(&line).to_ascii_uppercase();
        let answer = match verb.as_str() {
            "EHLO" => "250-demo\r\n250-8BITMIME\r\n250 SMTPUTF8",
            "HELO" | "NOOP" => "250 fine",
            "RSET" => {
                envelope = Envelope::default();
                "250 fine"
            }
            "MAIL" => {
                envelope = Envelope {
                    has_sender: true,
                    recipients: Vec::new(),
                };
                "250 fine"
            }
            "RCPT" => envelope.add(&line),
            "DATA" if envelope.recipients.is_empty() => "503 nobody to send it to",
            "DATA" => {
                say(&mut writer, "354 go on").await?;
                let letter = read_letter(&mut reader).await?;
                let Envelope { recipients, .. } = std::mem::take(&mut envelope);
                match letter {
                    Some(letter) if mailbox.keep(&recipients, &letter) => "250 kept",
                    Some(_) => "554 this is no letter",
                    None => "552 the letter is too large",
                }
            }
            "QUIT" => {
                say(&mut writer, "221 bye").await?;
                return Ok(());
            }
            _ => "502 not known here",
        };
        say(&mut writer, answer).await?;
    }
    Ok(())
}

impl Envelope {
    fn add(&mut self, line: &str) -> &'static str {
        if !self.has_sender {
            return "503 MAIL comes first";
        }
        if self.recipients.len() == MAX_RECIPIENTS {
            return "452 too many recipients";
        }
        let address = line
            .split_once('<')
            .and_then(|(_, rest)| rest.split_once('>'));
        match address {
            Some((address, _)) if address.starts_with(NOBODY) => "550 no such mailbox",
            Some((address, _)) if address.contains('@') => {
                self.recipients.push(address.to_owned());
                "250 fine"
            }
            _ => "501 no address",
        }
    }
}

async fn say(writer: &mut OwnedWriteHalf, answer: &str) -> io::Result<()> {
    writer.write_all(format!("{answer}\r\n").as_bytes()).await
}

/// A line without its end; `None` if the client has disconnected.
async fn read_line<R: AsyncBufReadExt + Unpin>(reader: &mut R) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut limited = reader.take(MAX_LINE);
    let read = tokio::time::timeout(SILENCE, limited.read_until(b'\n', &mut line)).await??;
    if read == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()))
}

/// A letter with its dots unstuffed (RFC 5321 4.5.2); `None` if it is too large.
async fn read_letter<R: AsyncBufReadExt + Unpin>(reader: &mut R) -> io::Result<Option<Vec<u8>>> {
    let mut letter = Vec::new();
    let mut too_large = false;
    let mut line_begins = true;
    loop {
        let mut line = Vec::new();
        let mut limited = reader.take(MAX_LINE);
        let read = tokio::time::timeout(SILENCE, limited.read_until(b'\n', &mut line)).await??;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line_begins && line == b".\r\n" {
            return Ok((!too_large).then_some(letter));
        }
        let dotted = line.strip_prefix(b".").filter(|_| line_begins);
        line_begins = line.ends_with(b"\n");
        too_large |= letter.len() + line.len() > MAX_LETTER;
        if !too_large {
            letter.extend_from_slice(dotted.unwrap_or(&line));
        }
    }
}
