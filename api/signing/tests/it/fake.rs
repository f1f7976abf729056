//! Implementation behind the routes in these tests.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::body::{Body, Bytes};
use parafa_api_http::deliveries::{
    DELIVERY_UNDER_WAY, DeliveryId, DeliveryList, DeliveryQuery, ResentDelivery, TestEvent,
    WebhookDelivery,
};
use parafa_api_signing::requests::{
    BulkErasure, CreateBatch, CreateSigning, ListQuery, NewComment, NewFile, NewSigner, Simulation,
    UpdateDeadline, UpdateSigner,
};
use parafa_api_signing::{
    Access, Api, BatchId, CallersDeliveries, Created, Credentials, DeliveriesApi, DocumentDownload,
    FileToken, IdempotentRequest, KeptAnswer, Presence, Principal, Problem, ProblemKind, Record,
    Reservation, SignerId, SigningApi, SigningEventKind, SigningId, SigningMethod, views,
};
use url::Url;
use uuid::Uuid;

use crate::support::{
    BATCH, DELIVERY, ERASED, FILE, KNOWN, SIGNER, UNDER_WAY, archived, batch, comment, delivery,
    evidence, id, signer, signing, stored_file,
};

/// Title for which the fake panics.
pub(crate) const PANICS: &str = "panics";
/// Title for which the fake refuses with 402.
pub(crate) const UNPAID: &str = "unpaid";

/// Title for which the fake never answers.
pub(crate) const ENDLESS: &str = "endless";

/// Records its calls. One workspace's test keys have a signing, an erased signing, a batch and a
/// file; all other keys have nothing.
#[derive(Default)]
pub(crate) struct Fake {
    pub(crate) created: Mutex<Vec<CreateSigning>>,
    pub(crate) listed: Mutex<Vec<ListQuery>>,
    pub(crate) batches: Mutex<Vec<CreateBatch>>,
    pub(crate) files: Mutex<Vec<NewFile>>,
    pub(crate) comments: Mutex<Vec<NewComment>>,
    pub(crate) deliveries: Mutex<Vec<DeliveryQuery>>,
    pub(crate) tests: Mutex<Vec<TestEvent>>,
    pub(crate) signers: Mutex<Vec<NewSigner>>,
    pub(crate) simulations: Mutex<Vec<Simulation>>,
    pub(crate) deadlines: Mutex<Vec<UpdateDeadline>>,
    pub(crate) methods: Mutex<Vec<UpdateSigner>>,
    pub(crate) erasures: Mutex<Vec<BulkErasure>>,
    /// Number of times a document's content was opened.
    pub(crate) opened: Arc<AtomicUsize>,
    /// Ids of calls without further input.
    pub(crate) plain_calls: Mutex<Vec<&'static str>>,
    pub(crate) answers: Mutex<HashMap<Scope, Kept>>,
}

/// Key id, key, path.
type Scope = (Uuid, String, String);
/// Digest of the body, and the answer once there is one.
type Kept = ([u8; 32], Option<KeptAnswer>);

#[derive(Clone)]
pub(crate) struct Caller {
    key: u128,
    may_write: bool,
    is_live: bool,
    has_records: bool,
    claim: Option<Scope>,
}

impl Principal for Caller {
    fn key_id(&self) -> Uuid {
        Uuid::from_u128(self.key)
    }

    fn may(&self, access: Access) -> bool {
        access == Access::Read || self.may_write
    }
}

impl Fake {
    fn keep(&self, caller: &Caller, created: &impl Created) {
        if let Some(scope) = &caller.claim {
            let mut answers = self.answers.lock().unwrap();
            answers.get_mut(scope).unwrap().1 = Some(KeptAnswer::of(created));
        }
    }

    async fn find(&self, caller: &Caller, record: Record) -> Result<(), Problem> {
        match self.presence(caller, record).await? {
            Presence::Present => Ok(()),
            Presence::Absent | Presence::Erased => Err(Problem::not_found()),
        }
    }

    fn note(&self, call: &'static str) {
        self.plain_calls.lock().unwrap().push(call);
    }
}

