//! Actions in a race, and the answers to their clients.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use parafa_ceremony::CeremonyError;
use parafa_ceremony::records::CeremonyRow;
use parafa_domain::{CeremonyStatus, SignerStatus};
use parafa_platform::PlatformError;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_signing::SigningError;
use parafa_store::StoreError;
use parafa_store::keys::KeyError;
use proptest::sample::Index;
use uuid::Uuid;

use super::scenario::Act;
use crate::tests::support::{CALLER, Host, Phone, Posted, RecordChecker, Return};

/// An answer to a client.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reply {
    Added {
        signing: Uuid,
        signer: Uuid,
    },
    Archived {
        signing: Uuid,
    },
    Cancelled {
        signing: Uuid,
    },
    Created {
        signing: Uuid,
    },
    Declined {
        signer: Uuid,
    },
    Dropped {
        file: Uuid,
    },
    Ended {
        signing: Uuid,
        status: CeremonyStatus,
    },
    Erased {
        signing: Uuid,
    },
    Raised {
        batch: Uuid,
    },
    Removed {
        signer: Uuid,
    },
    Started {
        signer: Uuid,
    },
    Status {
        signer: Uuid,
        status: SignerStatus,
    },
    Nothing,
}

/// Links that people have followed, by attempt.
#[derive(Default)]
pub(super) struct Followed {
    /// Followed links, each once, with whether it was on the device that shows
    /// the page.
    pub(super) on_this_device: BTreeMap<Uuid, bool>,
    /// Attempts whose own app has come back.
    pub(super) came_back: BTreeSet<Uuid>,
}

impl Followed {
    /// Records that a link is followed; returns true if it was not followed
    /// before.
    fn note(&mut self, attempt: Uuid, on_this_device: bool) -> bool {
        match self.on_this_device.entry(attempt) {
            Entry::Vacant(entry) => {
                entry.insert(on_this_device);
                true
            }
            Entry::Occupied(_) => false,
        }
    }
}

/// Objects known to clients.
#[derive(Clone)]
pub(super) struct Known {
    /// Signers, each with its signing.
    signers: Vec<(Uuid, (Uuid, KeyMode))>,
    signings: Vec<(Uuid, KeyMode)>,
    /// Signings with at least one signature.
    signed: Vec<(Uuid, KeyMode)>,
    /// Attempts with an open link, and their signers.
    links: Vec<(Uuid, Uuid)>,
    pub(super) files: Vec<(Uuid, KeyMode)>,
}

impl Known {
    pub(super) fn of(checker: &RecordChecker) -> Self {
        let named = |row: &CeremonyRow| (row.ceremony.id.uuid(), row.mode);
        let signed = checker.signings().filter(|row| row.signed().is_some());
        let signers = checker.signings().flat_map(|row| {
            let signing = named(row);
            let parties = row.ceremony.signers.iter();
            parties.map(move |party| (party.id.uuid(), signing))
        });
        let opened = checker.running();
        let opened = opened.filter(|attempt| attempt.device_link.is_some());
        Self {
            links: opened.map(|attempt| (attempt.id, attempt.signer)).collect(),
            signers: signers.collect(),
            signings: checker.signings().map(named).collect(),
            signed: signed.map(named).collect(),
            files: checker.files().map(|row| (row.id, row.mode)).collect(),
        }
    }

    /// Picks one of the signings, with a caller who may read it.
    pub(super) fn signing(&self, which: Index) -> Result<(Uuid, Caller), SigningError> {
        let (signing, mode) = pick(&self.signings, which)?;
        Ok((signing, of_mode(mode)))
    }

    /// Picks a signing with a signature, or else any.
    pub(super) fn signed(&self, which: Index) -> Result<(Uuid, Caller), SigningError> {
        let (signing, mode) = pick(&self.signed, which).or_else(|_| pick(&self.signings, which))?;
        Ok((signing, of_mode(mode)))
    }

    /// Picks a signing of the sandbox, or else any.
    pub(super) fn sandboxed(&self, which: Index) -> Result<(Uuid, Caller), SigningError> {
        let sandboxed = self.signings.iter().copied();
        let sandboxed = sandboxed.filter(|(_, mode)| *mode == KeyMode::Test);
        let sandboxed: Vec<_> = sandboxed.collect();
        let (signing, mode) = pick(&sandboxed, which).or_else(|_| pick(&self.signings, which))?;
        Ok((signing, of_mode(mode)))
    }

    /// Picks a party, with its signing and a caller who may read it.
    pub(super) fn signer(&self, which: Index) -> Result<(Uuid, Uuid, Caller), SigningError> {
        let (signer, (signing, mode)) = pick(&self.signers, which)?;
        Ok((signer, signing, of_mode(mode)))
    }

    /// Picks a stored file.
    pub(super) fn file(&self, which: Index) -> Result<(Uuid, KeyMode), SigningError> {
        pick(&self.files, which)
    }
}

fn pick<T: Copy>(of: &[T], which: Index) -> Result<T, SigningError> {
    let picked = (!of.is_empty()).then(|| *which.get(of));
    picked.ok_or(CeremonyError::NotFound.into())
}

