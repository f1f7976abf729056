use std::path::Path;
use std::sync::Arc;

use parafa_attorney::{SigningKey, SoftwareKey};
use parafa_demo::{World, WorldConfig};
use parafa_http_port::HttpPort;
use parafa_organisation_signature::{AnswerSigner, AnswerSignerParts};
use parafa_outbound::{AddressPolicy, HostPort, OutboundClient, Reach, ServerTrust};
use parafa_plugin_host::Registry;
use parafa_store::{Clock, ManualClock, SystemClock};
use parafa_trust::{
    OcspClient, OcspPolicy, Ports, RandomSource, SignerCheck, SystemRandom, TimestampAuthority,
    TimestampClient, TimestampPolicy, TrustAnchors, ValidationData, ValidationPolicy,
};
use tempfile::TempDir;
use url::Url;

use crate::recorded::{Recorded, SameOctets};
use crate::support::{admit, plugin_host};

/// World with an attorney, and signers of answers.
pub(crate) struct Stage {
    pub(crate) key: Arc<dyn SigningKey>,
    pub(crate) signer: Arc<AnswerSigner>,
    /// Signer with a stopped clock. The same answer has the same signature each
    /// time, and the time-stamp recorded for it.
    pub(crate) recorded: Arc<AnswerSigner>,
    pub(crate) timestamps: TimestampClient,
    _world: World,
    _folder: TempDir,
}

impl Stage {
    pub(crate) async fn set() -> Self {
        let provider = rustls::crypto::aws_lc_rs::default_provider();
        provider.install_default().expect("the only provider");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let world = World::start(WorldConfig::new(folder.path().join("world")));
        let world = world.await.expect("a world");
        let read = |path: &Path| std::fs::read(path).expect("a file of the world");
        let files = world.attorney();
        let key = SoftwareKey::from_pem(&read(&files.key), &read(&files.certificate));
        let key: Arc<dyn SigningKey> = Arc::new(key.expect("the attorney's key"));
        let parts = Parts::of(&world, key.clone()).await;
        let timestamps = parts.timestamps(parts.ports.configured.clone(), Arc::new(SystemRandom));
        let recorded = Arc::new(Recorded::new(parts.ports.configured.clone()));
        let recorded = parts.timestamps(recorded, Arc::new(SameOctets));
        let clock = Arc::new(ManualClock::new(SystemClock.now()));
        Self {
            key,
            signer: parts.signer(timestamps.clone(), Arc::new(SystemClock)),
            recorded: parts.signer(recorded, clock),
            timestamps,
            _world: world,
            _folder: folder,
        }
    }
}

/// Common parts of the signers.
struct Parts {
    key: Arc<dyn SigningKey>,
    plugins: Arc<Registry>,
    ports: Ports,
    anchors: Arc<TrustAnchors>,
    tsa: Url,
}

impl Parts {
    async fn of(world: &World, key: Arc<dyn SigningKey>) -> Self {
        let plugins = Arc::new(Registry::default());
        let jades = admit(&plugin_host(), "jades.wasm").await;
        plugins.install(jades).expect("the plugin is installed");
        let addresses = world.addresses();
        let url = |address: &str| Url::parse(address).expect("an address of the world");
        let (tsa, ocsp) = (url(&addresses.tsa), url(&addresses.ocsp));
        let reach = |url: &Url, reach| {
            let policy = AddressPolicy::new(HostPort::of(url).into_iter().collect(), reach);
            Arc::new(OutboundClient::new(policy, &ServerTrust::default()).expect("a client"))
        };
        let ports = Ports {
            configured: reach(&tsa, Reach::ListedOnly),
            named: reach(&ocsp, Reach::PublicHttp),
        };
        let anchors = TrustAnchors::load(world.trust_folder()).expect("the world's anchors");
        Self {
            key,
            plugins,
            ports,
            anchors: Arc::new(anchors),
            tsa,
        }
    }

    fn timestamps(
        &self,
        port: Arc<dyn HttpPort>,
        random: Arc<dyn RandomSource>,
    ) -> TimestampClient {
        let authorities = vec![TimestampAuthority {
            url: self.tsa.clone(),
            policy: None,
        }];
        let policy = TimestampPolicy::default();
        TimestampClient::new(port, random, self.anchors.clone(), authorities, policy)
    }

    fn signer(&self, timestamps: TimestampClient, clock: Arc<dyn Clock>) -> Arc<AnswerSigner> {
        let random = Arc::new(SystemRandom);
        let ocsp = OcspClient::new(self.ports.clone(), random, OcspPolicy::default());
        let anchors = self.anchors.clone();
        let signer = AnswerSigner::new(AnswerSignerParts {
            key: self.key.clone(),
            plugins: self.plugins.clone(),
            timestamps,
            validation_data: ValidationData::new(
                anchors.clone(),
                ocsp.clone(),
                ValidationPolicy::default(),
            ),
            signer_check: SignerCheck::new(anchors, ocsp),
            clock,
        });
        Arc::new(signer.expect("the attorney's certificate can be read"))
    }
}