#[async_trait]
impl Api for Fake {
    type Caller = Caller;
    type Record = Record;

    async fn authenticate(&self, credentials: &Credentials) -> Result<Caller, Problem> {
        let Credentials::Bearer(key) = credentials else {
            return Err(Problem::unauthorized());
        };
        let (key, may_write, is_live, has_records) = match key.expose() {
            "owner" => (1, true, false, true),
            "member" => (2, true, false, true),
            "viewer" => (3, false, false, true),
            "live" => (4, true, true, false),
            "other" => (5, true, false, false),
            _ => return Err(Problem::unauthorized()),
        };
        Ok(Caller {
            key,
            may_write,
            is_live,
            has_records,
            claim: None,
        })
    }

    async fn presence(&self, caller: &Caller, record: Record) -> Result<Presence, Problem> {
        let (known, erased) = match record {
            Record::Signing(signing) => (signing == id(KNOWN).into(), signing == id(ERASED).into()),
            Record::Signer(signing, signer) => (
                signing == id(KNOWN).into() && signer == id(SIGNER).into(),
                signing == id(ERASED).into() && signer == id(SIGNER).into(),
            ),
            Record::Batch(batch) => (batch == id(BATCH).into(), false),
            Record::File(file) => (file == id(FILE).into(), false),
            Record::Delivery(delivery) => {
                let known = [DELIVERY, UNDER_WAY].map(|known| id(known).into());
                (known.contains(&delivery), false)
            }
        };
        Ok(
            match (known && caller.has_records, erased && caller.has_records) {
                (true, _) => Presence::Present,
                (_, true) => Presence::Erased,
                _ => Presence::Absent,
            },
        )
    }

    async fn reserve(
        &self,
        caller: &Caller,
        request: IdempotentRequest,
    ) -> Result<Reservation<Caller>, Problem> {
        let scope = (caller.key_id(), request.key.to_string(), request.path);
        let mut answers = self.answers.lock().unwrap();
        Ok(match answers.get(&scope) {
            None => {
                answers.insert(scope.clone(), (request.body_sha256, None));
                Reservation::Claimed(Caller {
                    claim: Some(scope),
                    ..caller.clone()
                })
            }
            Some((digest, _)) if *digest != request.body_sha256 => Reservation::Reused,
            Some((_, Some(answer))) => Reservation::Answered(answer.clone()),
            Some((_, None)) => Reservation::InProgress {
                retry_after_seconds: 3,
            },
        })
    }

    async fn hold(&self, _: &Caller) -> std::convert::Infallible {
        std::future::pending().await
    }

    async fn release(&self, caller: &Caller) {
        let claim = caller.claim.as_ref().unwrap();
        self.answers.lock().unwrap().remove(claim);
    }
}

impl DeliveriesApi for Fake {
    type Event = SigningEventKind;

    fn webhook_target(&self, target: &Url) -> Result<(), String> {
        match target.scheme() {
            "https" => Ok(()),
            _ => Err("must be an https URL".to_owned()),
        }
    }

    fn deliveries(&self) -> &dyn CallersDeliveries<Caller> {
        self
    }
}

#[async_trait]
impl CallersDeliveries<Caller> for Fake {
    async fn list(&self, _: &Caller, query: DeliveryQuery) -> Result<DeliveryList, Problem> {
        self.deliveries.lock().unwrap().push(query);
        Ok(DeliveryList {
            data: vec![delivery()],
            has_more: true,
            next_cursor: Some(id(DELIVERY)),
        })
    }

    async fn read(&self, caller: &Caller, id: DeliveryId) -> Result<WebhookDelivery, Problem> {
        self.find(caller, Record::Delivery(id)).await?;
        Ok(delivery())
    }

    async fn resend(&self, caller: &Caller, of: DeliveryId) -> Result<ResentDelivery, Problem> {
        self.note("resend_delivery");
        self.find(caller, Record::Delivery(of)).await?;
        if of == id(UNDER_WAY).into() {
            return Err(Problem::of(DELIVERY_UNDER_WAY));
        }
        let resent = ResentDelivery(delivery());
        self.keep(caller, &resent);
        Ok(resent)
    }

