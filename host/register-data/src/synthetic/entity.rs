//! The entities of the set: who they are, who runs them, who holds them.

use jiff::civil::{Date, date};

use super::{
    people::Person,
    personas::{CARD, FIRST, FOREIGN, MOBILE, SECOND},
};
use crate::data::{BodyKind, Money};

/// The day that the set shows.
pub(super) const AS_OF: Date = date(2026, 11, 2);
/// When the entity that has ended did.
pub(super) const DEREGISTERED_ON: Date = date(2025, 6, 30);
/// The last day of the terms of office in collegial bodies.
const TERMS_END: Date = date(2028, 3, 31);

/// What the registers do when they are asked about an entity.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Conduct {
    Answers,
    SeizuresDown,
    Down,
    Hangs,
    Garbage,
}

/// Legal forms of the set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Form {
    Private,
    Public,
    Partnership,
    Institution,
    StateEnterprise,
}

impl Form {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Private => "Uždaroji akcinė bendrovė",
            Self::Public => "Akcinė bendrovė",
            Self::Partnership => "Mažoji bendrija",
            Self::Institution => "Viešoji įstaiga",
            Self::StateEnterprise => "Valstybės įmonė",
        }
    }

    pub(super) fn has_shares(self) -> bool {
        matches!(self, Self::Private | Self::Public)
    }
}

/// An entity of the set.
#[derive(Debug)]
pub(super) struct Entity {
    /// Its place in the set.
    pub(super) number: u16,
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    pub(super) form: Form,
    /// By the register's classifier.
    pub(super) status: &'static str,
    pub(super) conduct: Conduct,
}

/// Somebody with a part in an entity.
#[derive(Clone, Debug)]
pub(super) enum Holder {
    Person(Person),
    Entity {
        name: &'static str,
        code: &'static str,
        country: &'static str,
    },
    State,
    Municipality,
}

/// A part in an entity.
#[derive(Clone, Debug)]
pub(super) struct Stake {
    pub(super) holder: Holder,
    /// Of [`Entity::shares`].
    pub(super) shares: u64,
}

/// A body of an entity, or who acts in its place.
pub(super) struct Body {
    pub(super) kind: BodyKind,
    pub(super) members: Vec<Person>,
}

impl Body {
    /// The end of its members' term of office, where there is one.
    pub(super) fn until(&self) -> Option<Date> {
        matches!(self.kind, BodyKind::Board | BodyKind::SupervisoryBoard).then_some(TERMS_END)
    }
}

const fn entity(
    number: u16,
    code: &'static str,
    name: &'static str,
    form: Form,
    status: &'static str,
) -> Entity {
    Entity {
        number,
        code,
        name,
        form,
        status,
        conduct: Conduct::Answers,
    }
}

const fn faulty(number: u16, code: &'static str, name: &'static str, conduct: Conduct) -> Entity {
    Entity {
        conduct,
        ..entity(number, code, name, Form::Private, "0")
    }
}

#[rustfmt::skip]
static ENTITIES: [Entity; 19] = [
    entity(0, super::COMPLETE, "UAB „Pramanytas namas“", Form::Private, "0"),
    entity(1, "999000017", "AB „Bandomoji jūra“", Form::Public, "0"),
    entity(2, "999000024", "Tariamos dirbtuvės, MB", Form::Partnership, "0"),
    entity(3, "999000031", "VšĮ Pramanytų mokslų centras", Form::Institution, "0"),
    entity(4, "999000049", "BUAB „Menamas vežėjas“", Form::Private, "5"),
    entity(5, "999000056", "RUAB „Išgalvota mediena“", Form::Private, "4"),
    entity(6, "999000063", "Likviduojama UAB „Spėjama prekyba“", Form::Private, "7"),
    entity(7, "999000070", "UAB „Buvęs pavyzdys“", Form::Private, "10"),
    entity(8, "999000088", "UAB „Tuščias lapas“", Form::Private, "0"),
    entity(9, "999000095", "UAB „Tyli nauda“", Form::Private, "0"),
    entity(10, "999000106", "VĮ „Pramanyti keliai“", Form::StateEnterprise, "0"),
    entity(11, "999000113", "UAB „Neaiški grandinė“", Form::Private, "0"),
    entity(12, "999000120", "AB „Daugelio akcija“", Form::Public, "0"),
    entity(13, "999000138", "UAB „Areštų krūva“", Form::Private, "0"),
    entity(14, "999000145", "UAB „Kaimynų sandėlis“", Form::Private, "0"),
    faulty(15, super::DOWN, "UAB „Sugedęs registras“", Conduct::Down),
    faulty(16, super::HANGS, "UAB „Laukiantis registras“", Conduct::Hangs),
    faulty(17, super::GARBAGE, "UAB „Neįskaitomas registras“", Conduct::Garbage),
    faulty(18, super::SEIZURES_DOWN, "UAB „Vienas gedimas“", Conduct::SeizuresDown),
];

