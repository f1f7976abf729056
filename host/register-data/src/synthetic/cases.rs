//! Court cases of the set.

use jiff::{civil::date, tz::TimeZone};

use super::entity::Entity;
use crate::data::{
    Case, CaseDocument, CaseInstance, CaseKind, CaseRole, CaseRoleCode, CaseStage, Cases, Coded,
    Court, Label,
};

pub(super) fn of(entity: &Entity) -> Option<Cases> {
    if entity.is_deregistered() || entity.has_profile_alone() {
        return None;
    }
    let cases = match entity.code {
        super::COMPLETE => vec![pending(entity), heard_on_appeal(entity), closed(entity)],
        "999000049" | "999000056" => vec![insolvency(entity), closed(entity)],
        _ => vec![closed(entity)],
    };
    Some(Cases { cases })
}

fn case(entity: &Entity, letters: &str, number: u16, year: i16) -> Case {
    let place = entity.number;
    Case {
        case_number: format!("{letters}-{number}-{}/{year}", 900 + place),
        proceeding_number: Some(format!(
            "2-99-3-{:05}-{year}-{}",
            99000 + u32::from(place),
            number % 10
        )),
        kind: CaseKind::Civil,
        court: Court {
            name: "Pramanytojo miesto apylinkės teismas".to_owned(),
            code: None,
        },
        instance: Some(CaseInstance::First),
        role: CaseRole {
            code: CaseRoleCode::Defendant,
            label_lt: "Atsakovas".to_owned(),
        },
        categories: Some(vec![category(
            "2.6.10",
            "Sutarčių teisė",
            "law of contracts",
        )]),
        received_on: Some(date(year, 2, 10)),
        closed_on: None,
        stage: CaseStage::Pending,
        outcome: None,
        documents: Some(Vec::new()),
        next_hearing: None,
    }
}

fn category(code: &str, lt: &str, en: &str) -> Coded {
    Coded {
        code: Some(code.to_owned()),
        scheme: "LITEKO-kategorija".to_owned(),
        label: Label::new(lt, en),
    }
}

fn pending(entity: &Entity) -> Case {
    let hearing = date(2026, 12, 15).at(9, 0, 0, 0).to_zoned(TimeZone::UTC);
    Case {
        next_hearing: hearing.ok().map(|hearing| hearing.timestamp()),
        ..case(entity, "e2", 2101, 2026)
    }
}

fn heard_on_appeal(entity: &Entity) -> Case {
    Case {
        court: Court {
            name: "Pramanytojo apygardos teismas".to_owned(),
            code: None,
        },
        instance: Some(CaseInstance::Appeal),
        role: CaseRole {
            code: CaseRoleCode::Appellant,
            label_lt: "Apeliantas".to_owned(),
        },
        stage: CaseStage::Heard,
        ..case(entity, "e2A", 310, 2026)
    }
}

fn closed(entity: &Entity) -> Case {
    Case {
        role: CaseRole {
            code: CaseRoleCode::Claimant,
            label_lt: "Ieškovas".to_owned(),
        },
        closed_on: Some(date(2023, 11, 8)),
        stage: CaseStage::Closed,
        outcome: Some("Ieškinys patenkintas visiškai".to_owned()),
        documents: Some(vec![CaseDocument {
            date: date(2023, 11, 8),
            url: None,
        }]),
        ..case(entity, "e2", 1555, 2023)
    }
}

fn insolvency(entity: &Entity) -> Case {
    Case {
        court: Court {
            name: "Pramanytojo apygardos teismas".to_owned(),
            code: None,
        },
        role: CaseRole {
            code: CaseRoleCode::Other,
            label_lt: "Nemokus juridinis asmuo".to_owned(),
        },
        categories: Some(vec![category("3.4", "Nemokumo bylos", "insolvency cases")]),
        ..case(entity, "eB2", 77, 2026)
    }
}
