use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use email_address::EmailAddress;
use parafa_api_http::decode::{Node, mailbox};
use serde_json::{Value, json};

use super::limits::{LONGEST_NAME, METHODS, PERSONAL_CODE_DIGITS};
use super::rules::Rules;
use crate::vocabulary::{Language, PartyRole, SigningMethod};

const NONE_SET_UP: &str = "cannot be used, because no method is set up here";

/// One party of a signing to be created.
#[derive(Clone, Debug)]
pub struct NewSigner {
    /// A mailbox of no other party, in any spelling.
    pub email: EmailAddress,
    /// Name, as the caller writes it.
    pub name: Option<String>,
    /// The language of mails and of the ceremony page.
    pub language: Language,
    /// Role of this party.
    pub party: Party,
}

/// Role of a party, with the data that only this role has.
#[derive(Clone, Debug)]
pub enum Party {
    /// Signs.
    Signer {
        /// Personal code that the signer must have.
        personal_code: Option<PersonalCode>,
        /// Methods: at least one, each once.
        methods: Vec<SigningMethod>,
    },
    /// A party that is only recorded.
    Viewer,
}

/// A Lithuanian personal code: 11 digits. Its check digit was not tested; `Debug` does not show it.
#[derive(Clone, Eq, PartialEq)]
pub struct PersonalCode(String);

impl PersonalCode {
    /// Parses 11 digits.
    #[must_use]
    pub fn of(digits: &str) -> Option<Self> {
        let is_one = digits.len() == PERSONAL_CODE_DIGITS
            && digits.bytes().all(|digit| digit.is_ascii_digit());
        is_one.then(|| Self(digits.to_owned()))
    }

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

/// Facts on the parties decoded so far.
#[derive(Default)]
pub(super) struct Parties {
    /// Pointer to the first occurrence of each mailbox in the request.
    emails: HashMap<String, String>,
    viewers: usize,
    /// Number of signers; a party with a malformed role may have been one.
    signers: usize,
}

impl Parties {
    pub(super) fn are_all_viewers(&self) -> bool {
        self.viewers > 0 && self.signers == 0
    }
}

impl NewSigner {
    /// Pointer of the email if a signer is the whole body, for the fault of an address that another
    /// party has.
    pub const EMAIL_POINTER: &str = "/email";

    /// Reads a body that is a single signer.
    pub(crate) fn read(node: &Node<'_>, rules: &Rules<'_>) -> Option<Self> {
        Self::of_party(node, &mut Parties::default(), &rules.methods)
    }

    /// `set_up` are the methods that are set up here.
    pub(super) fn of_party(
        node: &Node<'_>,
        parties: &mut Parties,
        set_up: &[SigningMethod],
    ) -> Option<Self> {
        let mut role = None;
        let decoded = node.object("SignerRequest", |object| {
            let email = object.required("email", |node| email(&node, parties));
            role = object.or("role", PartyRole::Signer, |node| {
                node.described("A viewer is recorded only.").one_of()
            });
            let name = object.optional("name", |node| node.text(LONGEST_NAME));
            let language = object.or("language", Language::Lt, |node| {
                node.described("The language of this party's mail and ceremony page.")
                    .one_of()
            });
            let is_viewer = role == Some(PartyRole::Viewer);
            let personal_code = object.optional("personalCode", |node| {
                let node = of_signers(node, is_viewer)?;
                node.described("Only the person with this Lithuanian personal code can sign.")
                    .digits(PERSONAL_CODE_DIGITS)
            });
            let mut left_out = true;
            let methods = object.optional("methods", |node| {
                left_out = false;
                let node = of_signers(node, is_viewer)?;
                let node = node.described(
                    "Default: all methods that are available here. At least one of them is required.",
                );
                methods(&node, set_up)
            });
            if left_out && set_up.is_empty() && role == Some(PartyRole::Signer) {
                object.missing("methods", NONE_SET_UP);
            }
            let methods = if left_out {
                Some(set_up.to_vec())
            } else {
                methods
            };
            object.keyword("if", of_viewers());
            object.keyword(
                "then",
                json!({"properties": {"personalCode": false, "methods": false}}),
            );
            let party = match role? {
                PartyRole::Viewer => Party::Viewer,
                PartyRole::Signer => Party::Signer {
                    personal_code: personal_code.map(|digits| PersonalCode(digits.to_owned())),
                    methods: methods?,
                },
            };
            Some(Self {
                email: email?,
                name: name.map(str::to_owned),
                language: language?,
                party,
            })
        });
        match role {
            Some(PartyRole::Viewer) => parties.viewers += 1,
            Some(PartyRole::Signer) | None => parties.signers += 1,
        }
        decoded
    }
}

fn email(node: &Node<'_>, parties: &mut Parties) -> Option<EmailAddress> {
    let email = node.email()?;
    match parties.emails.entry(mailbox(email.as_str())) {
        Entry::Vacant(first) => first.insert(node.pointer().to_owned()),
        Entry::Occupied(first) => {
            node.fault(format!(
                "must not be that of another party: {} is",
                first.get()
            ));
            return None;
        }
    };
    Some(email)
}

/// Condition that selects a viewer, in JSON Schema.
pub(super) fn of_viewers() -> Value {
    let viewer = json!({"type": "string", "const": PartyRole::Viewer});
    json!({"properties": {"role": viewer}, "required": ["role"]})
}

/// The node, if the party signs; a fault for a viewer.
fn of_signers(node: Node<'_>, is_viewer: bool) -> Option<Node<'_>> {
    if is_viewer {
        node.fault("must not be given for a viewer");
        return None;
    }
    Some(node)
}

/// Methods, at least one of them available here.
pub(super) fn methods(node: &Node<'_>, set_up: &[SigningMethod]) -> Option<Vec<SigningMethod>> {
    let names: Vec<_> = set_up.iter().map(|method| method.as_str()).collect();
    // An enumeration would need a name of its own in clients.
    let one_of_these = json!({"type": "string", "pattern": format!("^({})$", names.join("|"))});
    let node = node.clone().with("contains", one_of_these);
    let methods = node.distinct_items(METHODS, Node::one_of)?;
    if methods.iter().any(|method| set_up.contains(method)) {
        return Some(methods);
    }
    if set_up.is_empty() {
        node.fault(NONE_SET_UP);
    } else {
        let names = names.join(", ");
        node.fault(format!(
            "must have one of the methods that are set up here: {names}"
        ));
    }
    None
}
