use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use bytes::Bytes;
use openssl::hash::MessageDigest;
use parafa_fixtures::built;
use parafa_issuing::{Credential, Key, KeyKind, Profile};
use parafa_plugin_host::{
    Answer, Answerer, ArchiveRequest, CallError, CallLimits, ContractBreach, DeriveRequest,
    DigestAlgorithm, FaultKind, HostPayload, Need, NeedKind, Payload, Plugin, PluginHost,
    PluginHostConfig, Progress, Reply, SignRequest, SignatureAlgorithm, SignedDocument, Suspension,
    TargetLevel, reason,
};

/// A host with the default limits, for all tests that need no lower ones.
static HOST: LazyLock<Arc<PluginHost>> = LazyLock::new(|| host(CallLimits::default()));

/// Too many concurrent calls for a pool in any address space: each would have 4 GiB of it.
const TOO_MANY_FOR_A_POOL: NonZeroU32 = NonZeroU32::new(100_000).unwrap();

/// Creates a host whose compiled plugins outlive the test run.
pub(crate) fn host(limits: CallLimits) -> Arc<PluginHost> {
    Arc::new(PluginHost::new(PluginHostConfig { limits, ..config() }).unwrap())
}

/// Creates a host with pooled instances, and one that has no room for a pool and makes them on
/// demand.
pub(crate) fn hosts(limits: &CallLimits) -> [Arc<PluginHost>; 2] {
    let without_pool = PluginHostConfig {
        limits: limits.clone(),
        max_concurrent: TOO_MANY_FOR_A_POOL,
        ..config()
    };
    let without_pool = PluginHost::new(without_pool).unwrap();
    [host(limits.clone()), Arc::new(without_pool)]
}

/// Returns the defaults, with a folder for compiled plugins that outlives the test run.
pub(crate) fn config() -> PluginHostConfig {
    PluginHostConfig::new(built::compiled_plugins())
}

/// Returns a component of `target/plugins`.
pub(crate) fn component(name: &str) -> Bytes {
    built::plugin(name).into()
}

pub(crate) async fn plugin(name: &str) -> Arc<Plugin> {
    HOST.admit(component(name)).await.unwrap()
}

pub(crate) async fn toy() -> Arc<Plugin> {
    plugin("test/toy.wasm").await
}

/// Returns a toy document with this behaviour; `plugins/toy` lists them.
pub(crate) fn toy_document(behaviour: &str) -> Bytes {
    format!("TOY {behaviour} 5\nhello").into()
}

pub(crate) fn fault(error: CallError) -> FaultKind {
    match error {
        CallError::Fault(fault) => fault.kind,
        CallError::Refused(refusal) => panic!("refused: {refusal}"),
    }
}

pub(crate) fn breach<T>(result: Result<T, CallError>) -> ContractBreach {
    match result.map_err(fault) {
        Err(FaultKind::ContractBroken(breach)) => breach,
        Err(other) => panic!("another fault: {other}"),
        Ok(_) => panic!("no fault"),
    }
}

pub(crate) fn refusal_code<T>(result: Result<T, CallError>) -> String {
    match result {
        Err(CallError::Refused(refusal)) => refusal.code.into_owned(),
        Err(CallError::Fault(fault)) => panic!("a fault: {fault}"),
        Ok(_) => panic!("accepted"),
    }
}

pub(crate) fn archive_request() -> ArchiveRequest {
    archive_request_for(TargetLevel::BLt)
}

pub(crate) fn archive_request_for(target_level: TargetLevel) -> ArchiveRequest {
    ArchiveRequest {
        time: 1_763_700_000,
        seed: [9; 32],
        target_level,
        params: Vec::new(),
    }
}

pub(crate) fn derive_request() -> DeriveRequest {
    DeriveRequest {
        time: 1_763_700_000,
        seed: [9; 32],
        params: Vec::new(),
    }
}

/// Returns a toy document with this behaviour, signed to level B-T.
pub(crate) async fn signed_toy(behaviour: &str) -> Bytes {
    let signer = Signer::named("Ona");
    signed_by(&signer, toy_document(behaviour)).await
}

