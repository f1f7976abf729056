//! Persons of the demo world who hold roles in entities of the set. They alone of the set can be
//! asked to sign.

/// A person of the demo world.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Persona {
    /// Id of the person in the demo world.
    pub id: &'static str,
    /// Given name.
    pub given_name: &'static str,
    /// Surname.
    pub surname: &'static str,
    /// ISO 3166-1 alpha-2 country of the code.
    pub country: &'static str,
    /// The personal code.
    pub personal_code: &'static str,
}

/// Manager, shareholder and beneficial owner of 999000009; signs with Smart-ID.
pub const FIRST: Persona = Persona {
    id: "smart-id-1",
    given_name: "Ona",
    surname: "Pavyzdienė",
    country: "LT",
    personal_code: "40504040001",
};

/// Board member of 999000009, and its procurator.
pub const SECOND: Persona = Persona {
    id: "smart-id-2",
    given_name: "Jonas",
    surname: "Žąsinas",
    country: "LT",
    personal_code: "50001029996",
};

/// Board member of 999000017; signs with Mobile-ID.
pub const MOBILE: Persona = Persona {
    id: "mobile-id-1",
    given_name: "Rūta",
    surname: "Telefonienė",
    country: "LT",
    personal_code: "50001018865",
};

/// Member of the supervisory board of 999000017; signs with a card.
pub const CARD: Persona = Persona {
    id: "card-p384",
    given_name: "Aušra",
    surname: "Kortelienė",
    country: "LT",
    personal_code: "48706189911",
};

/// Manager of 999000145, with an Estonian code.
pub const FOREIGN: Persona = Persona {
    id: "smart-id-foreign",
    given_name: "Mari",
    surname: "Näidis",
    country: "EE",
    personal_code: "40504040001",
};

/// All personas.
pub const ALL: [Persona; 5] = [FIRST, SECOND, MOBILE, CARD, FOREIGN];
