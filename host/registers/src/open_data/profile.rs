//! A company profile, joined from several publishers' data on an entity.

use jiff::civil::Date;
use parafa_register_data::EntityCode;
use parafa_register_data::classifier::{legal_form, legal_status};
use parafa_register_data::data::{
    Activity, BodyKind, CompanyProfile, FinancialStatements, Identifier, Label, LegalForm,
    LegalStatus, ManagementBody, RegisteredOffice, ShareCapital, VatRegistration,
};
use serde::Deserialize;

use super::uapi::{Reading, Reference};
use crate::Unavailable;

const ENTITY: &str = "rc/jar/iregistruoti/JuridinisAsmuo";
const FORM: &str = "rc/jar/formos_statusai/Forma";
const STATUS: &str = "rc/jar/formos_statusai/Statusas";
const SEAT: &str = "rc/jar/buveines/Buveine";
const CAPITAL: &str = "rc/jar/ja_kapitalas/JuridinisAsmuoKapitalas";
const BODIES: &str = "rc/jar/valdymo_organai/ValdymoOrganas";
const LATE: &str = "rc/jar/fa_veluojantys/VeluojantisPateikti";
const STATISTICS: &str = "lsd/cl/ja_asmenys/JuridinisAsmuo";
const ACTIVITY: &str = "lsd/cl/evrk2_1/EkonominesVeiklosRusis";
const TAXPAYER: &str = "vmi/mm_registras/MokesciuMoketojas";

#[derive(Deserialize)]
struct Entity {
    #[serde(flatten)]
    reference: Reference,
    ja_kodas: u64,
    ja_pavadinimas: String,
    pilnas_adresas: Option<String>,
    reg_data: Option<Date>,
    isreg_data: Option<Date>,
    forma: Reference,
    statusas: Reference,
    stat_data: Option<Date>,
}

#[derive(Deserialize)]
struct Form {
    kodas: u64,
    pavadinimas: String,
    pav_ilgas: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Status {
    kodas: u64,
    pavadinimas: String,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Seat {
    adresas_nuo: Option<Date>,
}

#[derive(Deserialize)]
struct Capital {
    data_nuo: Option<Date>,
    reiksme: serde_json::Number,
    valiuta: String,
}

#[derive(Deserialize)]
struct Bodies {
    vadovas: Option<u8>,
    vad_org_nuo: Option<Date>,
    valdyba: Option<u8>,
    vald_org_nuo: Option<Date>,
    taryba: Option<u8>,
    tar_org_nuo: Option<Date>,
    kiti_valdymo_organai: Option<u8>,
}

#[derive(Deserialize)]
struct Late {}

#[derive(Deserialize)]
struct Statistics {
    evrk_2_1: Option<Reference>,
}

#[derive(Deserialize)]
struct EconomicActivity {
    kodas: Number,
    pavadinimas_lt: String,
    pavadinimas_en: Option<String>,
}

#[derive(Deserialize)]
struct Taxpayer {
    pvm_kodas_pref: Option<String>,
    pvm_kodas: Option<Number>,
    pvm_iregistruota: Option<Date>,
    pvm_isregistruota: Option<Date>,
}

/// A number, as text in some models and as an integer in others.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Text(String),
    Integer(u64),
}

impl Number {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Integer(number) => number.to_string(),
        }
    }
}

/// The profile of an entity; `None` if the register has no such entity. Data not published are
/// null. No part is left out because it could not be read.
pub(super) async fn read(
    reading: &mut Reading<'_>,
    code: &EntityCode,
) -> Result<Option<CompanyProfile>, Unavailable> {
    let found: Vec<Entity> = reading.by_code(ENTITY, "ja_kodas", code.as_str()).await?;
    let Some(entity) = only(found, "ja_kodas")? else {
        return Ok(None);
    };
    if format!("{:09}", entity.ja_kodas) != code.as_str() {
        return Err(Unavailable::Member("ja_kodas"));
    }
    let legal_form = form(reading, &entity).await?;
    let legal_status = status(reading, &entity).await?;
    let seats: Vec<Seat> = reading.of_entity(SEAT, &entity.reference).await?;
    let capitals: Vec<Capital> = reading.of_entity(CAPITAL, &entity.reference).await?;
    let bodies: Vec<Bodies> = reading.of_entity(BODIES, &entity.reference).await?;
    let late: Vec<Late> = reading.of_entity(LATE, &entity.reference).await?;
    let activities = activities(reading, code).await?;
    let taxpayers: Vec<Taxpayer> = reading.by_code(TAXPAYER, "ja_kodas", code.as_str()).await?;
    let vat = taxpayers.into_iter().find_map(vat);
    let tax_number = vat.as_ref().map(|vat| identifier("LT-PVM", &vat.number));
    let identifiers = [Some(identifier("LT-RC", code.as_str())), tax_number];
    Ok(Some(CompanyProfile {
        code: code.clone(),
        name: entity.ja_pavadinimas,
        alternate_names: None,
        legal_form,
        legal_status,
        registered_on: entity.reg_data,
        deregistered_on: entity.isreg_data,
        deregistration_reason: None,
        registered_office: Some(RegisteredOffice {
            full: entity.pilnas_adresas,
            country: "LT".to_owned(),
            municipality: None,
            aob_code: None,
            since: seats.iter().filter_map(|seat| seat.adresas_nuo).max(),
        }),
        lei: None,
        euid: None,
        vat,
        activities,
        share_capital: share_capital(capitals)?,
        shares: None,
        management_bodies: management_bodies(&bodies),
        representation: None,
        branches: None,
        restrictions: None,
        financial_statements: Some(FinancialStatements {
            last_filed_for: None,
            late: Some(!late.is_empty()),
        }),
        identifiers: identifiers.into_iter().flatten().collect(),
    }))
}