/// Returns the toy document with one more signature, of level B-T.
pub(crate) async fn signed_by(signer: &Signer, document: Bytes) -> Bytes {
    let request = signer.request(TargetLevel::BT);
    let toy = toy().await;
    let progress = toy.drive_sign(document, &request, Vec::new(), signer).await;
    done(progress.unwrap()).bytes
}

/// Returns the breach of a plugin that makes another media type than its own.
pub(crate) fn other_type() -> ContractBreach {
    ContractBreach::unknown("media type of the plugin", "text/x-other")
}

/// Answers the needs of an archive: no certificate is revoked, and the signer's is an anchor.
pub(crate) struct Authorities;

#[async_trait]
impl Answerer for Authorities {
    async fn answer(&self, need: &Need) -> Reply {
        Reply::Answered(match need.kind {
            NeedKind::Certificate => Err(reason::ANCHOR.to_owned()),
            NeedKind::Revocation => Ok(b"good".to_vec()),
            NeedKind::Signature | NeedKind::Timestamp => Err("unavailable".to_owned()),
        })
    }
}

/// Returns a time-stamp over a payload, or over the bytes of its digest.
pub(crate) fn timestamp(payload: &Payload) -> Vec<u8> {
    let imprint = payload.digest(DigestAlgorithm::Sha256).unwrap();
    parafa_fixtures::signed::timestamp(&imprint)
}

/// A person with a device.
pub(crate) struct Signer(Credential);

impl Signer {
    pub(crate) fn named(name: &str) -> Self {
        let key = Key::generate(KeyKind::P256).unwrap();
        Self(Credential::self_signed(&Profile::named(name), key).unwrap())
    }

    pub(crate) fn request(&self, target_level: TargetLevel) -> SignRequest {
        SignRequest {
            time: 1_763_700_000,
            seed: [7; 32],
            target_level,
            signer_chain: vec![self.0.der()],
            signature_algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
            reserve: 16 * 1024,
            params: Vec::new(),
        }
    }

    /// Signs the bytes of a payload, or the digest that it is.
    pub(crate) fn sign(&self, payload: &Payload) -> Vec<u8> {
        let digest = payload.digest(DigestAlgorithm::Sha256).unwrap();
        let signature = self.0.key.sign_digest(MessageDigest::sha256(), &digest);
        signature.unwrap()
    }
}

/// Signs, stamps, is an anchor and knows of no revocation.
#[async_trait]
impl Answerer for Signer {
    async fn answer(&self, need: &Need) -> Reply {
        Reply::Answered(match need.kind {
            NeedKind::Signature => Ok(self.sign(&need.payload)),
            NeedKind::Timestamp => Ok(timestamp(&need.payload)),
            NeedKind::Revocation => Ok(b"good".to_vec()),
            NeedKind::Certificate => Err(reason::ANCHOR.to_owned()),
        })
    }
}

/// Answers that no data are available.
pub(crate) struct NoData;

#[async_trait]
impl Answerer for NoData {
    async fn answer(&self, _: &Need) -> Reply {
        Reply::Answered(Err("unavailable".to_owned()))
    }
}

/// Answers nothing now.
pub(crate) struct Nobody;

#[async_trait]
impl Answerer for Nobody {
    async fn answer(&self, _: &Need) -> Reply {
        Reply::NotNow
    }
}

pub(crate) fn done(progress: Progress) -> SignedDocument {
    match progress {
        Progress::Done(signed) => *signed,
        Progress::Suspended(suspension) => panic!("still needed: {:?}", suspension.needs),
    }
}

pub(crate) fn suspended(progress: Progress) -> Suspension {
    match progress {
        Progress::Suspended(suspension) => suspension,
        Progress::Done(_) => panic!("nothing was needed"),
    }
}

/// Returns the suspension's answers and one to its only need.
pub(crate) fn answered(suspension: Suspension, outcome: Result<Vec<u8>, String>) -> Vec<Answer> {
    let [need] = <[Need; 1]>::try_from(suspension.needs).unwrap();
    let mut answers = suspension.answers;
    answers.push(Answer { need, outcome });
    answers
}
