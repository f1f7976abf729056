//! Real property of the set. Beside the published numbers, things of entity n
//! have the numbers `4400-9991-nn01` and on.

use std::collections::BTreeMap;

use jiff::civil::date;

use super::{
    entity::{Entity, euros},
    people::{Person, entity_party},
    seizures,
};
use crate::{
    PropertyNumber,
    data::{
        Area, AreaUnit, Coded, Label, LegalFact, MarketValue, Money, Mortgage, MortgageKind, Note,
        OtherRight, PropertyExtract, PropertyOwner, Quantity, RealEstate, RealEstateItem,
        RealRight, RightKind, SeizureMark, SpecialCondition,
    },
};

/// A thing of the set.
struct Thing {
    number: PropertyNumber,
    owner: &'static Entity,
    /// Whether a person owns the other half of it.
    is_shared: bool,
    is_parcel: bool,
}

impl Thing {
    fn find(number: &PropertyNumber) -> Option<Self> {
        let number = number.as_str();
        if number == super::COMPLETE_PROPERTY {
            let mut things = Self::of(Entity::find(super::COMPLETE)?).into_iter();
            return things.next();
        }
        let place = number.strip_prefix("4400-9991-")?.get(..2)?;
        let owner = Entity::at(place.parse().ok()?)?;
        let mut things = Self::of(owner).into_iter();
        things.find(|thing| thing.number.as_str() == number)
    }

    fn of(owner: &'static Entity) -> Vec<Self> {
        if owner.is_deregistered() || owner.has_profile_alone() {
            return Vec::new();
        }
        let number = |n: u16| format!("4400-9991-{:02}{n:02}", owner.number).parse().ok();
        let thing = |number: Option<PropertyNumber>, is_shared, is_parcel| {
            number.map(|number| Self {
                number,
                owner,
                is_shared,
                is_parcel,
            })
        };
        let things = match owner.code {
            super::COMPLETE => vec![
                thing(super::COMPLETE_PROPERTY.parse().ok(), true, false),
                thing(number(1), false, true),
                thing(number(2), false, false),
            ],
            _ => vec![thing(number(1), false, false)],
        };
        things.into_iter().flatten().collect()
    }

    fn is_complete(&self) -> bool {
        self.number.as_str() == super::COMPLETE_PROPERTY
    }

    fn is_seized(&self) -> bool {
        // Of what the complete entity holds, the acts name the complete thing alone.
        match self.owner.code {
            super::COMPLETE => self.is_complete(),
            _ => seizures::has_any(self.owner),
        }
    }

    fn register_number(&self) -> String {
        format!(
            "44/9990{:02}{}",
            self.owner.number,
            u8::from(self.is_parcel)
        )
    }

    fn object_type(&self) -> Coded {
        let (lt, en) = match self.is_parcel {
            true => ("Žemės sklypas", "land parcel"),
            false => ("Pastatas", "building"),
        };
        classified("NTR-objekto-tipas", lt, en)
    }

    fn use_purpose(&self) -> Coded {
        let (lt, en) = match self.is_parcel {
            true => ("Kita", "other"),
            false => ("Administracinė", "administrative"),
        };
        classified("NTR-paskirtis", lt, en)
    }

    fn share(&self) -> String {
        if self.is_shared { "1/2" } else { "1/1" }.to_owned()
    }
}

/// Numeric codes of these classifiers are not known for certain.
fn classified(scheme: &str, lt: &str, en: &str) -> Coded {
    Coded {
        code: None,
        scheme: scheme.to_owned(),
        label: Label::new(lt, en),
    }
}

pub(super) fn held_by(entity: &'static Entity) -> Option<RealEstate> {
    let things = Thing::of(entity);
    let items = things.iter().map(|thing| RealEstateItem {
        unique_number: thing.number.clone(),
        register_number: Some(thing.register_number()),
        object_type: thing.object_type(),
        use_purpose: Some(thing.use_purpose()),
        address: Some(entity.address()),
        share: thing.share(),
        right: RealRight::Ownership,
        since: Some(date(2018, 9, 14)),
        encumbered: Some(thing.is_complete()),
        seized: Some(thing.is_seized()),
    });
    (!things.is_empty()).then(|| RealEstate {
        items: items.collect(),
    })
}

pub(super) fn extract(number: &PropertyNumber) -> Option<PropertyExtract> {
    let thing = Thing::find(number)?;
    let owner = thing.owner;
    let is_complete = thing.is_complete();
    let built = (!thing.is_parcel).then_some(());
    Some(PropertyExtract {
        unique_number: thing.number.clone(),
        register_number: Some(thing.register_number()),
        cadastral_number: thing
            .is_parcel
            .then(|| format!("9990/0001:{}", owner.number)),
        object_type: thing.object_type(),
        use_purpose: Some(thing.use_purpose()),
        status: Some(classified("NTR-statusas", "Suformuotas", "formed")),
        address: Some(owner.address()),
        municipality: Some(owner.city().1.to_owned()),
        area: area(&thing),
        year_built_from: built.map(|()| 2009),
        year_built_to: built.map(|()| 2011),
        completeness_percent: built.map(|()| 100),
        energy_class: built.map(|()| "B".to_owned()),
        market_value: Some(market_value()),
        owners: Some(owners(&thing)),
        other_rights: Some(if is_complete {
            other_rights()
        } else {
            Vec::new()
        }),
        mortgages: Some(if is_complete {
            vec![mortgage(owner)]
        } else {
            Vec::new()
        }),
        legal_facts: Some(if is_complete {
            legal_facts()
        } else {
            Vec::new()
        }),
        notes: Some(if is_complete { notes() } else { Vec::new() }),
        seizure_marks: Some(marks(&thing)),
        special_conditions: Some(special_conditions(&thing)),
    })
}