pub(super) fn of_mode(mode: KeyMode) -> Caller {
    Caller { mode, ..CALLER }
}

/// Sends a client's request to a host.
pub(super) async fn act_on(
    host: Host,
    act: Act,
    known: Known,
    posted: Posted,
    (phone, followed): (Phone, Arc<Mutex<Followed>>),
) -> Result<Reply, SigningError> {
    match act {
        Act::Create { order } => {
            let created = host.create(posted, order).await?;
            let signing = created.ceremony.id.uuid();
            Ok(Reply::Created { signing })
        }
        Act::Start { signer, person } => {
            let (signer, ..) = known.signer(signer)?;
            host.start(signer, person).await?;
            Ok(Reply::Started { signer })
        }
        Act::StartByLink { signer } => {
            let (signer, ..) = known.signer(signer)?;
            host.start_by_link(signer).await?;
            Ok(Reply::Started { signer })
        }
        Act::Follow {
            link,
            is_same_device,
        } => {
            let (_, signer) = pick(&known.links, link)?;
            let Some((attempt, link)) = host.open_link(signer).await? else {
                return Ok(Reply::Nothing);
            };
            let same_device = link.same_device.filter(|_| is_same_device);
            let is_first = followed
                .lock()
                .unwrap()
                .note(attempt, same_device.is_some());
            if !is_first {
                return Ok(Reply::Nothing);
            }
            // The link may not be open any more.
            phone.follow(&same_device.unwrap_or(link.qr)).await;
            Ok(Reply::Nothing)
        }
        Act::ComeBack { link, is_own } => {
            let (attempt, signer) = pick(&known.links, link)?;
            let said = if is_own {
                let said = host.return_of(attempt).await?;
                followed.lock().unwrap().came_back.insert(attempt);
                said
            } else {
                Return::forged()
            };
            host.come_back(signer, &said).await?;
            Ok(Reply::Nothing)
        }
        Act::GiveUp { signer } => {
            let (signer, ..) = known.signer(signer)?;
            let ceremony = host.app.ceremonies.open_link(&host.link(signer)).await?;
            host.app.ceremonies.give_up_attempt(&ceremony).await?;
            Ok(Reply::Nothing)
        }
        Act::Decline { signer } => {
            let (signer, ..) = known.signer(signer)?;
            let ceremony = host.app.ceremonies.open_link(&host.link(signer)).await?;
            host.app.ceremonies.decline(&ceremony, None).await?;
            Ok(Reply::Declined { signer })
        }
        Act::Look { signer } => {
            let (signer, ..) = known.signer(signer)?;
            let link = host.link(signer);
            let state = host.app.ceremonies.await_state(&link, Duration::ZERO, None);
            let status = state.await?.party.status;
            Ok(Reply::Status { signer, status })
        }
        Act::Cancel { signing } => {
            let (signing, caller) = known.signing(signing)?;
            host.app.ceremonies.cancel(&caller, signing).await?;
            Ok(Reply::Cancelled { signing })
        }
        Act::Erase { signing } => {
            let (signing, caller) = known.signing(signing)?;
            host.app.ceremonies.erase(&caller, signing).await?;
            Ok(Reply::Erased { signing })
        }
        Act::Deadline { signing, days } => {
            let (signing, caller) = known.signing(signing)?;
            host.app
                .ceremonies
                .change_deadline(&caller, signing, days)
                .await?;
            Ok(Reply::Nothing)
        }
        Act::Call(call) => call.make(host, known).await,
        Act::Tsa { .. } | Act::Pass { .. } => Ok(Reply::Nothing),
        Act::Jobs { times } => {
            for _ in 0..times {
                host.run_due().await;
            }
            Ok(Reply::Nothing)
        }
    }
}

/// Returns whether a client may get this error when others are at work too.
pub(super) fn is_an_answer(error: &SigningError) -> bool {
    let SigningError::Ceremony(error) = error else {
        return matches!(
            error,
            SigningError::KnownEmail(_)
                | SigningError::NoOpenSigner
                | SigningError::ArchiveTooEarly { .. }
                | SigningError::ArchiveNotSupported(_)
                | SigningError::SandboxOnly
                // The file was deleted meanwhile.
                | SigningError::IntakeRefused(_)
        );
    };
    matches!(
        error,
        CeremonyError::NotFound
            | CeremonyError::Busy
            | CeremonyError::SignerNotOpen(_)
            | CeremonyError::SigningEnded(_)
            | CeremonyError::TooManyAttempts { .. }
            | CeremonyError::TooManySigners
            | CeremonyError::LastSigner
            | CeremonyError::NotRemindable(_)
            | CeremonyError::ReminderTooSoon { .. }
            | CeremonyError::NotYetSigned(_)
            | CeremonyError::SandboxNeverSigns
            // The data was erased meanwhile.
            | CeremonyError::Platform(PlatformError::Keys(KeyError::Missing { .. }))
            | CeremonyError::Platform(PlatformError::Store(StoreError::Contention { .. }))
    )
}
