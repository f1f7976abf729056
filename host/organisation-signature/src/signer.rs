use std::future::pending;
use std::panic;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parafa_answers::{Postponed, ValidationAnswers};
use parafa_attorney::{KeyStorage, SigningKey};
use parafa_plugin_host::{
    ArchiveRequest, CallPriority, ComposeRequest, Document, Plugin, PluginDigest, Progress,
    Registry, SignRequest, SourceFile, Suspension, TargetLevel, Urgency,
};
use parafa_store::Clock;
use parafa_trust::{Certificate, SignerCheck, TimestampClient, ValidationData};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::{self, JoinError};
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, Span};

use crate::SignatureUnavailable;
use crate::answers::{SigningAnswers, algorithm_of};
use crate::standing::Standing;

/// The attorney's key among the methods that an entry of `trust.toml` may be
/// for.
pub const SIGNING_METHOD: &str = "attorney";

/// The plugin of signed JSON.
const JADES: &str = "jades";
/// The plugin of containers.
const ASICE: &str = "asice";

/// Party on whose behalf plugins are called.
const PARTY: u128 = 0;
/// Signatures that are made at one time: more than that wait.
const AT_ONCE: usize = 16;
/// Time limit of one signature, including the wait for others.
const WITHIN: Duration = Duration::from_secs(30);
/// Number of fetches of validation data that may be older than the time-stamp: authorities' clocks
/// differ slightly.
const ARCHIVE_TRIES: usize = 3;
/// The pause between two of these.
const ARCHIVE_PAUSE: Duration = Duration::from_secs(2);

/// Level of a JAdES signature (ETSI TS 119 182-1, 6).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SignatureLevel {
    /// Level with a time-stamp: `JAdES-B-T`.
    T,
    /// Level with certificates and revocation data from after the time-stamp too: `JAdES-B-LT`.
    Lt,
}

/// A file of a container.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ContainerFile {
    /// Its name, at the root of the container or in folders below it.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its bytes.
    pub content: Bytes,
}

/// A signature of the attorney's.
#[derive(Clone, Debug)]
pub struct Signed {
    /// The bytes.
    pub content: Bytes,
    /// The plugin that made it. Before keeping or charging for the signature, check once more if
    /// any host disabled the plugin meanwhile.
    pub plugin: PluginDigest,
}

/// A document raised to a long-term level.
#[derive(Clone, Debug)]
pub struct Raised {
    /// The bytes.
    pub content: Bytes,
    /// The level, such as `PAdES-B-LT`.
    pub level: String,
}

/// Parts of an [`AnswerSigner`].
pub struct AnswerSignerParts {
    /// The attorney's key.
    pub key: Arc<dyn SigningKey>,
    /// The plugins that can be called.
    pub plugins: Arc<Registry>,
    /// Gets time-stamps.
    pub timestamps: TimestampClient,
    /// Source of the data for long-term levels.
    pub validation_data: ValidationData,
    /// Decides whether the attorney's certificate may sign.
    pub signer_check: SignerCheck,
    /// This host's clock.
    pub clock: Arc<dyn Clock>,
}

/// Makes the organisation's signatures.
pub struct AnswerSigner {
    signatory: String,
    maker: Arc<Maker>,
    places: Arc<Semaphore>,
}

/// Parts that make signatures.
struct Maker {
    key: Arc<dyn SigningKey>,
    plugins: Arc<Registry>,
    timestamps: TimestampClient,
    validation_data: ValidationData,
    clock: Arc<dyn Clock>,
    standing: Standing,
}

impl AnswerSigner {
    /// A signer with these parts. Makes no requests yet.
    ///
    /// # Errors
    /// [`SignatureUnavailable::UnreadableCertificate`],
    /// [`SignatureUnavailable::NamelessCertificate`].
    pub fn new(parts: AnswerSignerParts) -> Result<Self, SignatureUnavailable> {
        let own = parts.key.chain().first().map(Vec::as_slice);
        let certificate = Certificate::from_der(own.unwrap_or_default())
            .map_err(SignatureUnavailable::UnreadableCertificate)?;
        let signatory = certificate.subject().full_name();
        let signatory = signatory.ok_or(SignatureUnavailable::NamelessCertificate)?;
        let maker = Maker {
            key: parts.key,
            plugins: parts.plugins,
            timestamps: parts.timestamps,
            validation_data: parts.validation_data.remembering_authorities(),
            clock: parts.clock,
            standing: Standing::new(certificate, parts.signer_check),
        };
        Ok(Self {
            signatory,
            maker: Arc::new(maker),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        })
    }

