//! Orders of identification packages: their ends, prices and events.

mod billing;
mod crash_points;
mod endings;
mod erasure;
mod logged_questions;
mod sandbox;
mod signing_keys;
mod withdrawn_plugins;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use jiff::SignedDuration;
use parafa_api_diligence::Purpose;
use parafa_attorney::{KeyAlgorithm, KeyStorage, SigningKey, SigningKeyError};
use parafa_ceremony::records::CeremonyRow;
use parafa_domain::KycStatus;
use parafa_identification::records::OrderRow;
use parafa_identification::{
    IdentificationError, Order, OrderDelivery, OrderForm, RegisterSources, Registers,
    SimulatedOutcome,
};
use parafa_platform::accounts::{Caller, KeyMode, Product};
use parafa_platform::agreement::AgreementRow;
use parafa_platform::billing::{Amount, BillingRow, UsageRow};
use parafa_platform::outbox::{NOTICES_OF_SUBJECT, NoticeKind};
use parafa_register_data::{Query, RegisterData, Role, RoleHolders};
use parafa_registers::{
    Absence, RegisterAnswer, RegisterSource, SourceError, Synthetic, Unavailable,
};
use parafa_store::faulty::FaultPlan;
use parafa_store::{Clock, Guard, MAX_PAGE_ROWS, Page};
use uuid::Uuid;

use crate::tests::support::{CALLER, Deployment, Host, Site, TICK};

/// Entity with the first signer on its board.
const ENTITY: &str = "999000009";
/// Maximum number of polls for the end of an order. No wait is longer than a
/// day of ticks; postponed jobs are hastened by the clock.
const MOST_LOOKS: usize = 1200;

/// Id of requests.
const REQUEST: &str = "request-1";

/// Number of holders of a role in the case with many.
const CROWD: usize = 20_000;

const LIVE: Caller = Caller {
    product: Product::Diligence,
    ..CALLER
};
const TEST: Caller = Caller {
    mode: KeyMode::Test,
    ..LIVE
};

/// Fictional registers, for production too.
struct World {
    conduct: Mutex<Conduct>,
    sandbox: RegisterSources,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Conduct {
    #[default]
    Answers,
    Down,
    /// No holders of any role any more.
    NobodyHolds,
    /// Another person holds it.
    AnotherHolds,
    /// Too many persons hold it for a row.
    CrowdHolds,
    /// The entity's name has letters that few fonts have.
    NamesAbroad,
}

impl World {
    fn new(site: &Site) -> Self {
        let clock = site.clock.clone();
        let set: Arc<dyn RegisterSource> = Arc::new(Synthetic::new(Arc::new(move || clock.now())));
        Self {
            conduct: Mutex::default(),
            sandbox: RegisterSources {
                live: set.clone(),
                sandbox: set,
            },
        }
    }

    fn conduct(&self, conduct: Conduct) {
        *self.conduct.lock().unwrap() = conduct;
    }
}

#[async_trait]
impl Registers for World {
    async fn ask(&self, _mode: KeyMode, query: &Query) -> Result<RegisterAnswer, SourceError> {
        let conduct = *self.conduct.lock().unwrap();
        let mut answer = self.sandbox.ask(KeyMode::Test, query).await?;
        let is_about_holders = matches!(query, Query::RoleHolders { .. });
        match conduct {
            Conduct::Down => Err(Unavailable::Status(503).into()),
            Conduct::NobodyHolds if is_about_holders => {
                let query = query.clone();
                let (_, absent) = answer.replace(Absence {
                    query,
                    subject_is_unknown: false,
                });
                Err(SourceError::NoData(Box::new(absent)))
            }
            Conduct::AnotherHolds if is_about_holders => {
                let RegisterData::RoleHolders(held) = &answer.data else {
                    panic!("another answer")
                };
                let code = "39001010077".parse().unwrap();
                let mut other = held.holders[0].clone();
                other.identity = parafa_register_data::HolderIdentity::PersonalCode { code };
                let holders = vec![other];
                answer.data = RegisterData::RoleHolders(RoleHolders { holders });
                Ok(answer)
            }
            Conduct::CrowdHolds if is_about_holders => {
                let RegisterData::RoleHolders(held) = &mut answer.data else {
                    panic!("another answer")
                };
                held.holders = held.holders.iter().cloned().cycle().take(CROWD).collect();
                Ok(answer)
            }
            Conduct::NamesAbroad if !is_about_holders => {
                let RegisterData::CompanyProfile(profile) = &mut answer.data else {
                    panic!("another answer")
                };
                profile.name = "王小明, UAB".to_owned();
                Ok(answer)
            }
            _ => Ok(answer),
        }
    }
}

/// Orders on one host.
struct Office<'s> {
    deployment: Deployment<'s>,
    host: Host,
    world: Arc<World>,
}

