//! What people have to do, each thing in each way.

use std::sync::Arc;

use super::authentications::Authentication;
use super::hosts::Hosts;
use super::orders::Order;
use super::people::{Method, Signer};
use super::questions::Question;
use super::signings::{Document, Signing};
use crate::support::auth::Provider;
use crate::support::demo::Demo;

/// Errands in a round, of which some are not signings.
const ROUND: usize = 18;
const SIGNINGS: usize = 12;

/// Something that one person does.
pub(super) enum Errand {
    Signing(Signing),
    Order(Order),
    Authentication(Authentication),
    Question(Question),
}

/// What came of an errand.
#[derive(Debug)]
pub(super) enum End {
    /// Its document has one signature.
    Signing { signing: String },
    /// Its package is there.
    Order {
        order: String,
        subject: &'static str,
    },
    Authentication {
        is_by_phone: bool,
        is_completed: bool,
    },
    Question {
        /// The request that was answered.
        request: String,
        /// Those before it, of which nobody knows what came.
        unanswered: Vec<String>,
    },
}

/// What errands need to know of the world.
pub(super) struct Town {
    hook: String,
    provider: Arc<Provider>,
    signing: Hosts,
    diligence: Hosts,
    authentication: Hosts,
}

impl Town {
    pub(super) fn new(world: &Demo, hosts: &Hosts, hook: &str) -> Self {
        let provider = Provider::of(world);
        Self {
            hook: hook.to_owned(),
            signing: hosts.with_key(&world.world.signing.live),
            diligence: hosts.with_key(&world.world.diligence.live),
            authentication: hosts.with_password(&provider.key.key_id, &provider.key.key_secret),
            provider: Arc::new(provider),
        }
    }
}

/// So many signings, and everything else beside them.
pub(super) fn errands(signings: usize) -> impl Iterator<Item = Errand> {
    let rounds = signings.div_ceil(SIGNINGS);
    let numbers = (0..rounds * ROUND).filter(move |number| {
        let (round, place) = (number / ROUND, number % ROUND);
        place >= SIGNINGS || round * SIGNINGS + place < signings
    });
    numbers.map(Errand::new)
}

impl Errand {
    /// Kinds, documents and methods by turns, so that each meets each.
    fn new(number: usize) -> Self {
        let (round, place) = (number / ROUND, number % ROUND);
        let signer = |number: usize, method| Signer { number, method };
        match place {
            0..SIGNINGS => {
                let document = [Document::Pdf, Document::Asice, Document::Adoc][place % 3];
                // Nobody's phone may ring too often in an hour.
                let methods = [
                    Method::SmartId,
                    Method::Card,
                    Method::MobileId,
                    Method::Card,
                ];
                let signer = signer(number, methods[place / 3]);
                Self::Signing(Signing { document, signer })
            }
            12 | 13 => Self::Order(Order::of(round * 2 + place)),
            14 | 15 => {
                let methods = [Method::SmartId, Method::MobileId, Method::Card];
                let number = round * 2 + place;
                let signer = signer(number / 3, methods[number % 3]);
                Self::Authentication(Authentication { signer })
            }
            _ => Self::Question(Question::of(round * 2 + place)),
        }
    }

    pub(super) async fn run(self, town: &Town, world: &Demo) -> End {
        match self {
            Self::Signing(signing) => signing.run(&town.signing, world, &town.hook).await,
            Self::Order(order) => order.run(&town.diligence, world, &town.hook).await,
            Self::Authentication(authentication) => {
                let provider = &town.provider;
                authentication
                    .run(&town.authentication, world, provider)
                    .await
            }
            Self::Question(question) => question.run(&town.diligence).await,
        }
    }
}
