//! Requests of callers beyond those in every race.

use parafa_api_signing::requests::{
    CreateBatch, CreateSigning, DocumentBytes, NewDocument, NewSigner, Party, Simulation, Source,
    Terms,
};
use parafa_api_signing::{Delivery, SigningOrder, SimulatedOutcome};
use parafa_domain::{MethodSet, SignerRole, SigningMethod};
use parafa_platform::accounts::KeyMode;
use parafa_signing::SigningError;
use proptest::prelude::*;
use proptest::sample::Index;
use uuid::Uuid;

use super::actions::{Known, Reply, of_mode};
use crate::tests::support::{Host, document, party, pdf, stored_pdf, terms};

/// Number of documents in a batch.
pub(super) const IN_BATCH: usize = 2;

#[derive(Clone, Debug)]
pub(super) enum Call {
    Add {
        signing: Index,
        role: SignerRole,
        name: u8,
    },
    Archive {
        signing: Index,
    },
    Batch {
        order: SigningOrder,
        mode: KeyMode,
    },
    /// A signing by mail and with a webhook, of a stored file if there is one.
    Create {
        order: SigningOrder,
        mode: KeyMode,
        file: Index,
    },
    DropFile {
        file: Index,
    },
    Methods {
        signer: Index,
    },
    Remind {
        signer: Index,
    },
    Remove {
        signer: Index,
    },
    Simulate {
        signing: Index,
        action: SimulatedOutcome,
    },
    StoreFile {
        mode: KeyMode,
    },
}

pub(super) fn call() -> impl Strategy<Value = Call> {
    let at = any::<Index>;
    let order = || prop_oneof![Just(SigningOrder::Parallel), Just(SigningOrder::Sequential)];
    let mode = || prop_oneof![Just(KeyMode::Live), Just(KeyMode::Test)];
    let role = prop_oneof![3 => Just(SignerRole::Signer), 1 => Just(SignerRole::Viewer)];
    let action = prop_oneof![
        Just(SimulatedOutcome::Complete),
        Just(SimulatedOutcome::Decline),
        Just(SimulatedOutcome::Expire),
    ];
    prop_oneof![
        4 => (at(), role, 0..4_u8)
            .prop_map(|(signing, role, name)| Call::Add { signing, role, name }),
        2 => at().prop_map(|signing| Call::Archive { signing }),
        1 => (order(), mode()).prop_map(|(order, mode)| Call::Batch { order, mode }),
        3 => (order(), mode(), at())
            .prop_map(|(order, mode, file)| Call::Create { order, mode, file }),
        1 => at().prop_map(|file| Call::DropFile { file }),
        2 => at().prop_map(|signer| Call::Methods { signer }),
        2 => at().prop_map(|signer| Call::Remind { signer }),
        4 => at().prop_map(|signer| Call::Remove { signer }),
        3 => (at(), action).prop_map(|(signing, action)| Call::Simulate { signing, action }),
        1 => mode().prop_map(|mode| Call::StoreFile { mode }),
    ]
}

impl Call {
    pub(super) async fn make(self, host: Host, known: Known) -> Result<Reply, SigningError> {
        let app = &host.app;
        match self {
            Self::Add {
                signing,
                role,
                name,
            } => {
                let (signing, caller) = known.signing(signing)?;
                let signer = newcomer(role, name);
                let added = app
                    .signing
                    .signings
                    .add_signer(&caller, signing, signer)
                    .await?;
                let signer = added.party.id.uuid();
                Ok(Reply::Added { signing, signer })
            }
            Self::Archive { signing } => {
                let (signing, caller) = known.signed(signing)?;
                app.signing
                    .archives
                    .archive_signing(&caller, signing)
                    .await?;
                Ok(Reply::Archived { signing })
            }
            Self::Batch { order, mode } => {
                let request = CreateBatch {
                    documents: vec![document("a.pdf"); IN_BATCH],
                    terms: told(order),
                };
                let raised = app
                    .signing
                    .signings
                    .create_batch(&of_mode(mode), request)
                    .await?;
                Ok(Reply::Raised {
                    batch: raised.row.id,
                })
            }
            Self::Create { order, mode, file } => {
                let request = CreateSigning {
                    source: Source::Document(NewDocument {
                        bytes: known.bytes(file, mode),
                        ..document("a.pdf")
                    }),
                    terms: told(order),
                };
                let created = app
                    .signing
                    .signings
                    .create_signing(&of_mode(mode), request)
                    .await?;
                Ok(Reply::Created {
                    signing: created.id(),
                })
            }
            Self::DropFile { file } => {
                let (file, mode) = known.file(file)?;
                app.signing.intake.delete_file(&of_mode(mode), file).await?;
                Ok(Reply::Dropped { file })
            }
            Self::Methods { signer } => {
                let (signer, signing, caller) = known.signer(signer)?;
                let methods: MethodSet = [SigningMethod::SmartId, SigningMethod::MobileId]
                    .into_iter()
                    .collect();
                app.ceremonies
                    .change_methods(&caller, signing, signer, methods)
                    .await?;
                Ok(Reply::Nothing)
            }
            Self::Remind { signer } => {
                let (signer, signing, caller) = known.signer(signer)?;
                app.ceremonies
                    .remind_signer(&caller, signing, signer)
                    .await?;
                Ok(Reply::Nothing)
            }
            Self::Remove { signer } => {
                let (signer, signing, caller) = known.signer(signer)?;
                app.ceremonies
                    .remove_signer(&caller, signing, signer)
                    .await?;
                Ok(Reply::Removed { signer })
            }
            Self::Simulate { signing, action } => {
                let (signing, caller) = known.sandboxed(signing)?;
                let form = Simulation {
                    action,
                    signer_email: None,
                    reason: Some("Ne.".to_owned()),
                };
                let ended = app
                    .signing
                    .signings
                    .simulate_outcome(&caller, signing, form)
                    .await?;
                let status = ended.row.ceremony.status;
                Ok(Reply::Ended { signing, status })
            }
            Self::StoreFile { mode } => {
                let file = stored_pdf();
                app.signing.intake.store_file(&of_mode(mode), file).await?;
                Ok(Reply::Nothing)
            }
        }
    }
}

impl Known {
    /// Returns the document to sign: one of the files, or one in the request.
    fn bytes(&self, file: Index, mode: KeyMode) -> DocumentBytes {
        let files: Vec<Uuid> = self
            .files
            .iter()
            .filter(|(_, of)| *of == mode)
            .map(|(file, _)| *file)
            .collect();
        match files.as_slice() {
            [] => DocumentBytes::Content(pdf()),
            files => DocumentBytes::FileToken((*file.get(files)).into()),
        }
    }
}

/// Returns terms with letters and a webhook, for a day.
fn told(order: SigningOrder) -> Terms {
    Terms {
        expires_in_days: 1,
        ..terms(order, Delivery::Email)
    }
}

/// Returns one of a few parties, who may be in the signing already.
fn newcomer(role: SignerRole, name: u8) -> NewSigner {
    let signer = party(&format!("vardas-{name}@example.com"));
    match role {
        SignerRole::Signer => signer,
        SignerRole::Viewer => NewSigner {
            party: Party::Viewer,
            ..signer
        },
    }
}
