//! Who holds roles in entities of the set.

use jiff::civil::Date;

use super::{
    entity::{Entity, Form, Holder},
    owners,
    people::Person,
};
use crate::{Role, RoleHolders, data::BodyKind};

/// Nothing when nobody does on that day.
pub(super) fn of(entity: &Entity, role: Role, day: Date) -> Option<RoleHolders> {
    let members = |kind: BodyKind| {
        let bodies = entity.bodies_on(day).into_iter();
        let bodies = bodies.filter(move |body| body.kind == kind);
        bodies.flat_map(|body| body.members).collect()
    };
    let persons: Vec<Person> = match role {
        Role::Manager => members(BodyKind::Manager),
        Role::BoardMember => members(BodyKind::Board),
        Role::SupervisoryBoardMember => members(BodyKind::SupervisoryBoard),
        Role::Liquidator => members(BodyKind::Liquidator),
        Role::InsolvencyAdministrator => members(BodyKind::InsolvencyAdministrator),
        Role::Procurator => entity.procurators(),
        Role::AuthorisedPerson => entity.authorised(),
        Role::Shareholder if entity.form.has_shares() => participants(entity),
        Role::Member if matches!(entity.form, Form::Partnership | Form::Institution) => {
            participants(entity)
        }
        Role::Shareholder | Role::Member => Vec::new(),
        Role::BeneficialOwner => {
            let owners = owners::persons(entity).into_iter();
            owners.map(|(person, _)| person).collect()
        }
    };
    let since = Some(match role {
        Role::Liquidator => entity.in_office_since(BodyKind::Liquidator),
        Role::InsolvencyAdministrator => entity.in_office_since(BodyKind::InsolvencyAdministrator),
        _ => entity.settled_on(),
    });
    let holders: Vec<_> = persons
        .iter()
        .filter_map(|person| person.holder(since))
        .collect();
    (!holders.is_empty()).then_some(RoleHolders { holders })
}

fn participants(entity: &Entity) -> Vec<Person> {
    let stakes = entity.stakes().into_iter();
    stakes
        .filter_map(|stake| match stake.holder {
            Holder::Person(person) => Some(person),
            _ => None,
        })
        .collect()
}
