use parafa_api_http::FromBody;
use parafa_api_http::decode::{Node, Object};
use parafa_api_http::deliveries::webhook_address;
use parafa_register_data::EntityCode;
use serde_json::json;
use url::Url;

use super::KycApi;
use super::Purpose;
use super::vocabulary::{KycDeliveryKind, KycRole, KycSimulation};

/// Pattern of an entity's code.
const ENTITY_CODE: &str = "^[0-9]{9}$";

/// The body of `POST /v1/kyc-packages`.
#[derive(Clone, Debug)]
pub struct CreateKycPackage {
    /// The entity.
    pub entity: EntityCode,
    /// The role that the subject claims.
    pub role: KycRole,
    /// The purpose.
    pub purpose: Purpose,
    /// Delivery of the link to the subject.
    pub delivery: KycDelivery,
    /// URL to which the outcome is posted.
    pub callback_url: Option<Url>,
}

/// Delivery of the link to the subject.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum KycDelivery {
    /// The caller hands it on.
    Link,
    /// By mail to this address.
    Email(String),
}

impl<A: KycApi> FromBody<A> for CreateKycPackage {
    fn decode(api: &A, node: &Node<'_>) -> Option<Self> {
        node.object("CreateKycPackageRequest", |object| {
            let entity = object.required("entityCode", |node| {
                node.described("Nine digits, the last of them a check digit.")
                    .parsed(
                        ENTITY_CODE,
                        "the code of a legal entity: nine digits, the last of them a check digit",
                        |text| text.parse().ok(),
                    )
            });
            let role = object.required("subjectRole", |node| node.one_of());
            let purpose = object.required("purpose", |node| node.one_of());
            let delivery = delivery(object);
            let callback_url = object.optional("callbackUrl", |node| {
                let node = node.described(
                    "A public https address for the outcome: a URI of RFC 3986, without credentials and fragment, whose port is not 0.",
                );
                webhook_address(&node, |target| api.webhook_target(target))
            });
            Some(Self {
                entity: entity?,
                role: role?,
                purpose: purpose?,
                delivery: delivery?,
                callback_url,
            })
        })
    }
}

/// The two members that say how the link is delivered.
fn delivery(object: &mut Object<'_>) -> Option<KycDelivery> {
    let kind = object.or("delivery", KycDeliveryKind::Link, |node| node.one_of());
    let mut is_given = false;
    let email = object.optional("subjectEmail", |node| {
        is_given = true;
        let node =
            node.described("The address to which the link is mailed; only with delivery email.");
        if kind == Some(KycDeliveryKind::Link) {
            node.fault("must not be given with delivery link");
        }
        node.email()
    });
    let is_mailed = json!({
        "properties": {"delivery": {"type": "string", "const": "email"}},
        "required": ["delivery"],
    });
    object.keyword(
        "allOf",
        json!([{
            "if": is_mailed,
            "then": {"required": ["subjectEmail"]},
            "else": {"properties": {"subjectEmail": false}},
        }]),
    );
    match kind? {
        KycDeliveryKind::Link => Some(KycDelivery::Link),
        KycDeliveryKind::Email => {
            if !is_given {
                object.missing("subjectEmail", "is required with delivery email");
            }
            email.map(|address| KycDelivery::Email(address.to_string()))
        }
    }
}

/// The body of `POST /v1/kyc-packages/{orderId}/simulate`.
#[derive(Clone, Copy, Debug)]
pub struct SimulateKycPackage {
    /// Simulated outcome of the order.
    pub action: KycSimulation,
}

impl<A> FromBody<A> for SimulateKycPackage {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("SimulateKycPackageRequest", |object| {
            let action = object.required("action", |node| node.one_of());
            action.map(|action| Self { action })
        })
    }
}
