//! Acts of seizure of the set.

use jiff::{Span, Timestamp, civil::date, tz::TimeZone};

use super::{
    entity::{Entity, euros},
    people::{Person, entity_party},
};
use crate::data::{
    Authority, AuthorityKind, Coded, Label, RestrictedRight, SeizedIdentifier, SeizedProperty,
    SeizureAct, SeizureBasis, SeizureRole, Seizures,
};

/// Acts of the entity with most of them.
const CROWD: u16 = 200;

/// How many acts an entity is named in.
fn count(entity: &Entity) -> u16 {
    match entity.code {
        super::COMPLETE => 2,
        "999000049" => 3,
        "999000138" => CROWD,
        _ => 0,
    }
}

pub(super) fn has_any(entity: &Entity) -> bool {
    count(entity) > 0
}

pub(super) fn of(entity: &Entity) -> Option<Seizures> {
    let acts = (0..count(entity)).filter_map(|number| act(entity, number));
    has_any(entity).then(|| Seizures {
        acts: acts.collect(),
    })
}

/// Every second one is removed again, the first one never.
fn act(entity: &Entity, number: u16) -> Option<SeizureAct> {
    let adopted = date(2026, 3, 2)
        .checked_add(Span::new().days(number))
        .ok()?;
    let is_removed = number % 2 == 1;
    let this = || entity_party(entity.name, Some(entity.code), "LT");
    let is_creditor = number % 10 == 9;
    let (debtor, creditor) = match is_creditor {
        true => (Person::nobody(240 + number % 10).party(), this()),
        false => (this(), entity_party("Pramanytas bankas, AB", None, "LT")),
    };
    Some(SeizureAct {
        act_id: format!("99926{:03}{number:05}", entity.number),
        registered_at: at(adopted, number)?,
        deregistered_on: match is_removed {
            true => Some(adopted.checked_add(Span::new().days(20)).ok()?),
            false => None,
        },
        status: Coded {
            code: None,
            scheme: "TAAR-dokumento-statusas".to_owned(),
            label: match is_removed {
                true => Label::new("Išregistruotas", "removed"),
                false => Label::new("Įregistruotas", "registered"),
            },
        },
        act_date: Some(adopted),
        act_number: Some(format!("S-{}-{}", 1000 + number, adopted.year())),
        authority: authority(number),
        basis: Some(basis(number)),
        role: match is_creditor {
            true => SeizureRole::Creditor,
            false => SeizureRole::Debtor,
        },
        owners: Some(vec![debtor.clone()]),
        debtors: Some(vec![debtor]),
        creditors: Some(vec![creditor]),
        property: Some(vec![property(entity, number)]),
        restricted_rights: Some(match number % 3 {
            0 => vec![RestrictedRight::Disposal],
            1 => vec![RestrictedRight::Use, RestrictedRight::Disposal],
            _ => vec![
                RestrictedRight::Possession,
                RestrictedRight::Use,
                RestrictedRight::Disposal,
            ],
        }),
        extent: Some(euros(1_250_000 + 1_111 * u64::from(number))),
        term: number.is_multiple_of(4).then_some(date(2027, 3, 1)),
        administrator: None,
    })
}

fn at(day: jiff::civil::Date, number: u16) -> Option<Timestamp> {
    let minute = i8::try_from(number % 60).ok()?;
    let registered = day.at(9, minute, 0, 0).to_zoned(TimeZone::UTC).ok()?;
    Some(registered.timestamp())
}

fn authority(number: u16) -> Authority {
    let (kind, name) = match number % 4 {
        0 => (AuthorityKind::Court, "Pramanytojo miesto apylinkės teismas"),
        1 => (AuthorityKind::Bailiff, "Antstolis Menamas Vykdytojas"),
        2 => (
            AuthorityKind::TaxInspectorate,
            "Pramanytojo apskrities valstybinė mokesčių inspekcija",
        ),
        _ => (
            AuthorityKind::Prosecutor,
            "Pramanytojo apygardos prokuratūra",
        ),
    };
    Authority {
        kind,
        name: name.to_owned(),
        code: None,
    }
}

/// The law that authorities of this kind act by; of the tax inspectorate's the
/// article is not known for certain.
fn basis(number: u16) -> SeizureBasis {
    let (act, article) = match number % 4 {
        0 => ("Civilinio proceso kodeksas", Some("145")),
        1 => ("Civilinio proceso kodeksas", Some("675")),
        2 => ("Mokesčių administravimo įstatymas", None),
        _ => ("Baudžiamojo proceso kodeksas", Some("151")),
    };
    SeizureBasis {
        act: act.to_owned(),
        article: article.map(str::to_owned),
    }
}

fn property(entity: &Entity, number: u16) -> SeizedProperty {
    let is_complete = entity.code == super::COMPLETE;
    let (lt, en, identifier) = match number % 3 {
        0 => {
            let thing = match is_complete {
                true => super::COMPLETE_PROPERTY.to_owned(),
                false => format!("4400-9991-{:02}01", entity.number),
            };
            (
                "Nekilnojamasis daiktas",
                "immovable thing",
                Some(SeizedIdentifier::Ntr(thing)),
            )
        }
        1 => {
            let plate = format!("ZZZ {:03}", number % 1000);
            (
                "Transporto priemonė",
                "vehicle",
                Some(SeizedIdentifier::Vehicle(plate)),
            )
        }
        _ => ("Piniginės lėšos", "money", None),
    };
    SeizedProperty {
        property_type: Coded {
            code: None,
            scheme: "TAAR-turto-tipas".to_owned(),
            label: Label::new(lt, en),
        },
        subtype: None,
        identifier,
        description: None,
    }
}
