//! Persons with Smart-ID accounts, and the outcomes of asking them. The provider's published
//! numbers of its demo environment, with their outcomes, and some more of the same shape.

use super::interactions::InteractionType;
use crate::{
    persona::{KeyType, Method, Outcome, Persona},
    pki::Validity,
};

/// One person of the demo world.
pub(super) struct Role {
    pub(super) id: &'static str,
    pub(super) given_name: &'static str,
    pub(super) surname: &'static str,
    pub(super) country: &'static str,
    pub(super) personal_code: &'static str,
    /// `None` for a person without Smart-ID.
    pub(super) account: Option<AccountRole>,
    outcome: Outcome,
}

/// The account of a person.
#[derive(Clone, Copy)]
pub(super) struct AccountRole {
    /// Suffix of the document number after the person's identifier.
    pub(super) suffix: &'static str,
    pub(super) level: AccountLevel,
    pub(super) behaviour: Behaviour,
    pub(super) key: KeyType,
    pub(super) validity: Validity,
    /// Interactions that its app supports.
    pub(super) interactions: &'static [InteractionType],
}

/// The level and the issuer of an account's certificate.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum AccountLevel {
    Advanced,
    Qualified,
    /// Qualified by its own statement, from an untrusted authority.
    Untrusted,
}

/// Reaction of a person.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Behaviour {
    Consents,
    Refuses,
    /// Consents to a choice of certificate, refuses at this interaction.
    RefusesAt(InteractionType),
    /// Chooses a wrong verification code when signing.
    PicksWrongCode,
    NeverAnswers,
}

impl Role {
    pub(super) fn semantics_identifier(&self) -> String {
        format!("PNO{}-{}", self.country, self.personal_code)
    }

    pub(super) fn document_number(&self) -> Option<String> {
        let account = self.account.as_ref()?;
        Some(format!(
            "{}-{}",
            self.semantics_identifier(),
            account.suffix
        ))
    }

    pub(super) fn persona(&self) -> Persona {
        Persona {
            id: self.id.into(),
            name: format!("{} {}", self.given_name, self.surname),
            country: self.country.into(),
            personal_code: self.personal_code.into(),
            phone_number: None,
            document_number: self.document_number(),
            methods: vec![Method::SmartId],
            key_type: self.account.map(|account| account.key),
            outcome: self.outcome,
        }
    }
}

const QUALIFIED: AccountRole = AccountRole {
    suffix: "MOCK-Q",
    level: AccountLevel::Qualified,
    behaviour: Behaviour::Consents,
    key: KeyType::Rsa2048,
    validity: Validity::Current,
    interactions: InteractionType::ALL,
};

const DEMO: AccountRole = AccountRole {
    suffix: "DEMO-Q",
    ..QUALIFIED
};

const NON_QUALIFIED: AccountRole = AccountRole {
    suffix: "MOCK-NQ",
    level: AccountLevel::Advanced,
    ..QUALIFIED
};

const fn behaves(behaviour: Behaviour) -> AccountRole {
    AccountRole {
        behaviour,
        ..QUALIFIED
    }
}

const fn lithuanian(
    id: &'static str,
    name: (&'static str, &'static str),
    personal_code: &'static str,
    account: AccountRole,
    outcome: Outcome,
) -> Role {
    Role {
        id,
        given_name: name.0,
        surname: name.1,
        country: "LT",
        personal_code,
        account: Some(account),
        outcome,
    }
}

