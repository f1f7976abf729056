use std::path::Path;
use std::sync::Arc;

use parafa_attorney::{SigningKey, SoftwareKey};
use parafa_demo::{World, WorldConfig};
use parafa_organisation_signature::{AnswerSigner, AnswerSignerParts};
use parafa_outbound::{AddressPolicy, HostPort, OutboundClient, Reach, ServerTrust};
use parafa_plugin_host::Registry;
use parafa_store::SystemClock;
use parafa_trust::{
    OcspClient, OcspPolicy, Ports, SignerCheck, SystemRandom, TimestampAuthority, TimestampClient,
    TimestampPolicy, TrustAnchors, ValidationData, ValidationPolicy,
};
use tempfile::TempDir;
use url::Url;

use crate::support::{admit, plugin_host};

/// A world with an attorney, and their signer.
pub(crate) struct Stage {
    pub(crate) key: Arc<dyn SigningKey>,
    pub(crate) signer: Arc<AnswerSigner>,
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
        let (signer, timestamps) = signer(&world, key.clone()).await;
        let signer = Arc::new(signer);
        Self {
            key,
            signer,
            timestamps,
            _world: world,
            _folder: folder,
        }
    }
}

async fn signer(world: &World, key: Arc<dyn SigningKey>) -> (AnswerSigner, TimestampClient) {
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
    let (anchors, random) = (Arc::new(anchors), Arc::new(SystemRandom));
    let ocsp = OcspClient::new(ports.clone(), random.clone(), OcspPolicy::default());
    let authorities = vec![TimestampAuthority {
        url: tsa,
        policy: None,
    }];
    let timestamps = TimestampClient::new(
        ports.configured,
        random,
        anchors.clone(),
        authorities,
        TimestampPolicy::default(),
    );
    let parts = AnswerSignerParts {
        key,
        plugins,
        timestamps: timestamps.clone(),
        validation_data: ValidationData::new(
            anchors.clone(),
            ocsp.clone(),
            ValidationPolicy::default(),
        ),
        signer_check: SignerCheck::new(anchors, ocsp),
        clock: Arc::new(SystemClock),
    };
    let signer = AnswerSigner::new(parts).expect("the attorney's certificate can be read");
    (signer, timestamps)
}