    /// The signatory, as the subject of the certificate.
    #[must_use]
    pub fn signatory(&self) -> &str {
        &self.signatory
    }

    /// Storage of the key.
    #[must_use]
    pub fn key_storage(&self) -> KeyStorage {
        self.maker.key.storage()
    }

    /// Returns true if the plugins that make signatures are enabled.
    #[must_use]
    pub fn is_in_service(&self) -> bool {
        [JADES, ASICE]
            .into_iter()
            .all(|id| self.maker.plugin(id).is_ok())
    }

    /// Checks that the key can be reached and that its certificate may sign now. Failures are also
    /// logged.
    ///
    /// # Errors
    /// [`SignatureUnavailable`], as a signature would have now.
    pub async fn check(&self) -> Result<(), SignatureUnavailable> {
        self.in_time(async |maker| {
            maker.standing.chain(maker.clock.now()).await?;
            maker.key.check().await.map_err(SignatureUnavailable::Key)
        })
        .await
    }

    /// Wraps JSON in a JAdES signature: a flattened JSON Web Signature
    /// (`application/jose+json`) with the payload, byte for byte, inside.
    ///
    /// # Errors
    /// [`SignatureUnavailable`].
    pub async fn jades(
        &self,
        payload: Bytes,
        level: SignatureLevel,
    ) -> Result<Signed, SignatureUnavailable> {
        let made = self.in_time(async move |maker| {
            let plugin = maker.plugin(JADES)?;
            let signed = maker.sign(&plugin, payload.into()).await?;
            let content = match level {
                SignatureLevel::T => maker.finished(&plugin, signed.into_bytes())?,
                SignatureLevel::Lt => maker.raised(&plugin, signed).await?.content,
            };
            Ok(Signed::by(&plugin, content))
        });
        made.await
    }

    /// Packs files into an ASiC-E container (`application/vnd.etsi.asic-e+zip`) with one XAdES-B-LT
    /// signature over all of them.
    ///
    /// While the JAdES plugin is disabled, no container is made either: both are one service to
    /// callers.
    ///
    /// # Errors
    /// [`SignatureUnavailable`].
    pub async fn asice(&self, files: Vec<ContainerFile>) -> Result<Signed, SignatureUnavailable> {
        let made = self.in_time(async move |maker| {
            maker.plugin(JADES)?;
            let plugin = maker.plugin(ASICE)?;
            let container = maker.compose(&plugin, files).await?;
            let signed = maker.sign(&plugin, container).await?;
            let content = maker.raised(&plugin, signed).await?.content;
            Ok(Signed::by(&plugin, content))
        });
        made.await
    }

    /// Raises a document that another party has just signed at level B-T to B-LT. The attorney's
    /// key is not used; authorities' answers are, as in the attorney's own signatures.
    ///
    /// # Errors
    /// [`SignatureUnavailable`].
    pub async fn raise(
        &self,
        plugin: &Plugin,
        signed: Bytes,
    ) -> Result<Raised, SignatureUnavailable> {
        let plugin = plugin.in_place();
        let raised = self.in_time(async move |maker| maker.raised(&plugin, signed.into()).await);
        raised.await
    }

    /// Waits for a slot and then for the signature, within the time limit.
    ///
    /// A signature is made on one blocking thread, and the plugin is called in place. Its calls are
    /// short, and waking a thread for each would take as long.
    async fn in_time<T, F>(&self, make: F) -> Result<T, SignatureUnavailable>
    where
        T: Send + 'static,
        F: AsyncFnOnce(&Maker) -> Result<T, SignatureUnavailable> + Send + 'static,
    {
        let deadline = Instant::now() + WITHIN;
        let in_turn = async {
            let place = self.places.clone().acquire_owned().await;
            let (maker, runtime) = (self.maker.clone(), Handle::current());
            let span = Span::current();
            let made = task::spawn_blocking(move || {
                let _place = place;
                runtime.block_on(timeout_at(deadline, make(&maker)).instrument(span))
            });
            match made.await.map_err(JoinError::try_into_panic) {
                Ok(made) => made,
                Err(Ok(panicked)) => panic::resume_unwind(panicked),
                // Only the end of the runtime cancels the task, and ends this wait too.
                Err(Err(_)) => pending().await,
            }
        };
        let made = timeout_at(deadline, in_turn).await.flatten();
        let made = made.unwrap_or(Err(SignatureUnavailable::TooLate));
        if let Err(error) = &made {
            let remedy = error.remedy();
            let error: &dyn std::error::Error = error;
            tracing::error!(
                provider = "attorney",
                remedy,
                error,
                "a signature of the attorney cannot be produced"
            );
        }
        made
    }
}

