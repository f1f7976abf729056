use std::ops::RangeInclusive;

use url::Url;

use super::{NewDocument, NewSigner, Source};
use crate::decode::{Either, Node};
use crate::requests::new_signer::Parties;
use crate::requests::source::NewContainer;
use crate::vocabulary::{Delivery, SigningOrder};

/// Longest title, in characters.
const LONGEST_TITLE: usize = 255;
/// Longest reference of the caller's own, in characters.
const LONGEST_EXTERNAL_ID: usize = 120;
/// Parties of one signing.
const SIGNERS: RangeInclusive<usize> = 1..=20;
/// Days until the hard deadline.
const EXPIRES_IN_DAYS: RangeInclusive<u16> = 1..=30;
const DEFAULT_EXPIRES_IN_DAYS: u16 = 14;
/// Days until the soft deadline.
const SOFT_DEADLINE_IN_DAYS: RangeInclusive<u16> = 1..=365;

/// The body of `POST /v1/signings`.
#[derive(Clone, Debug)]
pub struct CreateSigning {
    /// What signers are shown.
    pub title: String,
    /// What is to be signed.
    pub source: Source,
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

impl CreateSigning {
    /// `webhook_target` is asked about the webhook's address.
    pub(crate) fn decode(
        node: &Node<'_>,
        webhook_target: impl Fn(&Url) -> Result<(), String>,
    ) -> Option<Self> {
        node.object(|object| {
            let title = object
                .required("title")
                .and_then(|node| node.visible_text(LONGEST_TITLE));
            let source = match object.either("document", "container") {
                Some(Either::First(document)) => {
                    NewDocument::decode(&document).map(Source::Document)
                }
                Some(Either::Second(container)) => {
                    NewContainer::decode(&container).map(Source::Container)
                }
                Some(Either::Both(document, container)) => {
                    NewDocument::decode(&document);
                    NewContainer::decode(&container);
                    None
                }
                None => None,
            };
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
                source: source?,
                signers: signers?,
                delivery: delivery?,
                signing_order: signing_order?,
                webhook_url: webhook_url.flatten(),
                external_id: external_id.flatten().map(str::to_owned),
                soft_deadline_in_days: soft_deadline_in_days.flatten(),
                expires_in_days: expires_in_days?,
            })
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
