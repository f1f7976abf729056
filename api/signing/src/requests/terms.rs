use parafa_api_http::decode::{Node, Object};
use parafa_api_http::deliveries::webhook_address;
use serde_json::json;
use url::Url;

use super::NewSigner;
use super::limits::{
    DEFAULT_EXPIRES_IN_DAYS, EXPIRES_IN_DAYS, LONGEST_EXTERNAL_ID, LONGEST_TITLE, SIGNERS,
    SOFT_DEADLINE_IN_DAYS,
};
use super::new_signer::{Parties, of_viewers};
use super::rules::Rules;
use crate::vocabulary::{Delivery, SigningMethod, SigningOrder};

/// Terms of a signing, the same for each signing of a batch.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Title shown to signers.
    pub title: String,
    /// The parties, in the order posted: 1 to 20, with distinct emails. At least one of them signs.
    pub signers: Vec<NewSigner>,
    /// Delivery of the links to the signers.
    pub delivery: Delivery,
    /// The order in which signers sign.
    pub signing_order: SigningOrder,
    /// URL to which events are posted.
    pub webhook_url: Option<Url>,
    /// The caller's own reference.
    pub external_id: Option<String>,
    /// 1 to 365.
    pub soft_deadline_in_days: Option<u16>,
    /// 1 to 30.
    pub expires_in_days: u16,
}

impl Terms {
    pub(super) fn read(object: &mut Object<'_>, rules: &Rules<'_>) -> Option<Self> {
        let title = object.required("title", |node| {
            node.described("One line, shown to signers on the ceremony page and in their mail.")
                .visible_text(LONGEST_TITLE)
        });
        let signers = object.required("signers", |node| signers(node, &rules.methods));
        let delivery = object.or("delivery", Delivery::Link, |node| node.one_of());
        let signing_order = object.or("signingOrder", SigningOrder::Parallel, |node| node.one_of());
        let webhook_url = object.optional("webhookUrl", |node| webhook_url(node, rules));
        let external_id = object.optional("externalId", |node| {
            node.described("The caller's own reference.")
                .text(LONGEST_EXTERNAL_ID)
        });
        let soft_deadline_in_days = object.optional("softDeadlineInDays", |node| {
            node.integer(SOFT_DEADLINE_IN_DAYS)
        });
        let expires_in_days = object.or("expiresInDays", DEFAULT_EXPIRES_IN_DAYS, expires_in_days);
        Some(Self {
            title: title?.to_owned(),
            signers: signers?,
            delivery: delivery?,
            signing_order: signing_order?,
            webhook_url,
            external_id: external_id.map(str::to_owned),
            soft_deadline_in_days,
            expires_in_days: expires_in_days?,
        })
    }
}

pub(super) fn expires_in_days(node: Node<'_>) -> Option<u16> {
    node.described("Days until the hard deadline.")
        .integer(EXPIRES_IN_DAYS)
}

fn signers(node: Node<'_>, set_up: &[SigningMethod]) -> Option<Vec<NewSigner>> {
    let node = node
        .described("Emails are unique, ignoring case. At least one party has the role signer.")
        .with("contains", json!({"not": of_viewers()}));
    let mut parties = Parties::default();
    let decoded = node.items(SIGNERS, |signer| {
        NewSigner::of_party(&signer, &mut parties, set_up)
    });
    if parties.are_all_viewers() {
        node.fault("must have at least one party of role signer");
    }
    decoded
}

fn webhook_url(node: Node<'_>, rules: &Rules<'_>) -> Option<Url> {
    let node = node.described(
        "A public https address for the events of the signing: a URI of RFC 3986, without credentials and fragment, whose port is not 0.",
    );
    webhook_address(&node, rules.webhook_target)
}