fn quantity(text: &str) -> Option<Quantity> {
    text.parse().ok()
}

fn area(thing: &Thing) -> Option<Area> {
    if thing.is_parcel {
        return Some(Area {
            total: quantity("0.1250")?,
            unit: AreaUnit::Ha,
            components: Some(BTreeMap::new()),
        });
    }
    let components = [
        ("pagrindinis", "310.40"),
        ("pagalbinis", "64.10"),
        ("rūsys", "38.00"),
    ];
    let components = components
        .into_iter()
        .filter_map(|(name, area)| Some((name.to_owned(), quantity(area)?)));
    Some(Area {
        total: quantity("412.50")?,
        unit: AreaUnit::M2,
        components: Some(components.collect()),
    })
}

fn market_value() -> MarketValue {
    let Money { amount, currency } = euros(38_450_000);
    MarketValue {
        amount,
        currency,
        as_of: Some(date(2026, 1, 1)),
        method: Some(Label::new("Masinis vertinimas", "mass appraisal")),
    }
}

fn owners(thing: &Thing) -> Vec<PropertyOwner> {
    let owner = |owner| PropertyOwner {
        owner,
        right: RealRight::Ownership,
        share: thing.share(),
        basis: Some("Pirkimo–pardavimo sutartis, 2018-09-12, Nr. 1-999".to_owned()),
        since: Some(date(2018, 9, 14)),
    };
    let entity = entity_party(thing.owner.name, Some(thing.owner.code), "LT");
    let mut owners = vec![owner(entity)];
    if thing.is_shared {
        owners.push(owner(thing.owner.somebody(6).party()));
    }
    owners
}

fn other_rights() -> Vec<OtherRight> {
    let right = |lt, en, beneficiary, until| OtherRight {
        kind: RightKind {
            type_code: None,
            subtype_code: None,
            label: Label::new(lt, en),
        },
        beneficiary,
        basis: Some("Sutartis, 2021-02-03, Nr. 2-999".to_owned()),
        since: Some(date(2021, 2, 5)),
        until,
    };
    vec![
        right(
            "Servitutas – teisė tiesti požemines komunikacijas",
            "servitude: underground utilities",
            None,
            None,
        ),
        right(
            "Nuoma",
            "lease",
            Some(entity_party(
                "Tariamos dirbtuvės, MB",
                Some("999000024"),
                "LT",
            )),
            Some(date(2031, 2, 5)),
        ),
        right(
            "Uzufruktas",
            "usufruct",
            Some(Person::nobody(230).party()),
            None,
        ),
    ]
}

fn mortgage(owner: &Entity) -> Mortgage {
    Mortgage {
        id: "99920210009991".to_owned(),
        kind: MortgageKind::Maximum,
        creditor: Some(entity_party("Pramanytas bankas, AB", None, "LT")),
        debtor: Some(entity_party(owner.name, Some(owner.code), "LT")),
        obligation: Some(euros(25_000_000)),
        term: Some(date(2036, 4, 30)),
        registered_on: Some(date(2021, 4, 30)),
    }
}

fn legal_facts() -> Vec<LegalFact> {
    vec![LegalFact {
        kind: Label::new("Sudaryta nuomos sutartis", "a lease was concluded"),
        text: Some("Nuomos sutartis, 2021-02-03, Nr. 2-999".to_owned()),
        since: Some(date(2021, 2, 5)),
        until: Some(date(2031, 2, 5)),
    }]
}

fn notes() -> Vec<Note> {
    vec![Note {
        kind: Label::new("Turto arešto žyma", "mark of a seizure"),
        text: None,
        since: Some(date(2026, 3, 3)),
    }]
}

fn marks(thing: &Thing) -> Vec<SeizureMark> {
    let acts = seizures::of(thing.owner).map(|seizures| seizures.acts);
    let mut acts = acts.unwrap_or_default().into_iter();
    let act = acts.find(|act| act.deregistered_on.is_none());
    act.filter(|_| thing.is_seized())
        .map(|act| SeizureMark { act_id: act.act_id })
        .into_iter()
        .collect()
}

fn special_conditions(thing: &Thing) -> Vec<SpecialCondition> {
    if !thing.is_parcel {
        return Vec::new();
    }
    vec![SpecialCondition {
        label: Label::new(
            "Elektros tinklų apsaugos zonos",
            "protection zones of power lines",
        ),
        area: quantity("0.0120").map(|total| Area {
            total,
            unit: AreaUnit::Ha,
            components: Some(BTreeMap::new()),
        }),
        since: Some(date(2020, 1, 1)),
    }]
}