impl<'s> Office<'s> {
    async fn open(site: &'s Site) -> Self {
        let deployment = Deployment::new(site);
        let world = Arc::new(World::new(site));
        let host = host(&deployment, &world, FaultPlan::default()).await;
        let agreed = AgreementRow {
            terms: true,
            agreement: true,
            entity: Some("188659752".parse().unwrap()),
            ..AgreementRow::none(LIVE.tenant)
        };
        store_agreement(&host, &agreed).await;
        Self {
            deployment,
            host,
            world,
        }
    }

    async fn order(&self, caller: &Caller, form: OrderForm) -> Result<Order, IdentificationError> {
        let orders = &self.host.app.diligence.identifications;
        orders.create(caller, form, REQUEST).await
    }

    async fn ordered(&self, caller: &Caller) -> Order {
        self.order(caller, form()).await.unwrap()
    }

    async fn now(&self, caller: &Caller, order: &Order) -> Order {
        let orders = &self.host.app.diligence.identifications;
        orders.order(caller, order.id).await.unwrap()
    }

    /// Returns the signer of an order's ceremony.
    async fn subject(&self, order: &Order) -> Uuid {
        let store = &self.host.app.records.store;
        let row = self.row(order).await;
        let ceremony = store.get::<CeremonyRow>(&row.ceremony).await.unwrap();
        ceremony.unwrap().ceremony.signers[0].id.uuid()
    }

    async fn sign(&self, order: &Order, person: &str) {
        let subject = self.subject(order).await;
        self.host.start(subject, person).await.unwrap();
    }

    /// Completes an order in the sandbox.
    async fn complete(&self, order: &Order) {
        let orders = &self.host.app.diligence.identifications;
        let simulated = orders.simulate(&TEST, order.id, SimulatedOutcome::Complete);
        simulated.await.unwrap();
    }

    /// Advances until the order has ended.
    async fn end(&self, caller: &Caller, order: &Order) -> Order {
        self.until(caller, order, KycStatus::is_terminal).await
    }

    /// Advances until the order has ended, with failures retried for hours.
    async fn end_in_hours(&self, caller: &Caller, order: &Order) -> Order {
        for _ in 0..12 {
            self.host.run_all().await;
            self.deployment.site.pass(SignedDuration::from_hours(1));
        }
        self.now(caller, order).await
    }

    /// Limits the debt of the workspace to this many cents.
    async fn set_ceiling(&self, cents: u64) {
        let store = &self.host.app.records.store;
        let row = store.get::<BillingRow>(&LIVE.tenant).await.unwrap();
        let row = &BillingRow {
            ceiling: Some(Amount::from_cents(cents)),
            ..row.unwrap()
        };
        let stored = store.transact(|tx| Box::pin(async move { tx.put(row).await }));
        stored.await.unwrap();
    }

    async fn until(
        &self,
        caller: &Caller,
        order: &Order,
        it_is_so: impl Fn(KycStatus) -> bool,
    ) -> Order {
        for _ in 0..MOST_LOOKS {
            let now = self.now(caller, order).await;
            if it_is_so(now.status) {
                return now;
            }
            if self.host.run_due().await == 0 {
                self.deployment.site.pass(TICK);
            }
        }
        panic!("it takes long: {:?}", self.now(caller, order).await);
    }

    async fn row(&self, order: &Order) -> OrderRow {
        let store = &self.host.app.records.store;
        store.get(&order.id).await.unwrap().unwrap()
    }

