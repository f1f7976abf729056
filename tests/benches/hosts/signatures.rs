//! Whole signatures over HTTP. A document is posted, a card signs it by the
//! calls of the signer's page, and the signed document is fetched. Cards answer
//! at once, while a phone would take about a second.

use std::sync::Arc;

use bytes::Bytes;
use parafa_test_services::{Postgres, S3};

use crate::callers::{Rounds, Times};
use crate::ceremony::{CARDS, creation, sign_with_card};
use crate::server::{Disk, Server, answer};
use crate::{DOCUMENT, Scale};

/// Concurrent signers.
const SIGNERS: [usize; 2] = [1, 8];

pub(crate) async fn measure(server: &Postgres, scale: &Scale) {
    let s3 = S3::start();
    let body = Bytes::from(creation(DOCUMENT).to_string());
    let setups = [
        ("sled", Arc::new(Server::start(Disk::Real, &[]))),
        ("PostgreSQL", Arc::new(shared(server, None))),
        (
            "PostgreSQL and a bucket",
            Arc::new(shared(server, Some(&s3))),
        ),
    ];
    for (_, server) in &setups {
        for _ in 0..scale.listed {
            answer(server.post("v1/signings", body.clone())).await;
        }
    }
    let (mut signatures, mut pages) = (Rounds::default(), Rounds::default());
    for _ in 0..scale.rounds {
        for (name, server) in &setups {
            let server = server.clone();
            let ask = move |_| {
                let server = server.clone();
                async move { drop(answer(server.get("v1/signings")).await) }
            };
            pages.add(name, Times::of(1, scale.within, ask).await);
        }
        for signers in SIGNERS {
            for (name, server) in &setups {
                let (server, body) = (server.clone(), body.clone());
                let sign = move |signer| {
                    let (server, body) = (server.clone(), body.clone());
                    async move { sign_with_card(&server, CARDS[signer % CARDS.len()], body).await }
                };
                let times = Times::of(signers, scale.within, sign).await;
                signatures.add(&format!("{name}, signers: {signers}"), times);
            }
        }
    }
    println!("{}", pages.table("first page of signings, one caller"));
    println!("{}", signatures.table("whole signatures"));
}

/// Starts a server with its records in a new database, and its documents there
/// too or in a bucket.
pub(crate) fn shared(server: &Postgres, bucket: Option<&S3>) -> Server {
    let database = server.database().url;
    let (url, variables) = bucket.map(|s3| (s3.url(), s3.variables())).unzip();
    let mut settings = vec![
        ("PARAFA_STORE__ENGINE", "postgres"),
        ("PARAFA_STORE__URL", &database),
    ];
    settings.extend(url.iter().map(|url| ("PARAFA_OBJECTS__URL", &url[..])));
    let variables = variables.iter().flatten();
    settings.extend(variables.map(|(name, value)| (&name[..], &value[..])));
    Server::start(Disk::Real, &settings)
}
