//! Persons with cards, and the outcomes of signing with them.

use super::CardKeyUse;
use crate::{
    enrolment::Entitlement,
    persona::{KeyType, Method, Outcome, Persona},
    pki::{self, Person, Profile, Validity},
};

/// One person of the demo world.
pub(super) struct Role {
    pub(super) id: &'static str,
    name: (&'static str, &'static str),
    country: &'static str,
    personal_code: &'static str,
    key: KeyType,
    issuer: &'static str,
    validity: Validity,
    outcome: Outcome,
}

impl Role {
    pub(super) fn persona(&self) -> Persona {
        Persona {
            id: self.id.into(),
            name: format!("{} {}", self.name.0, self.name.1),
            country: self.country.into(),
            personal_code: self.personal_code.into(),
            phone_number: None,
            document_number: None,
            methods: vec![Method::Nfc],
            key_type: Some(self.key),
            outcome: self.outcome,
        }
    }

    pub(super) fn entitlement(&self, key_use: CardKeyUse) -> Entitlement {
        let person = Person {
            given_name: self.name.0,
            surname: self.name.1,
            country: self.country,
            personal_code: self.personal_code,
        };
        let profile = match key_use {
            CardKeyUse::Authentication => Profile::CardAuthentication(person),
            CardKeyUse::Signing => Profile::CardSigning {
                person,
                is_qualified: self.outcome != Outcome::NotQualified,
            },
        };
        Entitlement {
            name: self.file_name(key_use),
            issuer: self.issuer,
            key: self.key.spec(),
            profile,
            validity: self.validity,
        }
    }

    pub(super) fn file_name(&self, key_use: CardKeyUse) -> String {
        let key_use = match key_use {
            CardKeyUse::Signing => "signing",
            CardKeyUse::Authentication => "authentication",
        };
        format!("card/{}-{key_use}", self.id)
    }
}

const fn lithuanian(
    id: &'static str,
    name: (&'static str, &'static str),
    personal_code: &'static str,
    key: KeyType,
    outcome: Outcome,
) -> Role {
    Role {
        id,
        name,
        country: "LT",
        personal_code,
        key,
        issuer: pki::CARD_CA,
        validity: Validity::Current,
        outcome,
    }
}

/// All roles, first the one with a card of the current issue.
#[rustfmt::skip]
pub(super) static ROLES: [Role; 9] = [
    lithuanian("card-p384", ("Aušra", "Kortelienė"), "48706189911", KeyType::P384, Outcome::Signs),
    lithuanian("card-p256", ("Linas", "Kortelis"), "38504239920", KeyType::P256, Outcome::Signs),
    lithuanian("card-rsa", ("Marius", "Žemaitis"), "38011229942", KeyType::Rsa2048, Outcome::Signs),
    lithuanian("card-p521", ("Tomas", "Raštinis"), "39104129952", KeyType::P521, Outcome::Signs),
    lithuanian("card-not-qualified", ("Nida", "Paprastienė"), "48903079955", KeyType::P384, Outcome::NotQualified),
    Role { validity: Validity::Revoked, ..lithuanian("card-revoked", ("Ovidijus", "Atšauktas"),
        "37707309968", KeyType::P384, Outcome::Revoked) },
    Role { validity: Validity::Expired, ..lithuanian("card-expired", ("Povilas", "Senasis"),
        "38302029984", KeyType::P384, Outcome::Expired) },
    Role { country: "EE", ..lithuanian("card-foreign", ("Raivo", "Näidis"),
        "49501019970", KeyType::P384, Outcome::Foreign) },
    Role { issuer: pki::ELSEWHERE_EID, ..lithuanian("card-untrusted", ("Sigita", "Svetimienė"),
        "48609099902", KeyType::P384, Outcome::Untrusted) },
];