/// Participants of the entity with most of them.
const CROWD: u16 = 500;
/// Number of the first of those whom only that entity knows.
const CROWD_BEGINS: u16 = 600;

impl Entity {
    pub(super) fn find(code: &str) -> Option<&'static Self> {
        ENTITIES.iter().find(|entity| entity.code == code)
    }

    pub(super) fn at(number: u16) -> Option<&'static Self> {
        ENTITIES.get(usize::from(number))
    }

    /// The nth of those whom only this entity knows.
    pub(super) fn somebody(&self, n: u16) -> Person {
        Person::nobody(self.number * 12 + n)
    }

    pub(super) fn is_deregistered(&self) -> bool {
        self.status == "10"
    }

    pub(super) fn has_profile_alone(&self) -> bool {
        self.code == "999000088"
    }

    pub(super) fn registered_on(&self) -> Date {
        let number = self.number;
        let day = i8::try_from(1 + number).unwrap_or(1);
        let month = i8::try_from(1 + number % 12).unwrap_or(1);
        date(2005 + i16::try_from(number % 17).unwrap_or(0), month, day)
    }

    /// Since when bodies and participants are as they are.
    pub(super) fn settled_on(&self) -> Date {
        date(2024, 3, i8::try_from(1 + self.number).unwrap_or(1))
    }

    /// Since when its legal status is what it is.
    pub(super) fn status_since(&self) -> Date {
        match self.status {
            "0" => self.registered_on(),
            _ if self.is_deregistered() => DEREGISTERED_ON,
            _ => date(2026, 2, 16),
        }
    }

    /// Since when whoever is in a body is: an administrator or liquidator comes
    /// with the status.
    pub(super) fn in_office_since(&self, kind: BodyKind) -> Date {
        match kind {
            BodyKind::Liquidator | BodyKind::InsolvencyAdministrator => self.status_since(),
            _ => self.settled_on(),
        }
    }

    /// How many shares there are, or parts of a hundred.
    pub(super) fn shares(&self) -> u64 {
        match self.form {
            Form::Public if self.code == "999000120" => 1_000 * u64::from(CROWD),
            Form::Public => 40_000,
            _ => 100,
        }
    }

    /// What one share is worth, in cents.
    pub(super) fn nominal_cents(&self) -> u64 {
        match self.form {
            Form::Public if self.code == "999000120" => 10,
            Form::Public => 100,
            Form::Private => 2_500,
            _ => 100,
        }
    }

    pub(super) fn address(&self) -> String {
        let streets = [
            "Pramanytoji g.",
            "Bandomoji g.",
            "Tariamoji g.",
            "Menamoji g.",
        ];
        let street = streets[usize::from(self.number) % streets.len()];
        format!("{}, {street} {}", self.city().0, 1 + self.number * 2)
    }

    /// City and municipality.
    pub(super) fn city(&self) -> (&'static str, &'static str) {
        let cities = [
            ("Vilnius", "Vilniaus m. sav."),
            ("Kaunas", "Kauno m. sav."),
            ("Klaipėda", "Klaipėdos m. sav."),
            ("Šiauliai", "Šiaulių m. sav."),
            ("Panevėžys", "Panevėžio m. sav."),
        ];
        cities[usize::from(self.number) % cities.len()]
    }

    pub(super) fn bodies(&self) -> Vec<Body> {
        let body = |kind, members| Body { kind, members };
        let manager = |person| body(BodyKind::Manager, vec![person]);
        let administrator = || body(BodyKind::InsolvencyAdministrator, vec![self.somebody(9)]);
        match self.code {
            super::COMPLETE => vec![
                manager(Person::persona(FIRST)),
                body(
                    BodyKind::Board,
                    vec![
                        Person::persona(FIRST),
                        Person::persona(SECOND),
                        self.somebody(1),
                    ],
                ),
            ],
            "999000017" => vec![
                manager(self.somebody(0)),
                body(
                    BodyKind::Board,
                    vec![self.somebody(0), Person::persona(MOBILE), self.somebody(1)],
                ),
                body(
                    BodyKind::SupervisoryBoard,
                    vec![Person::persona(CARD), self.somebody(2), self.somebody(3)],
                ),
            ],
            "999000049" => vec![administrator()],
            "999000056" => vec![manager(self.somebody(0)), administrator()],
            "999000063" => vec![body(BodyKind::Liquidator, vec![self.somebody(8)])],
            "999000070" => Vec::new(),
            "999000145" => vec![manager(Person::persona(FOREIGN))],
            _ => vec![manager(self.somebody(0))],
        }
    }

    /// The bodies whose members are in office on a day.
    pub(super) fn bodies_on(&self, day: Date) -> Vec<Body> {
        let mut bodies = self.bodies();
        bodies.retain(|body| body.until().is_none_or(|until| day <= until));
        bodies
    }

    /// Those with a registered procuration.
    pub(super) fn procurators(&self) -> Vec<Person> {
        match self.code {
            super::COMPLETE => vec![Person::persona(SECOND)],
            _ => Vec::new(),
        }
    }

    /// Those with another registered authorisation.
    pub(super) fn authorised(&self) -> Vec<Person> {
        match self.code {
            super::COMPLETE => vec![Person::persona(CARD)],
            _ => Vec::new(),
        }
    }

    /// Everybody with a part, the largest first; nobody where the register
    /// holds nothing.
    pub(super) fn stakes(&self) -> Vec<Stake> {
        let stake = |holder, shares| Stake { holder, shares };
        let persons = |shares: &[u64]| {
            let numbered = (2..).zip(shares);
            numbered
                .map(|(n, shares)| stake(Holder::Person(self.somebody(n)), *shares))
                .collect()
        };
        match self.code {
            super::COMPLETE => vec![
                stake(Holder::Person(Person::persona(FIRST)), 60),
                stake(
                    Holder::Entity {
                        name: "AB „Bandomoji jūra“",
                        code: "999000017",
                        country: "LT",
                    },
                    25,
                ),
                stake(Holder::Person(self.somebody(2)), 15),
            ],
            "999000017" => vec![
                stake(
                    Holder::Entity {
                        name: "Musterhafen Beteiligungen GmbH",
                        code: "HRB 000000",
                        country: "DE",
                    },
                    22_000,
                ),
                stake(Holder::Person(self.somebody(4)), 12_000),
                stake(Holder::Person(self.somebody(5)), 6_000),
            ],
            "999000024" => persons(&[50, 50]),
            "999000031" => vec![
                stake(Holder::Municipality, 50),
                stake(Holder::Person(self.somebody(2)), 50),
            ],
            "999000070" | "999000088" => Vec::new(),
            "999000106" => vec![stake(Holder::State, 100)],
            "999000113" => vec![
                stake(
                    Holder::Entity {
                        name: "Beispiel Treuhand AG",
                        code: "HRB 000001",
                        country: "DE",
                    },
                    40,
                ),
                stake(
                    Holder::Entity {
                        name: "Näidisfond OÜ",
                        code: "00000000",
                        country: "EE",
                    },
                    60,
                ),
            ],
            "999000120" => (0..CROWD)
                .map(|n| stake(Holder::Person(Person::nobody(CROWD_BEGINS + n)), 1_000))
                .collect(),
            _ => persons(&[70, 30]),
        }
    }
}

/// So many cents.
pub(super) fn euros(cents: u64) -> Money {
    Money::euros(cents / 100, u8::try_from(cents % 100).unwrap_or(0))
}
