//! The published set, entity by entity.

use std::collections::BTreeMap;

use parafa_register_data::{
    HolderIdentity, PersonalCode, Query, RegisterData, Role,
    data::{BodyKind, DeclarationStatus, NormalizedStatus, PartyType},
    synthetic::{self, Answer, COMPLETE, COMPLETE_PROPERTY, personas},
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::answers::{data, queries};

/// All codes of the set, the unknown one last.
const CODES: [&str; 20] = [
    "999000009",
    "999000017",
    "999000024",
    "999000031",
    "999000049",
    "999000056",
    "999000063",
    "999000070",
    "999000088",
    "999000095",
    "999000106",
    "999000113",
    "999000120",
    "999000138",
    "999000145",
    "999000152",
    "999000162",
    "999000177",
    "999000184",
    "999000191",
];
const PROPERTIES: [&str; 4] = [
    "4400-9990-0001",
    "4400-9990-0002",
    "4400-9990-0003",
    "4400-9991-0001",
];
/// Digest of all answers of the set. It changes with the published set.
const DIGEST: &str = "a26b33fbd85e97700914163137424211d4a0580ad6f8d234861e06a2545ddaf1";

/// The first six queries of an entity, by kind.
fn asked(code: &str, kind: &str) -> Answer {
    let mut queries = queries(code).into_iter();
    synthetic::answer(&queries.find(|query| query.kind() == kind).unwrap())
}

fn value(code: &str, kind: &str) -> Value {
    match asked(code, kind) {
        Answer::Data(data) => serde_json::to_value(data).unwrap(),
        other => panic!("{code} {kind}: {other:?}"),
    }
}

fn holders(code: &str, role: Role) -> Vec<(String, Option<String>)> {
    let query = Query::RoleHolders {
        entity: code.parse().unwrap(),
        role,
    };
    let Answer::Data(RegisterData::RoleHolders(found)) = synthetic::answer(&query) else {
        return Vec::new();
    };
    let holders = found.holders.into_iter();
    holders
        .map(|holder| {
            let code = match holder.identity {
                HolderIdentity::PersonalCode { code } => Some(code.as_str().to_owned()),
                _ => None,
            };
            (format!("{} {}", holder.given_name, holder.surname), code)
        })
        .collect()
}

fn has(holders: &[(String, Option<String>)], persona: personas::Persona) -> bool {
    let code = Some(persona.personal_code.to_owned());
    holders.iter().any(|(_, holder)| *holder == code)
}

#[test]
fn the_same_query_has_the_same_bytes_on_every_machine() {
    let mut digest = Sha256::new();
    let properties = PROPERTIES.map(|number| Query::PropertyExtract(number.parse().unwrap()));
    for query in CODES
        .iter()
        .flat_map(|code| queries(code))
        .chain(properties)
    {
        digest.update(format!("{query:?}\n"));
        match synthetic::answer(&query) {
            Answer::Data(data) => digest.update(serde_json::to_vec(&data).unwrap()),
            other => digest.update(format!("{other:?}")),
        }
    }
    assert_eq!(hex::encode(digest.finalize()), DIGEST);
}

/// Names in the members to which a pointer leads, one array below another.
fn names(value: &Value, arrays: &[&str]) -> Vec<String> {
    match arrays.split_first() {
        None => value["name"]
            .as_str()
            .map(str::to_owned)
            .into_iter()
            .collect(),
        Some((array, rest)) => {
            let items = value[array].as_array().into_iter().flatten();
            items.flat_map(|item| names(item, rest)).collect()
        }
    }
}

#[test]
fn whoever_holds_a_role_is_whom_the_answers_name() {
    let of = |code: &str, role| -> Vec<String> {
        let holders = holders(code, role).into_iter();
        holders.map(|(name, _)| name).collect()
    };
    for code in CODES {
        let Answer::Data(_) = asked(code, "company-profile") else {
            continue;
        };
        let mut profile = value(code, "company-profile");
        let bodies = profile["managementBodies"].as_array_mut().unwrap();
        for (kind, role) in [
            ("manager", Role::Manager),
            ("board", Role::BoardMember),
            ("supervisory_board", Role::SupervisoryBoardMember),
            ("liquidator", Role::Liquidator),
            ("insolvency_administrator", Role::InsolvencyAdministrator),
        ] {
            let body = bodies.iter().find(|body| body["kind"] == kind);
            let named = body.map_or(Vec::new(), |body| names(body, &["members"]));
            assert_eq!(of(code, role), named, "{code} {role}");
        }
        let owners = names(&value(code, "beneficial-owners"), &["owners"]);
        assert_eq!(of(code, Role::BeneficialOwner), owners, "{code}");
        if let Answer::Data(_) = asked(code, "participants") {
            let mut list = value(code, "participants");
            let participants = list["participants"].as_array_mut().unwrap();
            participants.retain(|one| one["type"] == "natural");
            let parts = [Role::Shareholder, Role::Member].map(|role| of(code, role));
            assert_eq!(parts.concat(), names(&list, &["participants"]), "{code}");
        }
    }
}

#[test]
fn everybody_is_told_by_a_code_of_their_own() {
    let mut names = BTreeMap::new();
    for code in CODES {
        for (name, personal_code) in Role::ALL.into_iter().flat_map(|role| holders(code, role)) {
            let Some(personal_code) = personal_code else {
                continue;
            };
            let code: PersonalCode = personal_code.parse().unwrap();
            assert!(code.birth_date().is_some(), "{name}");
            let first = names.entry(personal_code).or_insert_with(|| name.clone());
            assert_eq!(*first, name);
        }
    }
    assert!(names.len() > 500);
    for persona in personas::ALL {
        let name = format!("{} {}", persona.given_name, persona.surname);
        let holder = names.get(persona.personal_code);
        assert!(holder.is_none_or(|holder| *holder == name || persona == personas::FOREIGN));
    }
}

#[test]
fn boards_end_with_the_terms_of_their_members() {
    let after = "2028-04-01T00:00:00+03:00".parse().unwrap();
    for code in CODES {
        for role in [Role::BoardMember, Role::SupervisoryBoardMember] {
            let query = Query::RoleHolders {
                entity: code.parse().unwrap(),
                role,
            };
            assert!(!matches!(
                synthetic::answer_at(&query, after),
                Answer::Data(_)
            ));
        }
        let profile = Query::CompanyProfile(code.parse().unwrap());
        let Answer::Data(RegisterData::CompanyProfile(profile)) =
            synthetic::answer_at(&profile, after)
        else {
            continue;
        };
        let mut bodies = profile.management_bodies.iter().flatten();
        let of_terms = [BodyKind::Board, BodyKind::SupervisoryBoard];
        assert!(!bodies.any(|body| of_terms.contains(&body.kind)), "{code}");
    }
}

#[test]
fn things_are_seized_by_acts_that_stand() {
    for code in CODES.iter().take(15) {
        let acts = match asked(code, "seizures") {
            Answer::Data(RegisterData::Seizures(seizures)) => seizures.acts,
            _ => Vec::new(),
        };
        let Answer::Data(RegisterData::RealEstate(held)) = asked(code, "real-estate") else {
            continue;
        };
        for item in held.items {
            let RegisterData::PropertyExtract(extract) =
                data(&Query::PropertyExtract(item.unique_number))
            else {
                panic!("an extract");
            };
            let marks = extract.seizure_marks.unwrap();
            assert_eq!(item.seized, Some(!marks.is_empty()), "{code}");
            for mark in marks {
                let act = acts.iter().find(|act| act.act_id == mark.act_id).unwrap();
                assert_eq!(act.deregistered_on, None, "{code}");
            }
        }
    }
}

#[test]
fn statements_tell_of_entities_then_of_persons_then_of_relationships() {
    let kinds = ["entity", "person", "relationship"];
    for kind in ["participants", "beneficial-owners"] {
        let value = value(COMPLETE, kind);
        let statements = value["bods"].as_array().unwrap().iter();
        let order: Vec<_> = statements
            .map(|one| kinds.iter().position(|kind| one["recordType"] == *kind))
            .collect();
        assert!(order.iter().all(Option::is_some) && order.is_sorted());
        assert!(order.contains(&Some(1)));
    }
}

#[test]
fn authorities_act_by_their_own_law_and_whoever_winds_up_comes_with_the_proceedings() {
    let acts = value("999000138", "seizures")["acts"].clone();
    for act in acts.as_array().unwrap() {
        let law = match act["authority"]["kind"].as_str().unwrap() {
            "court" | "bailiff" => "Civilinio proceso kodeksas",
            "tax_inspectorate" => "Mokesčių administravimo įstatymas",
            "prosecutor" => "Baudžiamojo proceso kodeksas",
            other => panic!("{other}"),
        };
        assert_eq!(act["basis"]["act"], law, "{act}");
    }
    for (code, role) in [
        ("999000049", "insolvency_administrator"),
        ("999000056", "insolvency_administrator"),
        ("999000063", "liquidator"),
    ] {
        let profile = value(code, "company-profile");
        let bodies = profile["managementBodies"].as_array().unwrap();
        let body = bodies.iter().find(|body| body["kind"] == role).unwrap();
        let since = &profile["legalStatus"]["since"];
        assert_eq!(
            [&body["since"], &body["members"][0]["since"]],
            [since; 2],
            "{code}"
        );
        let has_manager = bodies.iter().any(|body| body["kind"] == "manager");
        let rule = profile["representation"]["text"].as_str().unwrap();
        assert_eq!(rule.contains("vadovas"), has_manager, "{code}: {rule}");
    }
}

#[test]
fn the_complete_entity_has_everything_and_the_first_persona() {
    let profile = value(COMPLETE, "company-profile");
    for (member, content) in profile.as_object().unwrap() {
        let may_be_empty =
            ["deregisteredOn", "deregistrationReason", "euid"].contains(&member.as_str());
        let is_empty = content.is_null() || content.as_array().is_some_and(Vec::is_empty);
        assert!(may_be_empty || !is_empty, "{member}");
    }
    assert_eq!(profile["legalForm"]["elf"], "BPLS");
    assert_eq!(profile["legalForm"]["jarCode"], "310");
    for role in [
        Role::Manager,
        Role::Shareholder,
        Role::BeneficialOwner,
        Role::BoardMember,
    ] {
        assert!(has(&holders(COMPLETE, role), personas::FIRST), "{role}");
    }
    assert_eq!(holders(COMPLETE, Role::Procurator).len(), 1);
    assert_eq!(holders(COMPLETE, Role::AuthorisedPerson).len(), 1);
    for kind in [
        "participants",
        "beneficial-owners",
        "real-estate",
        "seizures",
        "cases",
    ] {
        assert!(matches!(asked(COMPLETE, kind), Answer::Data(_)), "{kind}");
    }
}

#[test]
fn the_public_company_has_a_board_of_three_and_a_foreign_shareholder() {
    let board = holders("999000017", Role::BoardMember);
    assert_eq!(board.len(), 3);
    assert!(has(&board, personas::MOBILE));
    let participants = value("999000017", "participants");
    assert_eq!(participants["counts"]["foreignLegal"], 1);
    assert_eq!(
        value("999000017", "company-profile")["legalForm"]["elf"],
        "81KA"
    );
}

#[test]
fn members_of_the_small_partnership_are_nobody_of_the_demo_world() {
    let members = holders("999000024", Role::Member);
    assert_eq!(members.len(), 2);
    for persona in personas::ALL {
        assert!(!has(&members, persona));
    }
    assert_eq!(
        value("999000024", "company-profile")["legalForm"]["elf"],
        "SFYA"
    );
    assert!(holders("999000024", Role::Shareholder).is_empty());
}

#[test]
fn the_public_institution_declares_its_manager() {
    assert_eq!(
        value("999000031", "company-profile")["legalForm"]["elf"],
        "KWBA"
    );
    let owners = value("999000031", "beneficial-owners");
    assert_eq!(
        owners["owners"][0]["controls"][0]["nature"],
        "seniorManagingOfficial"
    );
}

#[test]
fn statuses_have_their_codes_and_who_acts_instead_of_the_manager() {
    for (code, jar_code, status, body, role) in [
        (
            "999000049",
            "5",
            NormalizedStatus::Bankruptcy,
            Some(BodyKind::InsolvencyAdministrator),
            Some(Role::InsolvencyAdministrator),
        ),
        (
            "999000056",
            "4",
            NormalizedStatus::UnderRestructuring,
            Some(BodyKind::Manager),
            Some(Role::InsolvencyAdministrator),
        ),
        (
            "999000063",
            "7",
            NormalizedStatus::InLiquidation,
            Some(BodyKind::Liquidator),
            Some(Role::Liquidator),
        ),
        (
            "999000070",
            "10",
            NormalizedStatus::Deregistered,
            None,
            None,
        ),
    ] {
        let Answer::Data(RegisterData::CompanyProfile(profile)) = asked(code, "company-profile")
        else {
            panic!("{code}");
        };
        assert_eq!(profile.legal_status.jar_code.as_deref(), Some(jar_code));
        assert_eq!(profile.legal_status.normalized, status);
        assert_eq!(
            profile
                .management_bodies
                .unwrap()
                .first()
                .map(|body| body.kind),
            body
        );
        assert_eq!(profile.deregistered_on.is_some(), code == "999000070");
        if let Some(role) = role {
            assert!(!holders(code, role).is_empty(), "{code}");
        }
    }
    for role in Role::ALL {
        assert!(holders("999000070", role).is_empty(), "{role}");
    }
}

#[test]
fn one_entity_has_a_profile_alone() {
    assert!(matches!(
        asked("999000088", "company-profile"),
        Answer::Data(_)
    ));
    for kind in ["participants", "real-estate", "seizures", "cases"] {
        assert_eq!(asked("999000088", kind), Answer::NoData, "{kind}");
    }
}

#[test]
fn declarations_of_beneficial_owners_have_all_four_statuses() {
    for (code, status, statements) in [
        (COMPLETE, DeclarationStatus::Declared, Some(3)),
        ("999000095", DeclarationStatus::NotDeclared, None),
        ("999000106", DeclarationStatus::ExemptState, Some(2)),
        ("999000113", DeclarationStatus::CannotBeDetermined, Some(2)),
    ] {
        let Answer::Data(RegisterData::BeneficialOwners(owners)) = asked(code, "beneficial-owners")
        else {
            panic!("{code}");
        };
        assert_eq!(owners.status, status);
        let named = owners.owners.map(|owners| owners.len());
        let expected = (status == DeclarationStatus::Declared).then_some(1);
        assert_eq!(named, expected, "nobody is known where nobody is declared");
        let stated = owners.bods.map(|bods| bods.len());
        assert_eq!(stated, statements, "{code}");
    }
}

#[test]
fn the_large_answers_are_as_large_as_they_say() {
    let participants = value("999000120", "participants");
    assert_eq!(participants["participants"].as_array().unwrap().len(), 500);
    assert_eq!(participants["bods"].as_array().unwrap().len(), 1001);
    let acts = value("999000138", "seizures");
    assert_eq!(acts["acts"].as_array().unwrap().len(), 200);
}

#[test]
fn shares_of_participants_add_up() {
    for code in CODES.iter().take(15) {
        let Answer::Data(RegisterData::Participants(found)) = asked(code, "participants") else {
            continue;
        };
        let percents = found
            .participants
            .iter()
            .filter_map(|one| one.holding.percent);
        let sum: f64 = percents.map(f64::from).sum();
        assert!((sum - 100.0).abs() < 1e-6, "{code}: {sum}");
        let natural = found
            .participants
            .iter()
            .filter(|one| one.participant_type == PartyType::Natural);
        assert_eq!(
            natural.count(),
            (found.counts.lt_natural + found.counts.foreign_natural) as usize
        );
    }
}

#[test]
fn the_manager_with_an_estonian_code_is_told_by_it() {
    let query = Query::RoleHolders {
        entity: "999000145".parse().unwrap(),
        role: Role::Manager,
    };
    let RegisterData::RoleHolders(found) = data(&query) else {
        panic!("role holders");
    };
    let HolderIdentity::Foreign {
        country,
        identifier,
    } = &found.holders[0].identity
    else {
        panic!("a foreign identifier");
    };
    assert_eq!(
        (country.as_str(), identifier.as_str()),
        ("EE", personas::FOREIGN.personal_code)
    );
}

#[test]
fn registers_are_out_of_order_as_published() {
    for query in queries("999000152") {
        assert_eq!(synthetic::answer(&query), Answer::Down);
    }
    for query in queries("999000162") {
        assert_eq!(synthetic::answer(&query), Answer::Hangs);
    }
    for query in queries("999000177") {
        assert_eq!(synthetic::answer(&query), Answer::Garbage);
    }
    for query in queries("999000184") {
        assert_eq!(
            synthetic::answer(&query) == Answer::Down,
            query.kind() == "seizures"
        );
    }
    for query in queries("999000191").into_iter().chain(queries("124110246")) {
        assert_eq!(synthetic::answer(&query), Answer::Unknown);
    }
}

#[test]
fn things_are_as_published_and_what_entities_hold_can_be_looked_up() {
    let [complete, empty, down, _] = PROPERTIES
        .map(|number| synthetic::answer(&Query::PropertyExtract(number.parse().unwrap())));
    let Answer::Data(RegisterData::PropertyExtract(extract)) = complete else {
        panic!("an extract");
    };
    assert!(extract.mortgages.is_some_and(|held| !held.is_empty()));
    assert!(extract.other_rights.is_some_and(|held| !held.is_empty()));
    assert_eq!((empty, down), (Answer::NoData, Answer::Down));
    let unknown = Query::PropertyExtract("4400-9990-0009".parse().unwrap());
    assert_eq!(synthetic::answer(&unknown), Answer::Unknown);
    let acts = value(COMPLETE, "seizures");
    assert_eq!(
        acts["acts"][0]["actId"],
        extract.seizure_marks.unwrap()[0].act_id
    );
    assert_eq!(
        acts["acts"][0]["property"][0]["identifier"]["value"],
        COMPLETE_PROPERTY
    );
    for code in CODES.iter().take(15) {
        let Answer::Data(RegisterData::RealEstate(held)) = asked(code, "real-estate") else {
            continue;
        };
        for item in held.items {
            let RegisterData::PropertyExtract(extract) =
                data(&Query::PropertyExtract(item.unique_number))
            else {
                panic!("an extract");
            };
            assert_eq!(
                extract.owners.unwrap()[0].owner.code.as_deref(),
                Some(*code)
            );
        }
    }
}

#[test]
fn no_answer_for_callers_has_a_personal_code() {
    for code in CODES {
        for query in queries(code).into_iter().take(6) {
            let Answer::Data(data) = synthetic::answer(&query) else {
                continue;
            };
            let text = serde_json::to_string(&data).unwrap();
            let persons = Role::ALL.into_iter().flat_map(|role| holders(code, role));
            for (_, personal_code) in persons {
                assert!(personal_code.is_none_or(|personal_code| !text.contains(&personal_code)));
            }
        }
    }
}

#[test]
fn statements_refer_to_records_that_were_stated_before() {
    for code in CODES {
        for kind in ["participants", "beneficial-owners"] {
            let Answer::Data(data) = asked(code, kind) else {
                continue;
            };
            let value = serde_json::to_value(data).unwrap();
            let mut stated = Vec::new();
            for statement in value["bods"].as_array().into_iter().flatten() {
                let id = statement["statementId"].as_str().unwrap();
                assert!((32..=64).contains(&id.len()));
                if statement["recordType"] == "relationship" {
                    let details = &statement["recordDetails"];
                    assert!(stated.contains(&details["subject"]));
                    let party = &details["interestedParty"];
                    assert!(party["reason"].is_string() || stated.contains(party));
                }
                stated.push(statement["recordId"].clone());
            }
        }
    }
}

#[test]
fn the_complete_thing_is_the_one_that_its_owner_holds() {
    let held = value(COMPLETE, "real-estate");
    assert_eq!(held["items"][0]["uniqueNumber"], COMPLETE_PROPERTY);
    assert_eq!(held["items"][0]["seized"], true);
}