impl Maker {
    fn plugin(&self, id: &'static str) -> Result<Plugin, SignatureUnavailable> {
        let plugin = self.plugins.by_id(id);
        let plugin = plugin.ok_or(SignatureUnavailable::NoPlugin(id))?;
        // One party for all callers, so that slots are left to people who sign.
        let priority = CallPriority::new(Urgency::Usual, PARTY);
        Ok(plugin.prioritized(priority).in_place())
    }

    /// Packs files with the plugin. Its report on the container is used later without another call.
    async fn compose(
        &self,
        plugin: &Plugin,
        files: Vec<ContainerFile>,
    ) -> Result<Document, SignatureUnavailable> {
        let request = ComposeRequest {
            time: self.clock.now().as_second(),
            seed: seed()?,
            media_type: plugin.media_types().first().cloned().unwrap_or_default(),
            params: Vec::new(),
        };
        let files: Vec<_> = files.into_iter().map(ContainerFile::into_source).collect();
        Ok(plugin.compose(&files, &request).await?.document)
    }

    /// Signs a document made here with the attorney's key, at level B-T.
    async fn sign(
        &self,
        plugin: &Plugin,
        document: Document,
    ) -> Result<Document, SignatureUnavailable> {
        let now = self.clock.now();
        let request = SignRequest {
            time: now.as_second(),
            seed: seed()?,
            target_level: TargetLevel::BT,
            signer_chain: self.standing.chain(now).await?,
            signature_algorithm: algorithm_of(&*self.key),
            reserve: SignRequest::RESERVE,
            params: Vec::new(),
        };
        let authorities = ValidationAnswers::new(&self.validation_data, &self.timestamps, now);
        let answers = SigningAnswers::new(&*self.key, authorities);
        let signing = plugin.drive_first_sign(document, &request, &answers);
        match signing.await? {
            Progress::Done(signed) => Ok(signed.document),
            Progress::Suspended(_) => Err(match answers.key_failure() {
                Some(error) => SignatureUnavailable::Key(error),
                None => SignatureUnavailable::NoTimestamp,
            }),
        }
    }

    /// Raises a new signature to level B-LT.
    async fn raised(
        &self,
        plugin: &Plugin,
        signed: Document,
    ) -> Result<Raised, SignatureUnavailable> {
        let request = ArchiveRequest {
            time: self.clock.now().as_second(),
            seed: seed()?,
            target_level: TargetLevel::BLt,
            params: Vec::new(),
        };
        let mut answers = Vec::new();
        let mut tries = 1;
        let archived = loop {
            let now = self.clock.now();
            let authorities = ValidationAnswers::new(&self.validation_data, &self.timestamps, now);
            let archiving = plugin.drive_archive(signed.clone(), &request, answers, &authorities);
            let suspension: Suspension = match archiving.await? {
                Progress::Done(archived) => break archived,
                Progress::Suspended(suspension) => suspension,
            };
            let why = authorities.postponed().unwrap_or(Postponed::Down);
            if why == Postponed::Down || tries == ARCHIVE_TRIES {
                return Err(SignatureUnavailable::NoValidationData(why));
            }
            tokio::time::sleep(ARCHIVE_PAUSE).await;
            answers = suspension.answers;
            tries += 1;
        };
        match archived.bytes {
            Some(bytes) => Ok(Raised {
                content: self.finished(plugin, bytes)?,
                level: archived.outcome.level,
            }),
            None => Err(SignatureUnavailable::NothingAdded(archived.outcome.level)),
        }
    }

    /// The plugin's output, unless this host knows that the plugin was disabled meanwhile.
    fn finished(&self, plugin: &Plugin, made: Bytes) -> Result<Bytes, SignatureUnavailable> {
        if self.plugins.is_disabled(plugin.digest()) {
            return Err(SignatureUnavailable::Withdrawn(plugin.digest()));
        }
        Ok(made)
    }
}

impl Signed {
    fn by(plugin: &Plugin, content: Bytes) -> Self {
        Self {
            content,
            plugin: plugin.digest(),
        }
    }
}

impl ContainerFile {
    fn into_source(self) -> SourceFile {
        SourceFile {
            name: self.name,
            media_type: self.media_type,
            content: self.content.into(),
        }
    }
}

fn seed() -> Result<[u8; 32], SignatureUnavailable> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|_| SignatureUnavailable::Random)?;
    Ok(seed)
}
