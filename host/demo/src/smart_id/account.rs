use std::{num::NonZero, sync::Arc, thread};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use der::Encode as _;
use jiff::Timestamp;

use super::{
    cast::{AccountLevel, AccountRole, Behaviour, ROLES, Role},
    problem::Problem,
};
use crate::{
    crypto::{KeySpec, SigningKey},
    error::WorldError,
    folder::Folder,
    persona::KeyType,
    pki::{self, Credential, CredentialSpec, Person, Pki, Profile},
};

/// A Smart-ID account on a simulated phone.
pub(super) struct Account {
    document_number: String,
    semantics_identifier: String,
    level: AccountLevel,
    behaviour: Behaviour,
    credential: Credential,
    certificate: String,
}

/// All accounts of the service.
pub(super) struct Accounts(Vec<Arc<Account>>);

impl Account {
    pub(super) fn document_number(&self) -> &str {
        &self.document_number
    }

    pub(super) fn behaviour(&self) -> Behaviour {
        self.behaviour
    }

    /// Whether the certificate counts as qualified at the service.
    pub(super) fn is_qualified(&self) -> bool {
        match self.level {
            AccountLevel::Qualified | AccountLevel::Untrusted => true,
            AccountLevel::Advanced => false,
        }
    }

    /// `certificateLevel` of answers.
    pub(super) fn level_name(&self) -> &'static str {
        if self.is_qualified() {
            "QUALIFIED"
        } else {
            "ADVANCED"
        }
    }

    pub(super) fn key(&self) -> &SigningKey {
        self.credential.key()
    }

    /// The signing certificate, base64 of its DER.
    pub(super) fn certificate(&self) -> &str {
        &self.certificate
    }

    fn open(
        folder: &Folder,
        pki: &Pki,
        role: &Role,
        account: &AccountRole,
        now: Timestamp,
    ) -> Result<Self, WorldError> {
        let semantics_identifier = role.semantics_identifier();
        let document_number = format!("{semantics_identifier}-{}", account.suffix);
        let person = Person {
            given_name: &role.given_name.to_uppercase(),
            surname: &role.surname.to_uppercase(),
            country: role.country,
            personal_code: role.personal_code,
            document_number: &document_number,
        };
        let (issuer, profile) = match account.level {
            AccountLevel::Qualified => (pki::EID_Q, Profile::SmartIdQualified(person)),
            AccountLevel::Untrusted => (pki::ELSEWHERE_EID, Profile::SmartIdQualified(person)),
            AccountLevel::Advanced => (pki::EID_NQ, Profile::SmartIdNonQualified(person)),
        };
        let spec = CredentialSpec {
            name: &format!("smart-id/{}", role.id),
            issuer,
            key: key_spec(account.key),
            profile,
            validity: account.validity,
        };
        let credential = pki.credential(folder, &spec, now)?;
        Ok(Self {
            certificate: STANDARD.encode(credential.certificate().to_der()?),
            document_number,
            semantics_identifier,
            level: account.level,
            behaviour: account.behaviour,
            credential,
        })
    }
}

impl Accounts {
    /// Opens all accounts on all processors: the first start makes RSA keys.
    pub(super) fn open(folder: &Folder, pki: &Pki, now: Timestamp) -> Result<Self, WorldError> {
        let with_account: Vec<_> = ROLES
            .iter()
            .filter_map(|role| Some((role, role.account.as_ref()?)))
            .collect();
        let workers = thread::available_parallelism().map_or(1, NonZero::get);
        let share = with_account.len().div_ceil(workers);
        let opened = thread::scope(|scope| {
            let workers: Vec<_> = with_account
                .chunks(share)
                .map(|roles| {
                    scope.spawn(move || {
                        roles
                            .iter()
                            .map(|(role, account)| Account::open(folder, pki, role, account, now))
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            workers
                .into_iter()
                .flat_map(|worker| match worker.join() {
                    Ok(accounts) => accounts,
                    Err(panic) => std::panic::resume_unwind(panic),
                })
                .collect::<Result<Vec<_>, _>>()
        })?;
        Ok(Self(opened.into_iter().map(Arc::new).collect()))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Account>> {
        self.0.iter()
    }

    /// The account of a document number, of whatever level.
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

fn key_spec(key: KeyType) -> KeySpec {
    match key {
        KeyType::Rsa2048 => KeySpec::Rsa(2048),
        KeyType::Rsa3072 => KeySpec::Rsa(3072),
        KeyType::Rsa4096 => KeySpec::Rsa(4096),
    }
}
