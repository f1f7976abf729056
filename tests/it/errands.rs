//! Errands of people at the hosts of a deployment that fail, of every kind and method, and the
//! ledger of their acknowledged results.

mod authentications;
mod cards;
mod hosts;
mod orders;
mod people;
mod questions;
mod sights;
mod signings;
mod times;
mod town;

use self::authentications::Authentication;
pub(crate) use self::hosts::{Conditions, Hosts};
use self::orders::Order;
use self::people::{Method, Signer};
use self::questions::Question;
use self::signings::{Document, Fate, Signing};
pub(crate) use self::town::{Samples, Town};
use crate::support::random::Random;

/// Errands in a round, and the signings among them.
const ROUND: usize = 18;
const SIGNINGS: usize = 12;

/// Something that one person does.
#[derive(Debug)]
pub(crate) enum Errand {
    Signing(Signing),
    Order(Order),
    Authentication(Authentication),
    Question(Question),
}

/// Returns this many signings, with their share of other errands.
pub(crate) fn errands(signings: usize) -> impl Iterator<Item = Errand> {
    let rounds = signings.div_ceil(SIGNINGS);
    let numbers = (0..rounds * ROUND).filter(move |number| {
        let (round, place) = (number / ROUND, number % ROUND);
        place >= SIGNINGS || round * SIGNINGS + place < signings
    });
    numbers.map(Errand::new)
}

impl Errand {
    /// Creates an errand. Kinds, documents and methods rotate, so that all combinations occur.
    fn new(number: usize) -> Self {
        let (round, place) = (number / ROUND, number % ROUND);
        let signer = |number: usize, method| Signer { number, method };
        match place {
            0..SIGNINGS => {
                let document = Document::ALL[place % 3];
                // No phone may ring too often in an hour.
                let methods = [
                    Method::SmartId,
                    Method::Card,
                    Method::MobileId,
                    Method::Card,
                ];
                let signer = signer(number, methods[place / 3]);
                Self::Signing(Signing {
                    document,
                    signer,
                    fate: Fate::Kept,
                })
            }
            12 | 13 => Self::Order(Order::of(round * 2 + place)),
            14 | 15 => {
                let number = round * 2 + place;
                let signer = signer(number / 3, Method::ALL[number % 3]);
                Self::Authentication(Authentication { signer })
            }
            _ => Self::Question(Question::of(round * 2 + place)),
        }
    }

    /// Draws any errand; a login uses a phone only if `may_ring`.
    pub(crate) fn drawn(random: &mut Random, may_ring: bool) -> Self {
        let number = random.length(1000);
        let method = Method::ALL[random.length(3)];
        match random.below(20) {
            0..12 => Self::Signing(Signing {
                document: Document::ALL[random.length(3)],
                signer: Signer { number, method },
                fate: match random.below(6) {
                    0 => Fate::Cancelled,
                    1 => Fate::Erased,
                    _ => Fate::Kept,
                },
            }),
            12 | 13 => Self::Order(Order::of(number)),
            14..17 => {
                let method = if may_ring { method } else { Method::Card };
                let signer = Signer { number, method };
                Self::Authentication(Authentication { signer })
            }
            _ => Self::Question(Question::of(number)),
        }
    }

    /// Returns true if it is a login by phone.
    pub(crate) fn rings_for_login(&self) -> bool {
        matches!(self, Self::Authentication(login) if login.signer.method != Method::Card)
    }

    /// Runs the errand to its end; its events are posted to `hook`.
    pub(crate) async fn run(self, town: &Town, hook: &str) {
        match self {
            Self::Signing(signing) => signing.run(town, hook).await,
            Self::Order(order) => order.run(town, hook).await,
            Self::Authentication(authentication) => authentication.run(town).await,
            Self::Question(question) => question.run(town).await,
        }
    }
}
