use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use der::Encode as _;
use parafa_issuing::Key;
use tokio::{sync::OnceCell, task};

use super::{
    cast::{AccountLevel, AccountRole, Behaviour, ROLES, Role},
    interactions::InteractionType,
    problem::Problem,
};
use crate::{
    clock::DemoClock,
    error::WorldError,
    folder::Folder,
    pki::{self, Credential, CredentialSpec, Person, Pki, Profile},
};

/// A Smart-ID account on a simulated phone.
pub(super) struct Account {
    role: &'static Role,
    account: &'static AccountRole,
    document_number: String,
    semantics_identifier: String,
    enrolment: Arc<Enrolment>,
    credential: OnceCell<Arc<AccountCredential>>,
    authentication: OnceCell<Arc<AccountCredential>>,
}

/// One of an account's two keys.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum AccountKeyUse {
    Signing,
    Authentication,
}

/// Key of an account, and its certificate's members in answers.
pub(super) struct AccountCredential {
    credential: Credential,
    /// Base64 of the certificate's DER.
    pub(super) certificate: String,
    /// `certificateLevel`.
    pub(super) level: &'static str,
}

/// All accounts of the service.
pub(super) struct Accounts(Vec<Arc<Account>>);

/// Creates accounts' keys and certificates.
struct Enrolment {
    folder: Folder,
    pki: Arc<Pki>,
    clock: Arc<dyn DemoClock>,
}

impl AccountCredential {
    pub(super) fn key(&self) -> &Key {
        self.credential.key()
    }
}

impl Account {
    fn new(role: &'static Role, enrolment: &Arc<Enrolment>) -> Option<Self> {
        let account = role.account.as_ref()?;
        let semantics_identifier = role.semantics_identifier();
        Some(Self {
            role,
            account,
            document_number: role.document_number()?,
            semantics_identifier,
            enrolment: enrolment.clone(),
            credential: OnceCell::new(),
            authentication: OnceCell::new(),
        })
    }

    pub(super) fn document_number(&self) -> &str {
        &self.document_number
    }

    pub(super) fn behaviour(&self) -> Behaviour {
        self.account.behaviour
    }

    /// The interactions that its app knows.
    pub(super) fn interactions(&self) -> &'static [InteractionType] {
        self.account.interactions
    }

    /// Returns true if the certificate counts as qualified at the service.
    pub(super) fn is_qualified(&self) -> bool {
        match self.account.level {
            AccountLevel::Qualified | AccountLevel::Untrusted => true,
            AccountLevel::Advanced => false,
        }
    }

    /// Key and certificate, created on first use, because RSA keys take time.
    pub(super) async fn credential(
        self: &Arc<Self>,
        key_use: AccountKeyUse,
    ) -> Result<Arc<AccountCredential>, WorldError> {
        let make = || async {
            let account = self.clone();
            match task::spawn_blocking(move || account.enrol(key_use)).await {
                Ok(credential) => credential.map(Arc::new),
                Err(panic) => std::panic::resume_unwind(panic.into_panic()),
            }
        };
        self.cell(key_use).get_or_try_init(make).await.cloned()
    }

    fn cell(&self, key_use: AccountKeyUse) -> &OnceCell<Arc<AccountCredential>> {
        match key_use {
            AccountKeyUse::Signing => &self.credential,
            AccountKeyUse::Authentication => &self.authentication,
        }
    }

    /// Opens credentials that an earlier start made, so that their status is
    /// known from the beginning.
    fn reopen(&self) -> Result<(), WorldError> {
        for key_use in [AccountKeyUse::Signing, AccountKeyUse::Authentication] {
            let name = self.file_name(key_use);
            if self.enrolment.folder.certificate_path(&name).exists() {
                let credential = Arc::new(self.enrol(key_use)?);
                OnceCell::set(self.cell(key_use), credential)
                    .map_err(drop)
                    .expect("nobody uses an account that is being opened");
            }
        }
        Ok(())
    }

    fn enrol(&self, key_use: AccountKeyUse) -> Result<AccountCredential, WorldError> {
        let person = Person {
            given_name: self.role.given_name,
            surname: self.role.surname,
            country: self.role.country,
            personal_code: self.role.personal_code,
        };
        let document_number = &self.document_number;
        let profile = match key_use {
            AccountKeyUse::Signing => Profile::SmartId {
                person,
                document_number,
                is_qualified: self.is_qualified(),
            },
            AccountKeyUse::Authentication => Profile::SmartIdAuthentication {
                person,
                document_number,
                is_qualified: self.is_qualified(),
            },
        };
        let issuer = match self.account.level {
            AccountLevel::Qualified => pki::EID_Q,
            AccountLevel::Untrusted => pki::ELSEWHERE_EID,
            AccountLevel::Advanced => pki::EID_NQ,
        };
        let spec = CredentialSpec {
            name: &self.file_name(key_use),
            issuer,
            key: self.account.key.spec(),
            profile,
            validity: self.account.validity,
        };
        let Enrolment { folder, pki, clock } = &*self.enrolment;
        let credential = pki.credential(folder, &spec, clock.now())?;
        Ok(AccountCredential {
            certificate: STANDARD.encode(credential.certificate().to_der()?),
            level: if self.is_qualified() {
                "QUALIFIED"
            } else {
                "ADVANCED"
            },
            credential,
        })
    }

    fn file_name(&self, key_use: AccountKeyUse) -> String {
        match key_use {
            AccountKeyUse::Signing => format!("smart-id/{}", self.role.id),
            AccountKeyUse::Authentication => format!("smart-id/{}-authentication", self.role.id),
        }
    }
}

impl Accounts {
    pub(super) fn open(
        folder: Folder,
        pki: Arc<Pki>,
        clock: Arc<dyn DemoClock>,
    ) -> Result<Self, WorldError> {
        let enrolment = Arc::new(Enrolment { folder, pki, clock });
        let accounts: Vec<_> = ROLES
            .iter()
            .filter_map(|role| Account::new(role, &enrolment))
            .collect();
        for account in &accounts {
            account.reopen()?;
        }
        Ok(Self(accounts.into_iter().map(Arc::new).collect()))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Account>> {
        self.0.iter()
    }

    /// The account with a document number, whatever its level.
    pub(super) fn document(&self, number: &str) -> Option<Arc<Account>> {
        self.iter()
            .find(|account| account.document_number == number)
            .cloned()
    }

    /// The qualified account of a document number.
    pub(super) fn qualified_document(&self, number: &str) -> Result<Arc<Account>, Problem> {
        self.document(number)
            .filter(|account| account.is_qualified())
            .ok_or_else(|| Problem::not_found("no such document, or it is not active"))
    }

    /// The qualified account of a person.
    pub(super) fn qualified_person(&self, identifier: &str) -> Result<Arc<Account>, Problem> {
        let mut accounts = self
            .iter()
            .filter(|account| account.semantics_identifier == identifier)
            .peekable();
        if accounts.peek().is_none() {
            return Err(Problem::not_found("no account found"));
        }
        accounts
            .find(|account| account.is_qualified())
            .cloned()
            .ok_or_else(Problem::no_suitable_account)
    }
}
