use url::Url;

use super::NewSigner;
use super::limits::{
    DEFAULT_EXPIRES_IN_DAYS, EXPIRES_IN_DAYS, LONGEST_EXTERNAL_ID, LONGEST_TITLE, SIGNERS,
    SOFT_DEADLINE_IN_DAYS,
};
use super::new_signer::Parties;
use crate::decode::{Node, Object};
use crate::vocabulary::{Delivery, SigningOrder};

/// How a signing is to be run, the same for each signing of a batch.
#[derive(Clone, Debug)]
pub struct Terms {
    /// What signers are shown.
    pub title: String,
    /// The parties, in the order posted: 1 to 20, with distinct emails, at
    /// least one of which signs.
    pub signers: Vec<NewSigner>,
    /// How the links reach the signers.
    pub delivery: Delivery,
    /// Whether signers wait for one another.
    pub signing_order: SigningOrder,
    /// Where events are posted to.
    pub webhook_url: Option<Url>,
    /// The caller's own reference.
    pub external_id: Option<String>,
    /// 1 to 365.
    pub soft_deadline_in_days: Option<u16>,
    /// 1 to 30.
    pub expires_in_days: u16,
}

impl Terms {
    /// `webhook_target` is asked about the webhook's address.
    pub(super) fn decode(
        object: &mut Object<'_>,
        webhook_target: impl Fn(&Url) -> Result<(), String>,
    ) -> Option<Self> {
        let title = object
            .required("title")
            .and_then(|node| node.visible_text(LONGEST_TITLE));
        let signers = object.required("signers").and_then(|node| signers(&node));
        let delivery = object
            .optional("delivery")
            .map_or(Some(Delivery::Link), |node| node.one_of());
        let signing_order = object
            .optional("signingOrder")
            .map_or(Some(SigningOrder::Parallel), |node| node.one_of());
        let webhook_url = object
            .optional("webhookUrl")
            .map(|node| webhook_url(&node, webhook_target));
        let external_id = object
            .optional("externalId")
            .map(|node| node.text(LONGEST_EXTERNAL_ID));
        let soft_deadline_in_days = object
            .optional("softDeadlineInDays")
            .map(|node| node.integer(SOFT_DEADLINE_IN_DAYS));
        let expires_in_days = object
            .optional("expiresInDays")
            .map_or(Some(DEFAULT_EXPIRES_IN_DAYS), |node| {
                node.integer(EXPIRES_IN_DAYS)
            });
        Some(Self {
            title: title?.to_owned(),
            signers: signers?,
            delivery: delivery?,
            signing_order: signing_order?,
            webhook_url: webhook_url.flatten(),
            external_id: external_id.flatten().map(str::to_owned),
            soft_deadline_in_days: soft_deadline_in_days.flatten(),
            expires_in_days: expires_in_days?,
        })
    }
}

fn signers(node: &Node<'_>) -> Option<Vec<NewSigner>> {
    let mut parties = Parties::default();
    let decoded: Vec<_> = node
        .items(SIGNERS)?
        .iter()
        .map(|signer| NewSigner::decode(signer, &mut parties))
        .collect();
    if !parties.somebody_signs() {
        node.fault("must have at least one party of role signer");
    }
    decoded.into_iter().collect()
}

fn webhook_url(
    node: &Node<'_>,
    webhook_target: impl Fn(&Url) -> Result<(), String>,
) -> Option<Url> {
    let url = node.web_address()?;
    match webhook_target(&url) {
        Ok(()) => Some(url),
        Err(detail) => {
            node.fault(detail);
            None
        }
    }
}