fn only<T>(found: Vec<T>, member: &'static str) -> Result<Option<T>, Unavailable> {
    let mut found = found.into_iter();
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(_) => Err(Unavailable::Member(member)),
    }
}

fn identifier(scheme: &str, id: &str) -> Identifier {
    Identifier {
        scheme: scheme.to_owned(),
        id: id.to_owned(),
    }
}

async fn form(reading: &mut Reading<'_>, entity: &Entity) -> Result<LegalForm, Unavailable> {
    let form: Form = reading.object(FORM, &entity.forma).await?;
    let name = form.pav_ilgas.unwrap_or(form.pavadinimas);
    let mut legal_form = legal_form(&name, Some(&form.kodas.to_string()));
    legal_form.label.en = legal_form.label.en.or(form.name);
    Ok(legal_form)
}

async fn status(reading: &mut Reading<'_>, entity: &Entity) -> Result<LegalStatus, Unavailable> {
    let status: Status = reading.object(STATUS, &entity.statusas).await?;
    let code = status.kodas.to_string();
    let mut legal_status = legal_status(&code, &status.pavadinimas, entity.stat_data);
    legal_status.label.en = legal_status.label.en.or(status.name);
    Ok(legal_status)
}

/// The share capital with the latest date.
fn share_capital(capitals: Vec<Capital>) -> Result<Option<ShareCapital>, Unavailable> {
    let latest = capitals.into_iter().max_by_key(|capital| capital.data_nuo);
    let Some(capital) = latest else {
        return Ok(None);
    };
    let amount = capital.reiksme.to_string().parse();
    Ok(Some(ShareCapital {
        amount: amount.map_err(|_| Unavailable::Member("reiksme"))?,
        currency: capital.valiuta,
        since: capital.data_nuo,
    }))
}

/// The management bodies, if the register reports any or that there are none. Their members are not
/// published.
fn management_bodies(published: &[Bodies]) -> Option<Vec<ManagementBody>> {
    let bodies = published.iter().flat_map(|bodies| {
        [
            (BodyKind::Manager, bodies.vadovas, bodies.vad_org_nuo),
            (BodyKind::Board, bodies.valdyba, bodies.vald_org_nuo),
            (BodyKind::Council, bodies.taryba, bodies.tar_org_nuo),
            (BodyKind::Other, bodies.kiti_valdymo_organai, None),
        ]
    });
    let told: Vec<_> = bodies.collect();
    let there = told.iter().filter(|(_, there, _)| *there == Some(1));
    let there: Vec<_> = there
        .map(|(kind, _, since)| ManagementBody {
            kind: *kind,
            since: *since,
            members: None,
        })
        .collect();
    let are_denied = !told.is_empty() && told.iter().all(|(_, there, _)| there.is_some());
    (!there.is_empty() || are_denied).then_some(there)
}

async fn activities(
    reading: &mut Reading<'_>,
    code: &EntityCode,
) -> Result<Option<Vec<Activity>>, Unavailable> {
    let known: Vec<Statistics> = reading.by_code(STATISTICS, "kodas", code.as_str()).await?;
    let Some(reference) = only(known, "kodas")?.and_then(|known| known.evrk_2_1) else {
        return Ok(None);
    };
    let activity: EconomicActivity = reading.object(ACTIVITY, &reference).await?;
    Ok(Some(vec![Activity {
        scheme: "EVRK2.1".to_owned(),
        code: activity.kodas.into_text(),
        label: Label {
            lt: activity.pavadinimas_lt,
            en: activity.pavadinimas_en,
        },
        main: true,
        source: None,
    }]))
}

fn vat(taxpayer: Taxpayer) -> Option<VatRegistration> {
    let number = taxpayer.pvm_kodas?.into_text();
    let prefix = taxpayer.pvm_kodas_pref.unwrap_or_else(|| "LT".to_owned());
    Some(VatRegistration {
        number: format!("{prefix}{number}"),
        registered_on: taxpayer.pvm_iregistruota,
        deregistered_on: taxpayer.pvm_isregistruota,
        source: None,
    })
}
