use std::sync::Arc;

use parafa_attorney::KeyStorage;
use parafa_organisation_signature::AnswerSigner;
use parafa_platform::accounts::KeyMode;
use parafa_store::StoreMode;

use crate::Identifications;
use crate::error::IdentificationError;

/// The attorney's signers by mode, reachable only through the mode of a call's
/// key.
#[derive(Clone, Default)]
pub struct AttorneySigners {
    live: Option<Arc<AnswerSigner>>,
    sandbox: Option<Arc<AnswerSigner>>,
}

impl AttorneySigners {
    /// Returns the signers that `signer` may serve on a host of this `mode`.
    #[must_use]
    pub fn new(signer: Arc<AnswerSigner>, mode: StoreMode) -> Self {
        let Served { live, sandbox } = served(signer.key_storage(), mode);
        Self {
            live: live.then(|| signer.clone()),
            sandbox: sandbox.then_some(signer),
        }
    }

    /// Returns the signer for keys of a mode; `None` where there is none.
    #[must_use]
    pub fn of(&self, mode: KeyMode) -> Option<&AnswerSigner> {
        match mode {
            KeyMode::Live => self.live.as_deref(),
            KeyMode::Test => self.sandbox.as_deref(),
        }
    }
}

impl Identifications {
    /// Returns the signer of evidence for orders of a mode.
    pub(crate) fn signer(&self, mode: KeyMode) -> Result<&AnswerSigner, IdentificationError> {
        let signer = self.signers.of(mode);
        signer.ok_or(IdentificationError::NoSigner)
    }
}

/// Modes that a key serves.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Served {
    live: bool,
    sandbox: bool,
}

/// Returns the modes that a key serves. A device's signature is qualified, so it
/// is never given to synthetic data. A signature by a key in memory is not
/// qualified, so it is never sold, except in the demo world, where nothing is
/// real.
fn served(storage: KeyStorage, mode: StoreMode) -> Served {
    match (storage, mode) {
        (KeyStorage::Device, _) => Served {
            live: true,
            sandbox: false,
        },
        (KeyStorage::Memory, StoreMode::Production) => Served {
            live: false,
            sandbox: true,
        },
        (KeyStorage::Memory, StoreMode::Demo) => Served {
            live: true,
            sandbox: true,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_signs_nothing_made_up_and_a_file_nothing_real() {
        for mode in [StoreMode::Production, StoreMode::Demo] {
            let device = served(KeyStorage::Device, mode);
            assert!(device.live && !device.sandbox);
        }
        let file = served(KeyStorage::Memory, StoreMode::Production);
        assert!(file.sandbox && !file.live);
        let demo = served(KeyStorage::Memory, StoreMode::Demo);
        assert!(demo.sandbox && demo.live);
    }
}