/// All roles, first the one who simply signs.
#[rustfmt::skip]
pub(super) static ROLES: [Role; 22] = [
    lithuanian("smart-id-1", ("Ona", "Pavyzdienė"), "40504040001",
        AccountRole { key: KeyType::Rsa3072, ..QUALIFIED }, Outcome::Signs),
    lithuanian("smart-id-2", ("Jonas", "Žąsinas"), "50001029996", DEMO, Outcome::Signs),
    lithuanian("smart-id-3", ("Petras", "Šimkūnas"), "30303039914",
        AccountRole { key: KeyType::Rsa4096, ..QUALIFIED }, Outcome::Signs),
    lithuanian("smart-id-4", ("Mykolas", "Ąžuolas"), "39901012239",
        AccountRole { interactions: InteractionType::OLDEST, ..DEMO }, Outcome::Signs),
    lithuanian("smart-id-minor", ("Ugnė", "Mažylė"), "61101012257", QUALIFIED, Outcome::Signs),
    lithuanian("smart-id-link", ("Eglė", "Nuorodienė"), "40404040009", QUALIFIED, Outcome::Signs),
    lithuanian("smart-id-link-minor", ("Liepa", "Mažylė"), "61101019999", QUALIFIED, Outcome::Signs),
    lithuanian("smart-id-basic", ("Janina", "Paprastienė"), "40504049999", NON_QUALIFIED, Outcome::NotQualified),
    lithuanian("smart-id-basic-2", ("Stasė", "Paprastienė"), "49912318881", NON_QUALIFIED, Outcome::NotQualified),
    lithuanian("smart-id-basic-minor", ("Rasa", "Mažylė"), "61101019988", NON_QUALIFIED, Outcome::NotQualified),
    lithuanian("smart-id-refuses", ("Antanas", "Nenorėnas"), "30403039917",
        behaves(Behaviour::Refuses), Outcome::UserRefused),
    lithuanian("smart-id-refuses-pin", ("Bronius", "Nenorėnas"), "30403039928",
        behaves(Behaviour::RefusesAt(InteractionType::DisplayTextAndPin)), Outcome::UserRefused),
    lithuanian("smart-id-refuses-code", ("Česlovas", "Nenorėnas"), "30403039939",
        behaves(Behaviour::Refuses), Outcome::UserRefused),
    lithuanian("smart-id-refuses-message", ("Domas", "Nenorėnas"), "30403039946",
        behaves(Behaviour::RefusesAt(InteractionType::ConfirmationMessage)), Outcome::UserRefused),
    lithuanian("smart-id-refuses-choice", ("Edvardas", "Nenorėnas"), "30403039950",
        behaves(Behaviour::RefusesAt(InteractionType::ConfirmationMessageAndVerificationCodeChoice)),
        Outcome::UserRefused),
    lithuanian("smart-id-wrong-code", ("Feliksas", "Klystantis"), "30403039972",
        behaves(Behaviour::PicksWrongCode), Outcome::WrongCode),
    lithuanian("smart-id-timeout", ("Gediminas", "Miegantis"), "30403039983",
        behaves(Behaviour::NeverAnswers), Outcome::Timeout),
    lithuanian("smart-id-revoked", ("Birutė", "Atšauktienė"), "47902149900",
        AccountRole { validity: Validity::Revoked, ..QUALIFIED }, Outcome::Revoked),
    lithuanian("smart-id-expired", ("Vytautas", "Senasis"), "38211039908",
        AccountRole { validity: Validity::Expired, ..QUALIFIED }, Outcome::Expired),
    lithuanian("smart-id-untrusted", ("Indrė", "Svetimienė"), "49007079906",
        AccountRole { level: AccountLevel::Untrusted, ..QUALIFIED }, Outcome::Untrusted),
    Role {
        id: "smart-id-no-account", given_name: "Kazys", surname: "Bepaskyris", country: "LT",
        personal_code: "38808089917", account: None, outcome: Outcome::NoAccount,
    },
    Role {
        id: "smart-id-foreign", given_name: "Mari", surname: "Näidis", country: "EE",
        personal_code: "40504040001", account: Some(QUALIFIED), outcome: Outcome::Foreign,
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_and_document_numbers_are_unique() {
        let ids: BTreeSet<_> = ROLES.iter().map(|role| role.id).collect();
        assert_eq!(ids.len(), ROLES.len());
        let documents: BTreeSet<_> = ROLES.iter().map(Role::document_number).collect();
        assert_eq!(documents.len(), ROLES.len());
    }
}