    /// Returns a member of the container of a delivered order.
    async fn member(&self, caller: &Caller, order: &Order, name: &str) -> Bytes {
        let orders = &self.host.app.diligence.identifications;
        let container = orders.artifact(caller, order.id).await.unwrap();
        let plugin = self.deployment.site.plugins.by_id("asice").unwrap();
        let members = plugin.members(container.clone()).await.unwrap();
        let member = members.iter().find(|member| member.name == name);
        let extracted = plugin.extract(container, &member.unwrap().id).await;
        extracted.unwrap()
    }

    async fn ledger(&self) -> Vec<UsageRow> {
        ledger(&self.host).await
    }

    async fn told(&self, order: &Order) -> Vec<String> {
        told(&self.host, order.id).await
    }
}

/// Key of a site's attorney with another kind of storage; counts its
/// signatures.
struct WatchedKey {
    key: Arc<dyn SigningKey>,
    storage: KeyStorage,
    signatures: AtomicUsize,
}

impl WatchedKey {
    fn of(site: &Site, storage: KeyStorage) -> Arc<Self> {
        let attorney = site.config.attorney.as_ref().unwrap();
        Arc::new(Self {
            key: attorney.key().unwrap(),
            storage,
            signatures: AtomicUsize::new(0),
        })
    }

    fn signatures(&self) -> usize {
        self.signatures.load(Ordering::Relaxed)
    }

    /// Returns the same host with this key.
    fn in_place_of_the_key_of(self: &Arc<Self>, host: &Host) -> Host {
        let key: Arc<dyn SigningKey> = self.clone();
        host.with_doors(move |doors| doors.attorney = Some(key.clone()))
    }
}

#[async_trait]
impl SigningKey for WatchedKey {
    fn chain(&self) -> &[Vec<u8>] {
        self.key.chain()
    }

    fn algorithm(&self) -> KeyAlgorithm {
        self.key.algorithm()
    }

    fn storage(&self) -> KeyStorage {
        self.storage
    }

    async fn check(&self) -> Result<(), SigningKeyError> {
        self.key.check().await
    }

    async fn sign_digest(&self, digest: &[u8]) -> Result<Vec<u8>, SigningKeyError> {
        self.signatures.fetch_add(1, Ordering::Relaxed);
        self.key.sign_digest(digest).await
    }
}

/// Opens a host with the world's registers.
async fn host(deployment: &Deployment<'_>, world: &Arc<World>, faults: FaultPlan) -> Host {
    let registers: Arc<dyn Registers> = world.clone();
    let host = deployment.host(faults).await.unwrap();
    host.with_doors(move |doors| doors.registers = Some(registers.clone()))
}

async fn store_agreement(host: &Host, row: &AgreementRow) {
    let store = &host.app.records.store;
    let stored = store.transact(|tx| Box::pin(async move { tx.put(row).await }));
    stored.await.unwrap();
}

async fn ledger(host: &Host) -> Vec<UsageRow> {
    let store = &host.app.records.store;
    let rows = store.read(|tx| {
        Box::pin(async move {
            tx.children::<UsageRow>(&(LIVE.tenant,), MAX_PAGE_ROWS, Guard::none())
                .await
        })
    });
    rows.await.unwrap().rows
}

/// Returns the events for the callback of an order.
async fn told(host: &Host, order: Uuid) -> Vec<String> {
    let store = &host.app.records.store;
    let page = Page::oldest(MAX_PAGE_ROWS);
    let page = &page;
    let rows = store.read(|tx| {
        Box::pin(async move {
            tx.page_by(&NOTICES_OF_SUBJECT, &order, page, Guard::none())
                .await
        })
    });
    let notices = rows.await.unwrap().rows.into_iter();
    let kinds = notices.map(|notice| match notice.kind {
        NoticeKind::Webhook(event) => event,
        NoticeKind::Mail(letter) => letter,
    });
    kinds.collect()
}

fn form() -> OrderForm {
    OrderForm {
        entity: ENTITY.parse().unwrap(),
        role: Role::BoardMember,
        purpose: Purpose::AmlKyc,
        delivery: OrderDelivery::Link,
        callback_url: Some("https://hooks.example.com/kyc".to_owned()),
    }
}
