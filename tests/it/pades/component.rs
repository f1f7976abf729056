//! PDF component run by the host, with devices and a time-stamping authority in
//! this process.

use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use bytes::Bytes;
use openssl::nid::Nid;
use parafa_fixtures::built;
use parafa_format_core as core;
use parafa_plugin_host::{
    Answerer, CallError, DigestAlgorithm, Need, NeedKind, Plugin, PluginHost, PluginHostConfig,
    Progress, Refusal, Reply, SignRequest, SignedDocument, TargetLevel,
};
use tempfile::TempDir;

use super::pki::{Holder, Pki, ec_key};

/// 2026-01-01T12:00:00Z.
const SIGNING_TIME: i64 = 1_767_268_800;
/// Bytes reserved for a signature, as in the server.
const RESERVE: u32 = 24 * 1024;

/// Public-key infrastructure shared by all tests.
pub(super) static PKI: LazyLock<Pki> = LazyLock::new(Pki::new);

/// Component built by `cargo xtask build-plugins`.
pub(super) struct Component {
    plugin: Arc<Plugin>,
    _cache: TempDir,
}

/// Signer with a device.
#[derive(Clone)]
pub(super) struct Signer {
    holder: Holder,
    algorithm: core::SignatureAlgorithm,
    never_signs: bool,
    /// Certificates of the issuers, after the signer's own.
    issuers: Vec<Vec<u8>>,
}

impl Component {
    /// Loads the component into a plugin host.
    pub(super) async fn load() -> Self {
        let cache = tempfile::tempdir().expect("a temporary folder");
        let config = PluginHostConfig::new(cache.path().to_path_buf());
        let host = Arc::new(PluginHost::new(config).expect("a plugin host"));
        let plugin = host
            .admit(built::plugin("pdf.wasm").into())
            .await
            .expect("the plugin is admitted");
        Self {
            plugin,
            _cache: cache,
        }
    }

    /// Runs a whole ceremony at level B-T; the host checks the output.
    pub(super) async fn sign(&self, document: &[u8], signer: &Signer) -> Result<Vec<u8>, Refusal> {
        self.carry_out(document, signer, &signer.request())
            .await
            .map(|signed| signed.bytes.to_vec())
    }

    /// Runs a whole ceremony.
    pub(super) async fn carry_out(
        &self,
        document: &[u8],
        signer: &Signer,
        request: &SignRequest,
    ) -> Result<SignedDocument, Refusal> {
        let document = Bytes::copy_from_slice(document);
        match self
            .plugin
            .drive_sign(document, request, Vec::new(), signer)
            .await
        {
            Ok(Progress::Done(signed)) => Ok(*signed),
            Ok(Progress::Suspended(suspension)) => panic!("{suspension:?}"),
            Err(CallError::Refused(refusal)) => Err(refusal),
            Err(fault) => panic!("{fault:?}"),
        }
    }
}

impl Signer {
    /// Creates a signer with a certificate issued by the infrastructure's root.
    pub(super) fn new(holder: Holder, algorithm: core::SignatureAlgorithm) -> Self {
        Self {
            issuers: PKI.chain(&holder).split_off(1),
            holder,
            algorithm,
            never_signs: false,
        }
    }

    /// Creates a signer with a P-256 key.
    pub(super) fn p256() -> Self {
        Self::new(
            PKI.signer("Elena Pirmoji", ec_key(Nid::X9_62_PRIME256V1)),
            core::SignatureAlgorithm::Ecdsa(core::DigestAlgorithm::Sha256),
        )
    }

    /// Replaces the issuers' certificates.
    pub(super) fn with_issuers(self, issuers: Vec<Vec<u8>>) -> Self {
        Self { issuers, ..self }
    }

    /// Makes a request to sign fail the test.
    pub(super) fn that_never_signs(self) -> Self {
        Self {
            never_signs: true,
            ..self
        }
    }

    /// Returns a request for this signer's signature at level B-T.
    pub(super) fn request(&self) -> SignRequest {
        let own = self.holder.certificate.to_der().expect("a certificate");
        SignRequest {
            time: SIGNING_TIME,
            seed: [7; 32],
            target_level: TargetLevel::BT,
            signer_chain: [vec![own], self.issuers.clone()].concat(),
            signature_algorithm: self
                .algorithm
                .name()
                .parse()
                .expect("both sides know the catalogue"),
            reserve: RESERVE,
            params: Vec::new(),
        }
    }
}

#[async_trait]
impl Answerer for Signer {
    async fn answer(&self, need: &Need) -> Reply {
        let bytes = need.payload.as_bytes().expect("nothing is asked by digest");
        Reply::Answered(match need.kind {
            NeedKind::Signature => {
                assert!(!self.never_signs, "a signature was asked for in vain");
                let asked = need.digest_algorithm.map(DigestAlgorithm::name);
                assert_eq!(asked, Some(self.algorithm.digest().name()));
                Ok(self.holder.sign(self.algorithm, bytes))
            }
            NeedKind::Timestamp => Ok(PKI.timestamp(bytes)),
            NeedKind::Certificate | NeedKind::Revocation => Err("unavailable".to_owned()),
        })
    }
}