    async fn send_test(
        &self,
        caller: &Caller,
        test: TestEvent,
    ) -> Result<WebhookDelivery, Problem> {
        self.tests.lock().unwrap().push(test);
        self.keep(caller, &delivery());
        Ok(delivery())
    }
}

#[async_trait]
impl SigningApi for Fake {
    fn methods(&self) -> Vec<SigningMethod> {
        vec![SigningMethod::Nfc, SigningMethod::SmartId]
    }

    fn only_in_the_sandbox(caller: &Caller) -> Result<(), Problem> {
        match caller.is_live {
            true => Err(Problem::of(ProblemKind::SandboxOnly)),
            false => Ok(()),
        }
    }

    fn capabilities(&self) -> views::Capabilities {
        views::Capabilities {
            formats: vec![views::InstalledFormat {
                id: "pdf".to_owned(),
                extensions: vec!["pdf".to_owned()],
                operations: vec!["sign".to_owned()],
            }],
            methods: self.methods(),
            containers: Vec::new(),
        }
    }

    async fn list_signings(
        &self,
        _: &Caller,
        query: ListQuery,
    ) -> Result<views::SigningList, Problem> {
        self.listed.lock().unwrap().push(query);
        Ok(views::SigningList {
            data: vec![signing()],
            has_more: true,
            next_cursor: Some(id(KNOWN)),
        })
    }

    async fn create_signing(
        &self,
        caller: &Caller,
        request: CreateSigning,
    ) -> Result<views::Signing, Problem> {
        match request.terms.title.as_str() {
            PANICS => panic!("as told"),
            ENDLESS => std::future::pending().await,
            UNPAID => {
                let recovery_url = Url::parse("https://pay.example/invoices").unwrap();
                Err(Problem::payment_required(
                    "An invoice is overdue.",
                    Some(recovery_url),
                ))
            }
            _ => {
                self.created.lock().unwrap().push(request);
                self.keep(caller, &signing());
                Ok(signing())
            }
        }
    }

