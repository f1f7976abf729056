//! Identification packages, ordered from a service that accepts every order.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::Router;
use parafa_api_diligence::Record;
use parafa_api_diligence::kyc::{
    self, CreateKycPackage, ErasedKycOrder, KycApi, KycDelivery, KycDeliveryKind, KycEventKind,
    KycOrder, KycStatus, OrderId, SimulateKycPackage,
};
use parafa_api_http::deliveries::{
    CallersDeliveries, DeliveriesApi, DeliveryId, DeliveryList, DeliveryQuery, ResentDelivery,
    TestEvent, WebhookDelivery, WebhookDeliveryStatus,
};
use parafa_api_http::{
    Access, Api, BaseUrl, Credentials, Download, Guide, HttpConfig, IdempotentRequest, KeptAnswer,
    Presence, Principal, Problem, ProblemDocuments, ProblemType, Reference, RequestId, Reservation,
    Security, Surface, router, webhooks,
};
use url::Url;
use uuid::Uuid;

use crate::fake::container;

/// The only order.
pub(crate) const ORDER: Uuid = Uuid::from_u128(0x0192_f7a0_6b1c_7c3e_9a4d_2f5b_8e1c_7d90);

/// The only delivery.
pub(crate) const DELIVERY: Uuid = Uuid::from_u128(0x0192_f7a0_6b1c_7c3e_9a4d_2f5b_8e1c_7d91);

/// Accepts orders, answers every question with the same text, and counts the answers.
#[derive(Clone, Default)]
pub(crate) struct Product {
    pub(crate) answered: Arc<AtomicUsize>,
    pub(crate) claimed: Arc<Mutex<Vec<IdempotentRequest>>>,
}

/// A caller, with a live key or a test key.
#[derive(Clone, Copy)]
pub(crate) struct Caller {
    pub(crate) live: bool,
}

impl Principal for Caller {
    fn key_id(&self) -> Uuid {
        Uuid::from_u128(1)
    }

    fn may(&self, _: Access) -> bool {
        true
    }
}

#[async_trait]
impl Api for Product {
    type Caller = Caller;
    type Record = Record;

    async fn authenticate(&self, credentials: &Credentials) -> Result<Caller, Problem> {
        match credentials {
            Credentials::Bearer(key) => Ok(Caller {
                live: key.expose() == "live",
            }),
            _ => Err(Problem::unauthorized()),
        }
    }

    async fn presence(&self, _: &Caller, record: Record) -> Result<Presence, Problem> {
        Ok(match record {
            Record::Order(OrderId(ORDER)) | Record::Delivery(DeliveryId(DELIVERY)) => {
                Presence::Present
            }
            Record::Order(_) | Record::Delivery(_) => Presence::Absent,
        })
    }

    async fn reserve(
        &self,
        caller: &Caller,
        request: IdempotentRequest,
    ) -> Result<Reservation<Caller>, Problem> {
        let reservation = match request.key.as_str() {
            "answered" => Reservation::Answered(KeptAnswer::of_representation(&container())),
            "running" => Reservation::InProgress {
                retry_after_seconds: 5,
            },
            "reused" => Reservation::Reused,
            _ => Reservation::Claimed(*caller),
        };
        self.claimed.lock().unwrap().push(request);
        Ok(reservation)
    }

    async fn hold(&self, _: &Caller) -> std::convert::Infallible {
        std::future::pending().await
    }

    async fn release(&self, _: &Caller) {}
}

impl DeliveriesApi for Product {
    type Event = KycEventKind;

    fn webhook_target(&self, target: &Url) -> Result<(), String> {
        match target.host_str() {
            Some("10.0.0.1") => Err("cannot be a target".to_owned()),
            _ => Ok(()),
        }
    }

    fn deliveries(&self) -> &dyn CallersDeliveries<Caller> {
        self
    }
}

#[async_trait]
impl CallersDeliveries<Caller> for Product {
    async fn list(&self, _: &Caller, query: DeliveryQuery) -> Result<DeliveryList, Problem> {
        Ok(DeliveryList {
            data: query.event.map(delivery).into_iter().collect(),
            has_more: false,
            next_cursor: None,
        })
    }

    async fn read(&self, _: &Caller, _: DeliveryId) -> Result<WebhookDelivery, Problem> {
        Ok(delivery("kyc.delivered"))
    }

    async fn resend(&self, _: &Caller, _: DeliveryId) -> Result<ResentDelivery, Problem> {
        Ok(ResentDelivery(delivery("kyc.delivered")))
    }

