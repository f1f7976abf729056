//! Persons of the set.

use jiff::civil::Date;

use super::personas::Persona;
use crate::{
    HolderIdentity, PersonalCode, RoleHolder,
    check_digit::check_digit,
    data::{BirthMonth, Party, PartyType, Withheld},
};

/// A person with a name and a code.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Person {
    given_name: &'static str,
    surname: &'static str,
    pub(super) country: &'static str,
    code: String,
}

const MEN: [&str; 20] = [
    "Adomas",
    "Aurimas",
    "Benas",
    "Deividas",
    "Domantas",
    "Edvinas",
    "Giedrius",
    "Ignas",
    "Justas",
    "Karolis",
    "Lukas",
    "Martynas",
    "Nojus",
    "Paulius",
    "Rokas",
    "Simonas",
    "Tadas",
    "Ugnius",
    "Vilius",
    "Žygimantas",
];
const WOMEN: [&str; 20] = [
    "Agnė", "Austėja", "Beata", "Dalia", "Dovilė", "Emilija", "Gabija", "Ieva", "Jolanta",
    "Kamilė", "Laura", "Milda", "Neringa", "Otilija", "Raminta", "Saulė", "Toma", "Urtė", "Viltė",
    "Živilė",
];
const SURNAMES_OF_MEN: [&str; 13] = [
    "Pramanytis",
    "Išgalvotas",
    "Bandomasis",
    "Netikrauskas",
    "Tariamaitis",
    "Spėjamas",
    "Menamas",
    "Įsivaizdauskas",
    "Regimantas",
    "Modeliauskas",
    "Maketas",
    "Etalonas",
    "Pavyzdys",
];
const SURNAMES_OF_WOMEN: [&str; 13] = [
    "Pramanytė",
    "Išgalvotaitė",
    "Bandomoji",
    "Netikrauskienė",
    "Tariamaitė",
    "Spėjamienė",
    "Menamaitė",
    "Įsivaizdauskaitė",
    "Regimantaitė",
    "Modeliauskienė",
    "Maketaitė",
    "Etalonienė",
    "Pavyzdytė",
];

impl Person {
    /// Somebody who can be asked to sign in the demo world.
    pub(super) fn persona(persona: Persona) -> Self {
        Self {
            given_name: persona.given_name,
            surname: persona.surname,
            country: persona.country,
            code: persona.personal_code.to_owned(),
        }
    }

    /// The nth of those who exist nowhere else. No two numbers below 1260 have
    /// the same code.
    pub(super) fn nobody(number: u16) -> Self {
        let n = usize::from(number);
        let is_man = n.is_multiple_of(2);
        let (given, surnames) = match is_man {
            true => (&MEN, &SURNAMES_OF_MEN),
            false => (&WOMEN, &SURNAMES_OF_WOMEN),
        };
        let sex = if is_man { 3 } else { 4 };
        let (year, month, day) = (50 + n % 45, 1 + n % 12, 1 + n % 28);
        let first = format!("{sex}{year:02}{month:02}{day:02}{:03}", 800 + n % 100);
        let digits: Vec<u8> = first.bytes().map(|byte| byte - b'0').collect();
        Self {
            given_name: given[n / 2 % given.len()],
            surname: surnames[n / 2 % surnames.len()],
            country: "LT",
            code: format!("{first}{}", check_digit(&digits)),
        }
    }

    pub(super) fn name(&self) -> String {
        format!("{} {}", self.given_name, self.surname)
    }

    /// The codes of the set are of one shape in both states that it has.
    fn birth_date(&self) -> Option<Date> {
        let code: Result<PersonalCode, _> = self.code.parse();
        code.ok().and_then(|code| code.birth_date())
    }

    pub(super) fn birth_month(&self) -> Option<BirthMonth> {
        self.birth_date().map(BirthMonth::from)
    }

    pub(super) fn holder(&self, since: Option<Date>) -> Option<RoleHolder> {
        let identity = match self.country {
            "LT" => HolderIdentity::PersonalCode {
                code: self.code.parse().ok()?,
            },
            country => HolderIdentity::Foreign {
                country: country.to_owned(),
                identifier: self.code.clone(),
            },
        };
        Some(RoleHolder {
            given_name: self.given_name.to_owned(),
            surname: self.surname.to_owned(),
            identity,
            since,
        })
    }

    pub(super) fn party(&self) -> Party {
        Party {
            name: self.name(),
            party_type: PartyType::Natural,
            code: None,
            personal_code: Withheld,
            birth_date: self.birth_month(),
            country: Some(self.country.to_owned()),
        }
    }
}

/// An entity as entries of others name it.
pub(super) fn entity_party(name: &str, code: Option<&str>, country: &str) -> Party {
    Party {
        name: name.to_owned(),
        party_type: PartyType::Legal,
        code: code.map(str::to_owned),
        personal_code: Withheld,
        birth_date: None,
        country: Some(country.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn everybody_has_a_valid_code_of_their_own() {
        let people = (0..1260).map(Person::nobody);
        let codes: BTreeSet<String> = people
            .map(|person| {
                let code: PersonalCode = person.code.parse().unwrap();
                code.as_str().to_owned()
            })
            .collect();
        assert_eq!(codes.len(), 1260);
        for persona in super::super::personas::ALL {
            assert!(!codes.contains(persona.personal_code), "{}", persona.id);
            assert!(persona.personal_code.parse::<PersonalCode>().is_ok());
        }
    }
}
