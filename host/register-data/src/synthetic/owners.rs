//! Beneficial owners of the set.

use jiff::civil::{Date, date};

use super::{
    entity::{Entity, Form, Holder},
    participants::percent,
    people::Person,
};
use crate::{
    EntityCode,
    data::{
        BeneficialOwner, BeneficialOwners, Control, DeclarationStatus, Intermediary, Percent,
        Withheld,
        bods::{self, Directness, InterestType},
    },
};

/// From how many percent somebody is an owner for the set.
const THRESHOLD: f64 = 25.0;

pub(super) fn of(entity: &Entity, code: &EntityCode) -> BeneficialOwners {
    let status = status(entity);
    let owners: Vec<_> = (1..)
        .zip(persons(entity))
        .map(|(number, (person, controls))| BeneficialOwner {
            id: format!("o{number}"),
            name: person.name(),
            personal_code: Withheld,
            birth_date: person.birth_month(),
            nationality: Some(vec![person.country.to_owned()]),
            residence_country: Some(person.country.to_owned()),
            identity_document_country: Some(person.country.to_owned()),
            controls: Some(controls),
        })
        .collect();
    let declared_on = declared_on(entity);
    let subject = bods::Subject {
        code,
        name: entity.name,
        stated_on: declared_on,
    };
    let is_filed = matches!(
        status,
        DeclarationStatus::Declared | DeclarationStatus::CannotBeDetermined
    );
    let bods = bods::of_owners(subject, status, &owners);
    BeneficialOwners {
        declared_on: is_filed.then_some(declared_on),
        status,
        owners: (status == DeclarationStatus::Declared).then_some(owners),
        bods,
    }
}

fn status(entity: &Entity) -> DeclarationStatus {
    match entity.code {
        "999000095" => DeclarationStatus::NotDeclared,
        "999000106" => DeclarationStatus::ExemptState,
        "999000113" => DeclarationStatus::CannotBeDetermined,
        _ if entity.is_deregistered() || entity.has_profile_alone() => {
            DeclarationStatus::NotDeclared
        }
        _ => DeclarationStatus::Declared,
    }
}

fn declared_on(entity: &Entity) -> Date {
    date(2024, 4, i8::try_from(1 + entity.number).unwrap_or(1))
}

/// Who owns or controls an entity in the end, and by what.
pub(super) fn persons(entity: &Entity) -> Vec<(Person, Vec<Control>)> {
    if status(entity) != DeclarationStatus::Declared {
        return Vec::new();
    }
    let mut owners = Vec::new();
    for stake in entity.stakes() {
        let Some(percent) = percent(entity, &stake) else {
            continue;
        };
        if f64::from(percent) < THRESHOLD {
            continue;
        }
        match stake.holder {
            Holder::Person(person) => {
                let natures = [InterestType::Shareholding, InterestType::VotingRights];
                let natures = &natures[..if entity.form.has_shares() { 2 } else { 1 }];
                let direct = |nature: &InterestType| Control {
                    share_exact: Some(percent),
                    ..control(entity, *nature)
                };
                owners.push((person, natures.iter().map(direct).collect()));
            }
            // Behind the foreign shareholder of the set stands one person.
            Holder::Entity {
                name,
                code,
                country,
            } if country != "LT" => {
                let indirect = Control {
                    direct_or_indirect: Directness::Indirect,
                    share_min: Percent::try_from(50.0).ok(),
                    share_max: Percent::try_from(75.0).ok(),
                    via: Some(vec![Intermediary {
                        code: Some(code.to_owned()),
                        name: name.to_owned(),
                    }]),
                    ..control(entity, InterestType::Shareholding)
                };
                owners.push((entity.somebody(7), vec![indirect]));
            }
            Holder::Entity { .. } | Holder::State | Holder::Municipality => {}
        }
    }
    // Who has no owner has the manager declared, as public institutions do.
    if owners.is_empty() || entity.form == Form::Institution {
        let manager = entity.bodies().into_iter().flat_map(|body| body.members);
        let official = control(entity, InterestType::SeniorManagingOfficial);
        owners = manager
            .take(1)
            .map(|person| (person, vec![official.clone()]))
            .collect();
    }
    owners
}

fn control(entity: &Entity, nature: InterestType) -> Control {
    Control {
        nature,
        direct_or_indirect: Directness::Direct,
        share_exact: None,
        share_min: None,
        share_max: None,
        via: Some(Vec::new()),
        details: None,
        since: Some(entity.settled_on()),
    }
}
