//! Calls on events posted to webhooks: the same for each API that posts them, over the same table.

use std::borrow::Cow;
use std::marker::PhantomData;

use async_trait::async_trait;
use http::StatusCode;
use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use crate::api::Api;
use crate::cursor::Cursor;
use crate::decode::{Node, Object};
use crate::idempotency::Created;
use crate::operation::{FromBody, FromQuery, Operation, Path};
use crate::problem::Problem;
use crate::reference::Tag;
use crate::views::{Page, timestamp};
use crate::vocabulary::WireName;

/// The event posted when a caller requests a test.
pub const TEST_EVENT: &str = "webhook.test";

crate::ids! {
    /// The delivery.
    DeliveryId in "deliveryId";
}

crate::wire_enums! {
    /// The status of an event.
    WebhookDeliveryStatus {
        /// Waiting to be posted, or to be retried.
        Pending = "pending",
        /// The receiver acknowledged it.
        Delivered = "delivered",
        /// Not acknowledged, and not retried any more.
        Failed = "failed",
    }
}

crate::problem_types! {
    DELIVERY_UNDER_WAY: CONFLICT, "delivery-under-way", "The event is being posted",
        "The event is being posted right now and cannot be sent again yet.",
        "Read the delivery a little later for the outcome of the attempt.";
}

/// Tag of these calls.
pub const ABOUT_DELIVERIES: Tag = Tag {
    name: "Deliveries",
    description: "Events that were posted to webhooks, with their attempts.",
};

/// Paths of these calls in an API.
#[derive(Clone, Copy)]
pub struct DeliveryPaths {
    /// All deliveries.
    pub all: Path<()>,
    /// One delivery.
    pub one: Path<DeliveryId>,
    /// Repetition of one delivery.
    pub resend: Path<DeliveryId>,
}

/// An API that posts events to webhooks. A delivery that is unknown or of another workspace, mode
/// or API is [`Problem::not_found`].
pub trait DeliveriesApi: Api<Record: From<DeliveryId>> {
    /// Kind of webhook event.
    type Event: WireName + JsonSchema + PartialEq + Send + Sync;

    /// Checks that a well-formed URL may be a webhook's target. Called while the body is decoded,
    /// so that its fault is reported with all others: must not block.
    ///
    /// # Errors
    /// The fault, as a phrase.
    fn webhook_target(&self, target: &Url) -> Result<(), String>;

    /// Deliveries that callers can list, resend and test.
    fn deliveries(&self) -> &dyn CallersDeliveries<Self::Caller>;
}

/// Storage of callers' deliveries.
#[async_trait]
pub trait CallersDeliveries<C: Sync>: Send + Sync {
    /// `GET` of all.
    async fn list(&self, caller: &C, query: DeliveryQuery) -> Result<DeliveryList, Problem>;

    /// `GET` of one.
    async fn read(&self, caller: &C, id: DeliveryId) -> Result<WebhookDelivery, Problem>;

    /// `POST …/resend`; [`DELIVERY_UNDER_WAY`] while it is being posted.
    async fn resend(&self, caller: &C, id: DeliveryId) -> Result<ResentDelivery, Problem>;

    /// `POST` of a test.
    async fn send_test(&self, caller: &C, test: TestEvent) -> Result<WebhookDelivery, Problem>;
}

/// Filter of listed deliveries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DeliveryQuery {
    /// Only deliveries with this status.
    pub status: Option<WebhookDeliveryStatus>,
    /// Only those of this event, by its name.
    pub event: Option<&'static str>,
    /// Longest page, 1 to 100.
    pub limit: u16,
    /// Delivery after which the page begins. It is a position: the delivery itself may be gone.
    pub starting_after: Option<Uuid>,
}

/// Query of a list of an API's events.
struct ListQuery<E>(DeliveryQuery, PhantomData<fn() -> E>);

impl<E: WireName + JsonSchema + PartialEq> FromQuery for ListQuery<E> {
    fn decode(query: &mut Object<'_>) -> Option<Self> {
        let status = query.optional("status", |node| {
            node.described("Only deliveries with this status.").one_of()
        });
        let event = query.optional("event", |node| {
            node.described("Only deliveries of this event.")
                .one_of::<E>()
        });
        let name = |event: E| {
            let known = E::ALL.iter().find(|(_, known)| *known == event);
            known.map(|(name, _)| *name)
        };
        let cursor = Cursor::decode(query)?;
        let asked = DeliveryQuery {
            status,
            event: event.and_then(name),
            limit: cursor.limit,
            starting_after: cursor.starting_after,
        };
        Some(Self(asked, PhantomData))
    }
}

/// Body of a request for a test event.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TestEvent {
    /// URL to which it is posted.
    pub webhook_url: Url,
}

impl<A: DeliveriesApi> FromBody<A> for TestEvent {
    fn decode(api: &A, node: &Node<'_>) -> Option<Self> {
        node.object("TestEventRequest", |object| {
            let webhook_url = object.required("webhookUrl", |node| {
                let node = node.described(
                    "A public https address: a URI of RFC 3986, without credentials and fragment, whose port is not 0.",
                );
                webhook_address(&node, |target| api.webhook_target(target))
            });
            webhook_url.map(|webhook_url| Self { webhook_url })
        })
    }
}

