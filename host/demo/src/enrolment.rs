//! Creates persons' keys and certificates on first use, because RSA keys take time.

use std::sync::Arc;

use parafa_issuing::KeyKind;
use tokio::{sync::OnceCell, task};

use crate::{
    clock::DemoClock,
    error::WorldError,
    folder::Folder,
    pki::{Credential, CredentialSpec, Pki, Profile, Validity},
};

/// Key and certificate that a person is to have.
#[derive(Clone)]
pub(crate) struct Entitlement {
    /// Name of the files in the world's folder.
    pub(crate) name: String,
    /// Id of the issuing authority.
    pub(crate) issuer: &'static str,
    pub(crate) key: KeyKind,
    pub(crate) profile: Profile<'static>,
    pub(crate) validity: Validity,
}

/// Credentials of all persons at one service; clones share them.
#[derive(Clone)]
pub(crate) struct Enrolment(Arc<Inner>);

struct Inner {
    folder: Folder,
    pki: Arc<Pki>,
    clock: Arc<dyn DemoClock>,
    people: Vec<(Entitlement, OnceCell<Arc<Credential>>)>,
}

impl Enrolment {
    /// Opens certificates made by an earlier start, so that their status is known from the
    /// beginning.
    pub(crate) fn open(
        folder: Folder,
        pki: Arc<Pki>,
        clock: Arc<dyn DemoClock>,
        entitlements: impl Iterator<Item = Entitlement>,
    ) -> Result<Self, WorldError> {
        let mut inner = Inner {
            folder,
            pki,
            clock,
            people: Vec::new(),
        };
        for entitlement in entitlements {
            let is_made = inner.folder.certificate_path(&entitlement.name).exists();
            let made = is_made.then(|| inner.enrol(&entitlement)).transpose()?;
            let cell = OnceCell::new_with(made.map(Arc::new));
            inner.people.push((entitlement, cell));
        }
        Ok(Self(Arc::new(inner)))
    }

    /// The credential of this name.
    pub(crate) async fn credential(&self, name: &str) -> Result<Arc<Credential>, WorldError> {
        let mut people = self.0.people.iter();
        let (entitlement, cell) = people
            .find(|(entitlement, _)| entitlement.name == name)
            .expect("a service asks for those whom it opened with");
        let make = || async {
            let (inner, entitlement) = (self.0.clone(), entitlement.clone());
            match task::spawn_blocking(move || inner.enrol(&entitlement)).await {
                Ok(credential) => credential.map(Arc::new),
                Err(panic) => std::panic::resume_unwind(panic.into_panic()),
            }
        };
        cell.get_or_try_init(make).await.cloned()
    }
}

impl Inner {
    fn enrol(&self, entitlement: &Entitlement) -> Result<Credential, WorldError> {
        let spec = CredentialSpec {
            name: &entitlement.name,
            issuer: entitlement.issuer,
            key: entitlement.key,
            profile: entitlement.profile,
            validity: entitlement.validity,
        };
        self.pki.credential(&self.folder, &spec, self.clock.now())
    }
}
