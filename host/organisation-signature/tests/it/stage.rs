use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use parafa_attorney::{SigningKey, SoftwareKey};
use parafa_demo::{World, WorldConfig};
use parafa_fixtures::built;
use parafa_issuing::{Key, KeyKind};
use parafa_organisation_signature::{AnswerSigner, AnswerSignerParts, ContainerFile};
use parafa_outbound::{AddressPolicy, HostPort, OutboundClient, Reach, ServerTrust};
use parafa_plugin_host::{CallObserver, PluginHost, PluginHostConfig, Registry};
use parafa_store::SystemClock;
use parafa_trust::{
    OcspClient, OcspPolicy, Ports, SignerCheck, SystemRandom, TimestampAuthority, TimestampClient,
    TimestampPolicy, TrustAnchors, ValidationData, ValidationPolicy,
};
use tempfile::TempDir;
use url::Url;

/// The text to sign.
pub(crate) const ANSWER: &str =
    r#"{"entityCode":"999000009","name":"UAB „Ąžuolas“","retrievedAt":"2026-11-26T00:00:00Z"}"#;

static HOST: LazyLock<Arc<PluginHost>> =
    LazyLock::new(|| Arc::new(PluginHost::new(config()).unwrap()));

fn config() -> PluginHostConfig {
    PluginHostConfig::new(built::compiled_plugins())
}

/// A world with an attorney, and everything needed for their signatures.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) plugins: Arc<Registry>,
    folder: TempDir,
}

impl Stage {
    /// A stage with an RSA key.
    pub(crate) async fn set() -> Self {
        Self::set_in(tempfile::tempdir().unwrap(), &HOST).await
    }

    /// A stage with an RSA key whose plugin calls `observer` sees.
    pub(crate) async fn observed_by(observer: Arc<dyn CallObserver>) -> Self {
        let config = PluginHostConfig {
            observer,
            ..config()
        };
        let host = Arc::new(PluginHost::new(config).unwrap());
        Self::set_in(tempfile::tempdir().unwrap(), &host).await
    }

    /// A stage with a key on P-256.
    pub(crate) async fn on_p256() -> Self {
        let key = Key::generate(KeyKind::P256).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let keys = folder.path().join("world/keys");
        std::fs::create_dir_all(&keys).unwrap();
        let pem = key.to_pem().unwrap();
        std::fs::write(keys.join("attorney.pem"), pem).unwrap();
        Self::set_in(folder, &HOST).await
    }

    async fn set_in(folder: TempDir, host: &Arc<PluginHost>) -> Self {
        // Another test of this process may have installed it.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let world = World::start(WorldConfig::new(folder.path().join("world")));
        let plugins = Arc::new(Registry::default());
        for name in ["jades", "asice"] {
            let component = built::plugin(&format!("{name}.wasm"));
            let plugin = host.admit(component.into()).await.unwrap();
            plugins.install(plugin).unwrap();
        }
        Self {
            world: world.await.unwrap(),
            plugins,
            folder,
        }
    }

    /// The attorney's own key.
    pub(crate) fn key(&self) -> SoftwareKey {
        let files = self.world.attorney();
        let read = |path: &Path| std::fs::read(path).unwrap();
        SoftwareKey::from_pem(&read(&files.key), &read(&files.certificate)).unwrap()
    }

    pub(crate) fn signer(&self) -> AnswerSigner {
        self.signer_with(self.key())
    }

    pub(crate) fn signer_with(&self, key: impl SigningKey + 'static) -> AnswerSigner {
        let addresses = self.world.addresses();
        let [tsa, ocsp] = [&addresses.tsa, &addresses.ocsp].map(|url| Url::parse(url).unwrap());
        let reach = |url: &Url, reach| {
            let listed = HostPort::of(url).into_iter().collect();
            let policy = AddressPolicy::new(listed, reach);
            Arc::new(OutboundClient::new(policy, &ServerTrust::default()).unwrap())
        };
        let ports = Ports {
            configured: reach(&tsa, Reach::ListedOnly),
            named: reach(&ocsp, Reach::PublicHttp),
        };
        let anchors = Arc::new(TrustAnchors::load(self.world.trust_folder()).unwrap());
        let random = Arc::new(SystemRandom);
        let ocsp = OcspClient::new(ports.clone(), random.clone(), OcspPolicy::default());
        let authority = TimestampAuthority {
            url: tsa,
            policy: None,
        };
        let timestamps = TimestampClient::new(
            ports.configured,
            random,
            anchors.clone(),
            vec![authority],
            TimestampPolicy::default(),
        );
        let parts = AnswerSignerParts {
            key: Arc::new(key),
            plugins: self.plugins.clone(),
            timestamps,
            validation_data: ValidationData::new(
                anchors.clone(),
                ocsp.clone(),
                ValidationPolicy::default(),
            ),
            signer_check: SignerCheck::new(anchors, ocsp),
            clock: Arc::new(SystemClock),
        };
        AnswerSigner::new(parts).unwrap()
    }

    /// Writes bytes to a file for programs that read files.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Path of the folder with its files.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn disable(&self, plugin: &str) {
        self.plugins
            .disable(self.plugins.by_id(plugin).unwrap().digest());
    }
}

pub(crate) fn files() -> Vec<ContainerFile> {
    let file = |name: &str, media_type: &str, content: &'static str| ContainerFile {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        content: Bytes::from_static(content.as_bytes()),
    };
    vec![
        file("answer.json", "application/json", ANSWER),
        file(
            "raw/1-jar.xml",
            "application/xml",
            "<asmuo kodas='999000009'/>",
        ),
    ]
}
