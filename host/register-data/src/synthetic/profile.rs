//! Profiles of the set.

use jiff::civil::{Date, date};

use super::{
    entity::{DEREGISTERED_ON, Entity, Form, euros},
    participants::share_classes,
};
use crate::{
    EntityCode,
    classifier::{legal_form, legal_status},
    data::{
        Activity, BodyKind, BodyMember, Branch, Coded, CompanyProfile, FinancialStatements,
        Identifier, Label, ManagementBody, PersonType, RegisteredOffice, Representation,
        RepresentationRule, Restriction, ShareCapital, Shares, VatRegistration, Withheld,
    },
};

/// An identifier of no issuer, with valid check digits.
const LEI: &str = "9999SYNTHETIC0000918";
/// Numbers with valid check digits, by the entity's place in the set.
const VAT: [&str; 3] = ["LT999000113", "LT999000216", "LT999000316"];

pub(super) fn of(entity: &Entity, code: &EntityCode, day: Date) -> CompanyProfile {
    let is_complete = entity.code == super::COMPLETE;
    let since = Some(entity.settled_on());
    let deregistered_on = entity.is_deregistered().then_some(DEREGISTERED_ON);
    let has_shares = entity.form.has_shares();
    let cents = entity.shares() * entity.nominal_cents();
    let vat = VAT.get(usize::from(entity.number)).copied();
    let lei = is_complete.then(|| LEI.to_owned());
    CompanyProfile {
        code: code.clone(),
        name: entity.name.to_owned(),
        alternate_names: Some(only_if(is_complete, || "Invented House UAB".to_owned())),
        legal_form: legal_form(entity.form.name(), None),
        legal_status: legal_status(entity.status, "", Some(entity.status_since())),
        registered_on: Some(entity.registered_on()),
        deregistered_on,
        deregistration_reason: deregistered_on.map(|_| {
            Label::new(
                "Likviduotas dalyvių sprendimu",
                "liquidated by its participants",
            )
        }),
        registered_office: Some(RegisteredOffice {
            full: Some(entity.address()),
            country: "LT".to_owned(),
            municipality: Some(entity.city().1.to_owned()),
            aob_code: Some(format!("9990{:05}", entity.number)),
            since: Some(entity.registered_on()),
        }),
        lei: lei.clone(),
        euid: None,
        vat: vat.map(|number| VatRegistration {
            number: number.to_owned(),
            registered_on: Some(entity.registered_on()),
            deregistered_on: None,
            source: None,
        }),
        activities: Some(activities(entity)),
        share_capital: has_shares.then(|| ShareCapital::of(euros(cents), since)),
        shares: has_shares.then(|| Shares {
            total: Some(entity.shares()),
            classes: Some(share_classes(entity)),
        }),
        management_bodies: Some(bodies(entity, day)),
        representation: representation(entity),
        branches: Some(only_if(is_complete, || branch(entity))),
        restrictions: Some(only_if(is_complete, restriction)),
        financial_statements: Some(FinancialStatements {
            last_filed_for: Some(if entity.status == "0" { 2025 } else { 2023 }),
            late: Some(entity.status == "5"),
        }),
        identifiers: [
            Some(("LT-RC", entity.code.to_owned())),
            vat.map(|number| ("LT-PVM", number.to_owned())),
            lei.map(|lei| ("XI-LEI", lei)),
        ]
        .into_iter()
        .flatten()
        .map(|(scheme, id)| Identifier {
            scheme: scheme.to_owned(),
            id,
        })
        .collect(),
    }
}

/// A list of one, or of none.
fn only_if<T>(there: bool, one: impl FnOnce() -> T) -> Vec<T> {
    there.then(one).into_iter().collect()
}

