//! APIs without a product behind them: every caller is let in, and nothing is found.

use std::convert::Infallible;

use async_trait::async_trait;
use bytes::Bytes;
use parafa_api_diligence::kyc::{
    CreateKycPackage, ErasedKycOrder, KycApi, KycEventKind, KycOrder, OrderId, SimulateKycPackage,
};
use parafa_api_diligence::requests::{AnswerOptions, Question};
use parafa_api_diligence::{DiligenceApi, Record as DiligenceRecord};
use parafa_api_http::deliveries::{CallersDeliveries, DeliveriesApi};
use parafa_api_http::{
    Access, Api, Credentials, Download, IdempotentRequest, Presence, Principal, Problem,
    Representation, RequestId, Reservation,
};
use parafa_api_signing::requests::{
    BulkErasure, CreateBatch, CreateSigning, ListQuery, NewComment, NewFile, NewSigner, Simulation,
    UpdateDeadline, UpdateSigner,
};
use parafa_api_signing::views::{
    ArchivedSigning, Batch, Capabilities, Comment, CommentList, ErasedSigning, ErasureCount,
    Signer, Signing, SigningEvidence, SigningList, StoredFile,
};
use parafa_api_signing::{
    BatchId, DocumentDownload, FileToken, Record as SigningRecord, SignerId, SigningApi,
    SigningEventKind, SigningId, SigningMethod,
};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

/// A caller who may do everything.
pub(crate) struct Anybody;

impl Principal for Anybody {
    fn key_id(&self) -> Uuid {
        Uuid::nil()
    }

    fn may(&self, _: Access) -> bool {
        true
    }
}

macro_rules! apis {
    ($($(#[$doc:meta])* $api:ident: $record:ty, $event:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Default)]
        pub(crate) struct $api;

        #[async_trait]
        impl Api for $api {
            type Caller = Anybody;
            type Record = $record;

            async fn authenticate(&self, _: &Credentials) -> Result<Anybody, Problem> {
                Ok(Anybody)
            }

            async fn presence(&self, _: &Anybody, _: $record) -> Result<Presence, Problem> {
                Ok(Presence::Present)
            }

            async fn reserve(
                &self,
                _: &Anybody,
                _: IdempotentRequest,
            ) -> Result<Reservation<Anybody>, Problem> {
                Ok(Reservation::Claimed(Anybody))
            }

            async fn hold(&self, _: &Anybody) -> Infallible {
                std::future::pending().await
            }

            async fn release(&self, _: &Anybody) {}
        }

        impl DeliveriesApi for $api {
            type Event = $event;

            fn webhook_target(&self, target: &Url) -> Result<(), String> {
                match target.scheme() {
                    "https" => Ok(()),
                    _ => Err("must be an https URL".to_owned()),
                }
            }

            fn deliveries(&self) -> &dyn CallersDeliveries<Anybody> {
                unreachable!("nobody asks for deliveries")
            }
        }
    )*};
}

apis! {
    /// The signing API.
    Signings: SigningRecord, SigningEventKind;
    /// The due-diligence API.
    Registers: DiligenceRecord, KycEventKind;
}

/// Implements an API by `$own`, and operations that find nothing.
macro_rules! finds_nothing {
    (
        impl $api:ident for $product:ident { $($own:tt)* }
        $($operation:ident($($argument:ty),*) -> $answer:ty;)*
    ) => {
        #[async_trait]
        impl $api for $product {
            $($own)*

            $(async fn $operation(
                &self,
                _: &Anybody,
                $(_: $argument),*
            ) -> Result<$answer, Problem> {
                Err(Problem::not_found())
            })*
        }
    };
}

finds_nothing! {
    impl SigningApi for Signings {
        fn methods(&self) -> Vec<SigningMethod> {
            SigningMethod::EVERY.to_vec()
        }

        fn only_in_the_sandbox(_: &Anybody) -> Result<(), Problem> {
            Ok(())
        }

        fn capabilities(&self) -> Capabilities {
            Capabilities {
                formats: Vec::new(),
                methods: self.methods(),
                containers: Vec::new(),
            }
        }
    }
    list_signings(ListQuery) -> SigningList;
    create_signing(CreateSigning) -> Signing;
    read_signing(SigningId) -> Signing;
    update_deadline(SigningId, UpdateDeadline) -> Signing;
    erase_signing(SigningId) -> ErasedSigning;
    erase_ended_signings(BulkErasure) -> ErasureCount;
    cancel_signing(SigningId) -> Signing;
    download_document(SigningId) -> DocumentDownload;
    archive_signing(SigningId) -> ArchivedSigning;
    read_evidence(SigningId) -> SigningEvidence;
    print_evidence(SigningId) -> Bytes;
    simulate_outcome(SigningId, Simulation) -> Signing;
    add_signer(SigningId, NewSigner) -> Signer;
    update_signer(SigningId, SignerId, UpdateSigner) -> Signer;
    remove_signer(SigningId, SignerId) -> ();
    remind_signer(SigningId, SignerId) -> Signer;
    create_batch(CreateBatch) -> Batch;
    read_batch(BatchId) -> Batch;
    store_file(NewFile) -> StoredFile;
    read_file(FileToken) -> StoredFile;
    delete_file(FileToken) -> StoredFile;
    list_comments(SigningId) -> CommentList;
    add_comment(SigningId, NewComment) -> Comment;
}

finds_nothing! {
    impl KycApi for Registers {
        fn only_in_the_sandbox(_: &Anybody) -> Result<(), Problem> {
            Ok(())
        }

        async fn create_kyc_package(
            &self,
            _: &Anybody,
            _: CreateKycPackage,
            _: &RequestId,
        ) -> Result<KycOrder, Problem> {
            Err(Problem::not_found())
        }
    }
    read_kyc_package(OrderId) -> KycOrder;
    erase_kyc_package(OrderId) -> ErasedKycOrder;
    download_kyc_artifact(OrderId) -> Download;
    simulate_kyc_package(OrderId, SimulateKycPackage) -> KycOrder;
}

#[async_trait]
impl DiligenceApi for Registers {
    async fn answer(
        &self,
        _: &Anybody,
        _: Question,
        _: AnswerOptions,
        _: &RequestId,
    ) -> Result<Representation, Problem> {
        Ok(Representation::of(&long_answer()))
    }
}

/// An answer of several pages.
pub(crate) fn long_answer() -> Value {
    let acts: Vec<_> = (0..50).map(|act| json!({"actId": act})).collect();
    json!({
        "data": {"acts": acts, "few": [1], "bods": {"statements": []}},
        "interpretation": {"items": [{"pointer": ""}, {"pointer": "/acts/2/status"}]},
    })
}