    async fn read_signing(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<views::Signing, Problem> {
        match self.presence(caller, Record::Signing(id)).await? {
            Presence::Present | Presence::Erased => Ok(signing()),
            Presence::Absent => Err(Problem::not_found()),
        }
    }

    async fn erase_signing(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<views::ErasedSigning, Problem> {
        self.note("erase_signing");
        let presence = self.presence(caller, Record::Signing(id)).await?;
        if presence == Presence::Absent {
            return Err(Problem::not_found());
        }
        let changed = presence == Presence::Present;
        Ok(views::ErasedSigning::new(id, changed))
    }

    async fn erase_ended_signings(
        &self,
        _: &Caller,
        request: BulkErasure,
    ) -> Result<views::ErasureCount, Problem> {
        self.erasures.lock().unwrap().push(request);
        Ok(views::ErasureCount {
            purged: 2,
            failed: 1,
        })
    }

    async fn download_document(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<DocumentDownload, Problem> {
        self.find(caller, Record::Signing(id)).await?;
        let opened = Arc::clone(&self.opened);
        Ok(DocumentDownload {
            content: Box::pin(async move {
                opened.fetch_add(1, Ordering::Relaxed);
                Ok(Body::from("%PDF-1.7"))
            }),
            bytes: 8,
            file_name: "Nuomos sutartis ž.pdf".to_owned(),
            sha256: [0xAB; 32],
            simulated: false,
        })
    }

    async fn list_comments(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<views::CommentList, Problem> {
        match self.presence(caller, Record::Signing(id)).await? {
            Presence::Absent => Err(Problem::not_found()),
            Presence::Erased => Ok(views::CommentList {
                signing_id: id,
                comments: Vec::new(),
            }),
            Presence::Present => Ok(views::CommentList {
                signing_id: id,
                comments: vec![comment()],
            }),
        }
    }

    async fn remove_signer(
        &self,
        caller: &Caller,
        id: SigningId,
        signer: SignerId,
    ) -> Result<(), Problem> {
        self.note("remove_signer");
        self.find(caller, Record::Signer(id, signer)).await
    }

    async fn cancel_signing(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<views::Signing, Problem> {
        self.note("cancel_signing");
        self.find(caller, Record::Signing(id)).await?;
        Ok(signing())
    }

    async fn archive_signing(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<views::ArchivedSigning, Problem> {
        self.note("archive_signing");
        self.find(caller, Record::Signing(id)).await?;
        Ok(archived())
    }

    async fn read_evidence(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<views::SigningEvidence, Problem> {
        self.find(caller, Record::Signing(id)).await?;
        Ok(evidence())
    }

    async fn print_evidence(&self, caller: &Caller, id: SigningId) -> Result<Bytes, Problem> {
        self.find(caller, Record::Signing(id)).await?;
        Ok(Bytes::from_static(b"%PDF-1.7"))
    }

    async fn remind_signer(
        &self,
        caller: &Caller,
        id: SigningId,
        party: SignerId,
    ) -> Result<views::Signer, Problem> {
        self.note("remind_signer");
        self.find(caller, Record::Signer(id, party)).await?;
        Ok(signer())
    }

    async fn read_batch(&self, caller: &Caller, id: BatchId) -> Result<views::Batch, Problem> {
        self.note("read_batch");
        self.find(caller, Record::Batch(id)).await?;
        Ok(batch())
    }

    async fn read_file(
        &self,
        caller: &Caller,
        token: FileToken,
    ) -> Result<views::StoredFile, Problem> {
        self.note("read_file");
        self.find(caller, Record::File(token)).await?;
        Ok(stored_file())
    }

    async fn delete_file(
        &self,
        caller: &Caller,
        token: FileToken,
    ) -> Result<views::StoredFile, Problem> {
        self.note("delete_file");
        self.find(caller, Record::File(token)).await?;
        Ok(stored_file())
    }

    async fn update_deadline(
        &self,
        caller: &Caller,
        id: SigningId,
        request: UpdateDeadline,
    ) -> Result<views::Signing, Problem> {
        self.find(caller, Record::Signing(id)).await?;
        self.deadlines.lock().unwrap().push(request);
        Ok(signing())
    }

    async fn simulate_outcome(
        &self,
        caller: &Caller,
        id: SigningId,
        request: Simulation,
    ) -> Result<views::Signing, Problem> {
        self.find(caller, Record::Signing(id)).await?;
        self.simulations.lock().unwrap().push(request);
        Ok(signing())
    }

    async fn add_signer(
        &self,
        caller: &Caller,
        id: SigningId,
        request: NewSigner,
    ) -> Result<views::Signer, Problem> {
        self.find(caller, Record::Signing(id)).await?;
        self.signers.lock().unwrap().push(request);
        self.keep(caller, &signer());
        Ok(signer())
    }

    async fn update_signer(
        &self,
        caller: &Caller,
        id: SigningId,
        party: SignerId,
        request: UpdateSigner,
    ) -> Result<views::Signer, Problem> {
        self.find(caller, Record::Signer(id, party)).await?;
        self.methods.lock().unwrap().push(request);
        Ok(signer())
    }

    async fn create_batch(
        &self,
        caller: &Caller,
        request: CreateBatch,
    ) -> Result<views::Batch, Problem> {
        self.batches.lock().unwrap().push(request);
        self.keep(caller, &batch());
        Ok(batch())
    }

    async fn store_file(
        &self,
        caller: &Caller,
        request: NewFile,
    ) -> Result<views::StoredFile, Problem> {
        self.files.lock().unwrap().push(request);
        self.keep(caller, &stored_file());
        Ok(stored_file())
    }

    async fn add_comment(
        &self,
        caller: &Caller,
        id: SigningId,
        request: NewComment,
    ) -> Result<views::Comment, Problem> {
        self.find(caller, Record::Signing(id)).await?;
        self.comments.lock().unwrap().push(request);
        self.keep(caller, &comment());
        Ok(comment())
    }
}
