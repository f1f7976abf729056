use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::hosts::Hosts;
use super::times::Times;
use crate::acknowledged::Ledger;
use crate::support::auth::Provider;
use crate::support::demo::Demo;

/// The context of errands.
pub(crate) struct Town {
    pub(super) world: Arc<Demo>,
    pub(super) provider: Provider,
    pub(super) signing: Hosts,
    pub(super) diligence: Hosts,
    pub(super) authentication: Hosts,
    pub(super) ledger: Arc<Ledger>,
    samples: Option<Samples>,
}

/// Samples of signed documents, for external validators.
pub(crate) struct Samples {
    folder: PathBuf,
    /// One of this many documents is kept.
    of: usize,
    seen: AtomicUsize,
}

impl Town {
    pub(crate) fn new(world: &Arc<Demo>, hosts: &Hosts, ledger: &Arc<Ledger>) -> Self {
        let provider = Provider::of(world);
        Self {
            world: world.clone(),
            signing: hosts.with_key(&world.world.signing.live),
            diligence: hosts.with_key(&world.world.diligence.live),
            authentication: hosts.with_password(&provider.key.key_id, &provider.key.key_secret),
            provider,
            ledger: ledger.clone(),
            samples: None,
        }
    }

    /// Returns the town with samples: some of its signed documents are kept.
    pub(crate) fn with_samples(self, samples: Samples) -> Self {
        Self {
            samples: Some(samples),
            ..self
        }
    }

    /// Returns the durations of its calls.
    pub(crate) fn times(&self) -> &Times {
        self.signing.times()
    }

    /// Offers a signed document as a sample.
    pub(super) fn keep(&self, document: &[u8], ending: &str) {
        if let Some(samples) = &self.samples {
            samples.take(document, ending);
        }
    }
}

impl Samples {
    /// Creates samples in this folder, of one in `of` documents.
    pub(crate) fn in_folder(folder: PathBuf, of: usize) -> Self {
        Self {
            folder,
            of,
            seen: AtomicUsize::default(),
        }
    }

    fn take(&self, document: &[u8], ending: &str) {
        let number = self.seen.fetch_add(1, Ordering::Relaxed);
        if number.is_multiple_of(self.of) {
            let file = self.folder.join(format!("{number}.{ending}"));
            fs::write(file, document).expect("a sample");
        }
    }
}
