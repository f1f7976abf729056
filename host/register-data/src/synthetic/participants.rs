//! Participants of the set.

use super::entity::{AS_OF, Entity, Form, Holder, Stake, euros};
use crate::{
    EntityCode,
    data::{
        Holding, Identifier, Participant, ParticipantCounts, Participants, PartyType, Percent,
        ShareClass, Withheld, bods,
    },
};

const ORDINARY: &str = "Paprastosios vardinės akcijos";

pub(super) fn of(entity: &Entity, code: &EntityCode) -> Option<Participants> {
    let stakes = entity.stakes();
    if stakes.is_empty() {
        return None;
    }
    let numbered = (1..).zip(&stakes);
    let participants: Vec<_> = numbered
        .map(|(number, stake)| participant(entity, number, stake))
        .collect();
    let subject = bods::Subject {
        code,
        name: entity.name,
        stated_on: AS_OF,
    };
    let bods = bods::of_participants(subject, &participants);
    Some(Participants {
        list_filed: true,
        list_date: Some(AS_OF),
        total_shares: entity.form.has_shares().then(|| entity.shares()),
        share_classes: Some(share_classes(entity)),
        counts: counts(&participants),
        participants,
        bods: Some(bods),
    })
}

pub(super) fn share_classes(entity: &Entity) -> Vec<ShareClass> {
    if !entity.form.has_shares() {
        return Vec::new();
    }
    vec![ShareClass {
        name: ORDINARY.to_owned(),
        count: entity.shares(),
        nominal: Some(euros(entity.nominal_cents())),
        votes_per_share: Some(1),
    }]
}

/// Of all shares, in percent; the set has none that is not a whole number of
/// hundredths.
pub(super) fn percent(entity: &Entity, stake: &Stake) -> Option<Percent> {
    let hundredths = stake.shares * 10_000 / entity.shares();
    let hundredths = u16::try_from(hundredths).ok()?;
    Percent::try_from(f64::from(hundredths) / 100.0).ok()
}

fn participant(entity: &Entity, number: u32, stake: &Stake) -> Participant {
    let (participant_type, name, identifiers, country, address) = match &stake.holder {
        Holder::Person(person) => (
            PartyType::Natural,
            person.name(),
            None,
            person.country,
            None,
        ),
        Holder::Entity {
            name,
            code,
            country,
        } => {
            let scheme = match *country {
                "LT" => "LT-RC",
                "EE" => "EE-ARIREGISTER",
                _ => "DE-CR",
            };
            let identifier = Identifier {
                scheme: scheme.to_owned(),
                id: (*code).to_owned(),
            };
            let seat = match *country {
                "LT" => "Kaunas, Bandomoji g. 3",
                "EE" => "Tallinn, Näidise tn 1",
                _ => "Musterstadt, Beispielweg 1",
            };
            (
                PartyType::Legal,
                (*name).to_owned(),
                Some(vec![identifier]),
                *country,
                Some(seat.to_owned()),
            )
        }
        Holder::State => (
            PartyType::State,
            "Lietuvos Respublika".to_owned(),
            None,
            "LT",
            None,
        ),
        Holder::Municipality => (
            PartyType::Municipality,
            "Pramanytojo miesto savivaldybė".to_owned(),
            None,
            "LT",
            None,
        ),
    };
    let birth_date = match &stake.holder {
        Holder::Person(person) => person.birth_month(),
        _ => None,
    };
    let has_shares = entity.form.has_shares();
    let percent = percent(entity, stake);
    Participant {
        id: format!("p{number}"),
        participant_type,
        name,
        personal_code: Withheld,
        birth_date,
        identifiers,
        country: Some(country.to_owned()),
        address,
        holding: Holding {
            share_class: has_shares.then(|| ORDINARY.to_owned()),
            count: has_shares.then_some(stake.shares),
            nominal: (entity.form != Form::StateEnterprise)
                .then(|| euros(stake.shares * entity.nominal_cents())),
            percent,
            votes_percent: has_shares.then_some(percent).flatten(),
        },
        since: Some(entity.settled_on()),
        joint_holding: false,
    }
}

fn counts(participants: &[Participant]) -> ParticipantCounts {
    let mut counts = ParticipantCounts::default();
    for participant in participants {
        let is_natural = participant.participant_type == PartyType::Natural;
        let is_lithuanian = participant.country.as_deref() == Some("LT");
        let count = match (is_natural, is_lithuanian) {
            (true, true) => &mut counts.lt_natural,
            (true, false) => &mut counts.foreign_natural,
            (false, true) => &mut counts.lt_legal,
            (false, false) => &mut counts.foreign_legal,
        };
        *count += 1;
    }
    counts
}