/// A URL to which events may be posted, by the rule `target`.
pub fn webhook_address(
    node: &Node<'_>,
    target: impl FnOnce(&Url) -> Result<(), String>,
) -> Option<Url> {
    let url = node.web_address()?;
    match target(&url) {
        Ok(()) => Some(url),
        Err(detail) => {
            node.fault(detail);
            None
        }
    }
}

/// A page of deliveries.
pub type DeliveryList = Page<WebhookDelivery>;

/// An event that is posted to a webhook, with its attempts.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDelivery {
    /// Its id: `webhook-id` of every attempt.
    pub delivery_id: DeliveryId,
    /// The event.
    pub event: String,
    /// The signing or order of the event; null for a test.
    pub subject_id: Option<Uuid>,
    /// Time of the event.
    #[serde(serialize_with = "timestamp::serialize")]
    pub occurred_at: Timestamp,
    /// Its status.
    pub status: WebhookDeliveryStatus,
    /// The last 50 attempts, the oldest first.
    pub attempts: Vec<WebhookAttempt>,
}

/// One attempt to post an event.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookAttempt {
    /// Time of the attempt.
    #[serde(serialize_with = "timestamp::serialize")]
    pub at: Timestamp,
    /// The receiver's HTTP status, `unreachable` if there was none, or
    /// `forbidden-target` if the address is not allowed.
    pub outcome: String,
}

/// A delivery that is posted again, under the same URL.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct ResentDelivery(pub WebhookDelivery);

/// The schema of the delivery itself; a derived one would differ by the type's description.
impl JsonSchema for ResentDelivery {
    fn schema_name() -> Cow<'static, str> {
        WebhookDelivery::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        WebhookDelivery::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        WebhookDelivery::json_schema(generator)
    }
}

impl Created for WebhookDelivery {
    const STATUS: StatusCode = StatusCode::ACCEPTED;
    const IDS: &'static [(&'static str, &'static str)] =
        &[("deliveryId", "$response.body#/deliveryId")];

    fn address(&self) -> Option<Uuid> {
        Some(self.delivery_id.0)
    }
}

impl Created for ResentDelivery {
    const STATUS: StatusCode = StatusCode::ACCEPTED;
}

/// The calls, at `paths`.
#[must_use]
pub fn operations<A: DeliveriesApi>(paths: DeliveryPaths) -> Vec<Operation<A>> {
    vec![
        Operation::<A>::get(paths.all, "listDeliveries")
            .says(
                ABOUT_DELIVERIES.name,
                "List deliveries",
                "A page of the events of the key's mode, posted or still to be posted, newest first. A delivery is listed for 30 days after it ends, unless its signing or order is erased earlier. With event, a page may have fewer items than the limit, or none, while hasMore is true.",
            )
            .query::<ListQuery<A::Event>>()
            .answers(async |call| {
                let ListQuery(query, _) = call.request;
                call.api.deliveries().list(&call.caller, query).await
            }),
        Operation::<A>::post(paths.all, "sendTestEvent")
            .says(
                ABOUT_DELIVERIES.name,
                "Send a test event",
                "Posts the event webhook.test, with event, deliveryId and occurredAt in its body. It is signed and retried like every other event. Read the delivery for the outcome.",
            )
            .body::<TestEvent>()
            .creates(async |call| call.api.deliveries().send_test(&call.caller, call.request).await),
        Operation::<A>::get(paths.one, "readDelivery")
            .says(
                ABOUT_DELIVERIES.name,
                "Read a delivery",
                "The status of an event, with its attempts. Of a receiver's answer, only the HTTP status is kept.",
            )
            .answers(async |call| call.api.deliveries().read(&call.caller, call.path).await),
        Operation::<A>::post(paths.resend, "resendDelivery")
            .says(
                ABOUT_DELIVERIES.name,
                "Send an event again",
                "Posts the same event under the same id, with ten new attempts. A delivery that waits for its next attempt is posted at once.",
            )
            .refuses(&[DELIVERY_UNDER_WAY])
            .creates(async |call| call.api.deliveries().resend(&call.caller, call.path).await),
    ]
}

/// The example of a request's or an answer's schema in a call, with an event of the API.
#[must_use]
pub fn example(call: &str, schema: &str, event: &str) -> Option<Value> {
    let mut delivery = json!({
        "deliveryId": "0190b5ab-4e5f-7a6b-8c7d-9e0f1a2b3c4d",
        "event": event,
        "subjectId": "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f",
        "occurredAt": "2026-03-01T09:12:45.120Z",
        "status": "pending",
        "attempts": [{"at": "2026-03-01T09:12:45.512Z", "outcome": "503"}],
    });
    if call == "sendTestEvent" {
        delivery["event"] = TEST_EVENT.into();
        delivery["subjectId"] = Value::Null;
        delivery["attempts"] = json!([]);
    }
    Some(match schema {
        "TestEventRequest" => json!({"webhookUrl": "https://caller.example/hooks"}),
        "WebhookDelivery" => delivery,
        "WebhookDeliveryList" => json!({"data": [delivery], "hasMore": false, "nextCursor": null}),
        _ => return None,
    })
}