fn activities(entity: &Entity) -> Vec<Activity> {
    let activity = |(code, lt, en): (&str, &str, &str), main| Activity {
        scheme: "EVRK2".to_owned(),
        code: code.to_owned(),
        label: Label::new(lt, en),
        main,
        source: None,
    };
    let known = [
        (
            "41.20",
            "Gyvenamųjų ir negyvenamųjų pastatų statyba",
            "Construction of residential and non-residential buildings",
        ),
        (
            "52.10",
            "Sandėliavimas ir saugojimas",
            "Warehousing and storage",
        ),
        (
            "31.09",
            "Kitų baldų gamyba",
            "Manufacture of other furniture",
        ),
        (
            "72.19",
            "Kiti gamtos mokslų ir inžinerijos moksliniai tyrimai",
            "Other natural science research",
        ),
        (
            "49.41",
            "Krovininis kelių transportas",
            "Freight transport by road",
        ),
    ];
    let main = usize::from(entity.number) % known.len();
    let mut activities = vec![activity(known[main], true)];
    if entity.code == super::COMPLETE {
        activities.push(activity(known[1], false));
    }
    activities
}

fn bodies(entity: &Entity, day: Date) -> Vec<ManagementBody> {
    let bodies = entity.bodies_on(day).into_iter();
    bodies
        .map(|body| {
            let members = body.members.iter().enumerate();
            let members = members.map(|(index, person)| BodyMember {
                name: person.name(),
                person_type: PersonType::Natural,
                personal_code: Withheld,
                birth_date: person.birth_month(),
                position: Some(position(body.kind, index)),
                since: Some(entity.in_office_since(body.kind)),
                until: body.until(),
                country: Some(person.country.to_owned()),
            });
            ManagementBody {
                kind: body.kind,
                since: Some(entity.in_office_since(body.kind)),
                members: Some(members.collect()),
            }
        })
        .collect()
}

/// Numeric codes of offices are not known for certain.
fn position(kind: BodyKind, index: usize) -> Coded {
    let (lt, en) = match (kind, index) {
        (BodyKind::Board, 0) => ("Valdybos pirmininkas", "chair of the board"),
        (BodyKind::Board, _) => ("Valdybos narys", "member of the board"),
        (BodyKind::SupervisoryBoard, 0) => (
            "Stebėtojų tarybos pirmininkas",
            "chair of the supervisory board",
        ),
        (BodyKind::SupervisoryBoard, _) => {
            ("Stebėtojų tarybos narys", "member of the supervisory board")
        }
        (BodyKind::Liquidator, _) => ("Likvidatorius", "liquidator"),
        (BodyKind::InsolvencyAdministrator, _) => {
            ("Nemokumo administratorius", "insolvency administrator")
        }
        _ => ("Direktorius", "director"),
    };
    Coded {
        code: None,
        scheme: "JAR-pareigos".to_owned(),
        label: Label::new(lt, en),
    }
}

fn representation(entity: &Entity) -> Option<Representation> {
    if entity.is_deregistered() {
        return None;
    }
    let (rule, text) = match entity.form {
        _ if entity.status == "5" => (
            RepresentationRule::Single,
            "Atstovauja nemokumo administratorius.",
        ),
        _ if entity.status == "7" => (RepresentationRule::Single, "Atstovauja likvidatorius."),
        Form::Public if entity.code == "999000017" => (
            RepresentationRule::Quantitative,
            "Bendrovės vardu veikia vadovas kartu su vienu valdybos nariu.",
        ),
        _ => (
            RepresentationRule::Single,
            "Atstovauja vadovas vienvaldiškai.",
        ),
    };
    Some(Representation {
        rule,
        text: Some(text.to_owned()),
    })
}

fn restriction() -> Restriction {
    Restriction {
        text: "Draudžiama perleisti licencijuojamą veiklą".to_owned(),
        since: Some(date(2025, 1, 15)),
        until: Some(date(2027, 1, 15)),
    }
}

fn branch(entity: &Entity) -> Branch {
    Branch {
        code: None,
        name: format!("{} Kauno filialas", entity.name),
        kind: Coded {
            code: None,
            scheme: "JAR-formos".to_owned(),
            label: Label::new("Filialas", "branch"),
        },
        address: Some("Kaunas, Bandomoji g. 12".to_owned()),
        registered_on: Some(date(2019, 5, 20)),
    }
}
