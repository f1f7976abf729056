use std::collections::HashSet;
use std::fmt;

use email_address::EmailAddress;

use super::limits::{LONGEST_NAME, METHODS, PERSONAL_CODE_DIGITS};
use crate::decode::Node;
use crate::vocabulary::{Language, PartyRole, SigningMethod};

/// One party of a signing to be created.
#[derive(Clone, Debug)]
pub struct NewSigner {
    /// Distinct among the parties, whatever the case.
    pub email: EmailAddress,
    /// As the caller writes it.
    pub name: Option<String>,
    /// Of mails and the ceremony page.
    pub language: Language,
    /// What this party is there for.
    pub party: Party,
}

/// What a party does, and what is known only of those who do it.
#[derive(Clone, Debug)]
pub enum Party {
    /// Signs.
    Signer {
        /// Who it must be.
        personal_code: Option<PersonalCode>,
        /// At least one, each once.
        methods: Vec<SigningMethod>,
    },
    /// Is recorded only.
    Viewer,
}

/// A Lithuanian personal code, 11 digits whose check digit was not tested; not
/// shown by `Debug`.
#[derive(Clone, Eq, PartialEq)]
pub struct PersonalCode(String);

impl PersonalCode {
    /// The digits.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PersonalCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PersonalCode(..)")
    }
}

/// What the parties decoded so far have shown.
#[derive(Default)]
pub(crate) struct Parties {
    emails: HashSet<String>,
    /// A party whose role is malformed may have been meant to sign.
    signers: usize,
}

impl Parties {
    pub(crate) fn somebody_signs(&self) -> bool {
        self.signers > 0
    }
}

impl NewSigner {
    /// The pointer of the email where a signer is the whole body, for the fault
    /// of one that a party has already.
    pub const EMAIL_POINTER: &str = "/email";

    /// Of a body that is nothing but a signer.
    pub(crate) fn decode_alone(node: &Node<'_>) -> Option<Self> {
        Self::decode(node, &mut Parties::default())
    }

    pub(crate) fn decode(node: &Node<'_>, parties: &mut Parties) -> Option<Self> {
        let mut role = None;
        let decoded = node.object(|object| {
            let email = object
                .required("email")
                .and_then(|node| email(&node, parties));
            role = object
                .optional("role")
                .map_or(Some(PartyRole::Signer), |node| node.one_of());
            let name = object.optional("name").map(|node| node.text(LONGEST_NAME));
            let language = object
                .optional("language")
                .map_or(Some(Language::Lt), |node| node.one_of());
            let personal_code = object.optional("personalCode");
            let methods = object.optional("methods");
            let party = match role {
                Some(PartyRole::Viewer) => viewer(personal_code, methods),
                Some(PartyRole::Signer) | None => signer(personal_code.as_ref(), methods.as_ref()),
            };
            role?;
            Some(Self {
                email: email?,
                name: name.flatten().map(str::to_owned),
                language: language?,
                party: party?,
            })
        });
        if role != Some(PartyRole::Viewer) {
            parties.signers += 1;
        }
        decoded
    }
}

fn email(node: &Node<'_>, parties: &mut Parties) -> Option<EmailAddress> {
    let email = node.email()?;
    if !parties.emails.insert(email.as_str().to_lowercase()) {
        node.fault("must not be that of another party");
        return None;
    }
    Some(email)
}

fn viewer(personal_code: Option<Node<'_>>, methods: Option<Node<'_>>) -> Option<Party> {
    let mut misplaced = [personal_code, methods].into_iter().flatten().peekable();
    if misplaced.peek().is_none() {
        return Some(Party::Viewer);
    }
    misplaced.for_each(|node| node.fault("must not be given for a viewer"));
    None
}

fn signer(personal_code: Option<&Node<'_>>, methods: Option<&Node<'_>>) -> Option<Party> {
    let personal_code = personal_code.map(|node| node.digits(PERSONAL_CODE_DIGITS));
    let methods = methods.map_or_else(|| Some(SigningMethod::EVERY.to_vec()), methods_once_each);
    Some(Party::Signer {
        personal_code: personal_code
            .flatten()
            .map(|digits| PersonalCode(digits.to_owned())),
        methods: methods?,
    })
}

pub(super) fn methods_once_each(node: &Node<'_>) -> Option<Vec<SigningMethod>> {
    let mut methods = Vec::new();
    for item in node.items(METHODS)? {
        let Some(method) = item.one_of() else {
            continue;
        };
        if methods.contains(&method) {
            item.fault("must not appear twice");
        } else {
            methods.push(method);
        }
    }
    Some(methods)
}