    async fn send_test(&self, _: &Caller, _: TestEvent) -> Result<WebhookDelivery, Problem> {
        Ok(delivery("webhook.test"))
    }
}

#[async_trait]
impl KycApi for Product {
    fn only_in_the_sandbox(caller: &Caller) -> Result<(), Problem> {
        match caller.live {
            true => Err(Problem::of(ProblemType::SANDBOX_ONLY)),
            false => Ok(()),
        }
    }

    async fn create_kyc_package(
        &self,
        _: &Caller,
        request: CreateKycPackage,
        _: &RequestId,
    ) -> Result<KycOrder, Problem> {
        Ok(order(&request))
    }

    async fn read_kyc_package(&self, _: &Caller, _: OrderId) -> Result<KycOrder, Problem> {
        Err(Problem::not_found())
    }

    async fn erase_kyc_package(
        &self,
        _: &Caller,
        order: OrderId,
    ) -> Result<ErasedKycOrder, Problem> {
        Ok(ErasedKycOrder::new(order, true))
    }

    async fn download_kyc_artifact(&self, _: &Caller, _: OrderId) -> Result<Download, Problem> {
        Err(Problem::of(kyc::problems::ARTIFACT_NOT_READY))
    }

    async fn simulate_kyc_package(
        &self,
        _: &Caller,
        _: OrderId,
        _: SimulateKycPackage,
    ) -> Result<KycOrder, Problem> {
        Err(Problem::of(kyc::problems::ORDER_ENDED))
    }
}

fn delivery(event: &str) -> WebhookDelivery {
    WebhookDelivery {
        delivery_id: DeliveryId(DELIVERY),
        event: event.to_owned(),
        subject_id: (event != "webhook.test").then_some(ORDER),
        occurred_at: "2026-11-21T12:40:00Z".parse().unwrap(),
        status: WebhookDeliveryStatus::Pending,
        attempts: Vec::new(),
    }
}

fn order(request: &CreateKycPackage) -> KycOrder {
    let at = "2026-11-21T12:40:00Z".parse().unwrap();
    KycOrder {
        order_id: OrderId(ORDER),
        status: KycStatus::AwaitingSubject,
        status_reason: None,
        entity_code: request.entity.to_string(),
        subject_role: request.role,
        purpose: request.purpose,
        delivery: match request.delivery {
            KycDelivery::Link => KycDeliveryKind::Link,
            KycDelivery::Email(_) => KycDeliveryKind::Email,
        },
        ceremony_url: Some("https://dd.example/c/token".to_owned()),
        created_at: at,
        updated_at: at,
        expires_at: at,
        delivered_at: None,
        reverification: None,
        price: None,
        artifact: None,
        erased_at: None,
        sandbox: false,
    }
}

fn reference() -> Reference<Product> {
    Reference {
        folder: "/dd",
        title: "Due-diligence API",
        version: "1.0.0",
        summary: "Identification packages",
        description: "Who holds a role in an entity.",
        tags: &[kyc::ABOUT_KYC],
        security: Security::Bearer("A key for due diligence."),
        problems: vec![
            ProblemType::VALIDATION_FAILED,
            ProblemType::UNAUTHORIZED,
            ProblemType::PAYMENT_REQUIRED,
            ProblemType::SANDBOX_ONLY,
            ProblemType::NOT_FOUND,
            kyc::problems::ARTIFACT_NOT_READY,
            kyc::problems::ORDER_ENDED,
            kyc::problems::ORDER_NOT_ENDED,
            ProblemType::IDEMPOTENCY_KEY_REUSED,
            kyc::problems::ROLE_NOT_HELD,
            ProblemType::RATE_LIMITED,
            kyc::problems::UPSTREAM_UNAVAILABLE,
        ],
        advice_on_long_bodies: "",
        headers: &[],
        demo_key: ".diligence.test",
        guide: Guide {
            title: "An order",
            introduction: "",
            steps: &[],
        },
        example: kyc::example,
        set_up: |_| Vec::new(),
        refusal: |kind, _| Problem::of(kind),
        webhooks: webhooks::operations::<KycEventKind>,
    }
}

/// The whole of it.
pub(crate) fn service() -> Router {
    let base_url = BaseUrl::new(&"https://dd.example".parse().unwrap());
    let config = HttpConfig::new(base_url.clone());
    let surface = Surface {
        roots: &["/v1"],
        operations: kyc::operations(),
        format: ProblemDocuments::new(base_url),
        reference: reference(),
    };
    router(Arc::new(Product::default()), config, surface)
}
