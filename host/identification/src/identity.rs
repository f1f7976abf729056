//! Comparison of a signer with the persons in the register.

use parafa_register_data::{HolderIdentity, PersonalCode, RoleHolder};
use parafa_trust::Certificate;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

/// The signer according to the certificate. `Debug` shows no name.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) given_name: String,
    pub(crate) surname: String,
    pub(crate) personal_code: PersonalCode,
}

/// Certainty that the signer is the register's person.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchLevel {
    /// The register has the same personal code.
    PersonalCode,
    /// The register has no code, but the same names and date of birth.
    #[serde(rename = "name_birthdate")]
    NameBirthDate,
}

impl Subject {
    /// Returns the person of a certificate with a Lithuanian personal code
    /// (`PNOLT`, ETSI EN 319 412-1 clause 5.1.3); `None` for any other.
    pub(crate) fn of(certificate: &Certificate) -> Option<Self> {
        let identifier = certificate.national_identifier()?;
        let code = identifier.lithuanian_personal_code()?;
        let name = certificate.subject();
        Some(Self {
            given_name: name.given_name().unwrap_or_default().to_owned(),
            surname: name.surname().unwrap_or_default().to_owned(),
            personal_code: code.parse().ok()?,
        })
    }
}

/// The person among the holders of a role.
pub(crate) struct Matched {
    pub(crate) level: MatchLevel,
    /// The register's records of this person: one, unless it has several.
    pub(crate) records: Vec<RoleHolder>,
}

/// Finds the person among these. A holder with a code in the register matches
/// by that code only, never by name.
pub(crate) fn matched(subject: &Subject, holders: &[RoleHolder]) -> Option<Matched> {
    let has_code = |holder: &RoleHolder| match &holder.identity {
        HolderIdentity::PersonalCode { code } => *code == subject.personal_code,
        HolderIdentity::Foreign { .. } | HolderIdentity::BirthDate { .. } => false,
    };
    let by_code = those(holders, has_code, MatchLevel::PersonalCode);
    if by_code.is_some() {
        return by_code;
    }
    let born = subject.personal_code.birth_date()?;
    let is_namesake = |holder: &RoleHolder| match &holder.identity {
        HolderIdentity::BirthDate { birth_date } => {
            *birth_date == born
                && folded(&holder.given_name) == folded(&subject.given_name)
                && folded(&holder.surname) == folded(&subject.surname)
        }
        HolderIdentity::PersonalCode { .. } | HolderIdentity::Foreign { .. } => false,
    };
    those(holders, is_namesake, MatchLevel::NameBirthDate)
}

fn those(
    holders: &[RoleHolder],
    is_one: impl Fn(&RoleHolder) -> bool,
    level: MatchLevel,
) -> Option<Matched> {
    let records = holders.iter().filter(|holder| is_one(holder));
    let records: Vec<_> = records.cloned().collect();
    (!records.is_empty()).then_some(Matched { level, records })
}

/// Returns a name in the form for comparison: composed, and independent of case
/// and of the space between its parts.
fn folded(name: &str) -> String {
    let parts: Vec<&str> = name.split_whitespace().collect();
    parts.join(" ").to_lowercase().nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "50001029996";
    const OTHER: &str = "39901012239";

    fn subject() -> Subject {
        Subject {
            given_name: "ŽYGIMANTAS  JONAS".to_owned(),
            surname: "NORMALUS".to_owned(),
            personal_code: CODE.parse().unwrap(),
        }
    }

    fn holder(given_name: &str, identity: HolderIdentity) -> RoleHolder {
        RoleHolder {
            given_name: given_name.to_owned(),
            surname: "Normalus".to_owned(),
            identity,
            since: None,
        }
    }

    fn level(holders: &[RoleHolder]) -> Option<MatchLevel> {
        matched(&subject(), holders).map(|matched| matched.level)
    }

    fn coded(code: &str) -> HolderIdentity {
        HolderIdentity::PersonalCode {
            code: code.parse().unwrap(),
        }
    }

    fn born(date: &str) -> HolderIdentity {
        HolderIdentity::BirthDate {
            birth_date: date.parse().unwrap(),
        }
    }

    #[test]
    fn the_same_code_is_the_same_person_whatever_the_name() {
        let holders = [holder("Kitas", coded(OTHER)), holder("Kita", coded(CODE))];

        assert_eq!(level(&holders), Some(MatchLevel::PersonalCode));
    }

    #[test]
    fn the_records_of_others_are_not_handed_on() {
        let own = holder("Kita", coded(CODE));
        let holders = [holder("Kitas", coded(OTHER)), own.clone()];

        let matched = matched(&subject(), &holders).unwrap();

        assert!(matched.records == [own]);
    }

    #[test]
    fn a_namesake_with_another_code_is_somebody_else() {
        let holders = [holder("Žygimantas Jonas", coded(OTHER))];

        assert_eq!(level(&holders), None);
    }

    #[test]
    fn without_a_code_all_names_and_the_date_of_birth_decide() {
        // The first letter is composed of two characters.
        let name = "Z\u{30c}ygimantas Jonas";
        let same = [holder(name, born("2000-01-02"))];
        assert_eq!(level(&same), Some(MatchLevel::NameBirthDate));

        let younger = [holder(name, born("2000-01-03"))];
        assert_eq!(level(&younger), None);
        let one_name = [holder("Žygimantas", born("2000-01-02"))];
        assert_eq!(level(&one_name), None);
    }

    #[test]
    fn a_foreign_identifier_is_compared_with_nothing() {
        let foreign = HolderIdentity::Foreign {
            country: "EE".to_owned(),
            identifier: CODE.to_owned(),
        };

        assert_eq!(level(&[holder("Žygimantas Jonas", foreign)]), None);
    }
}
