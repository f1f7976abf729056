//! The synthetic source, and routes to sources.

use std::sync::Arc;

use jiff::Timestamp;
use parafa_register_data::data::BodyKind;
use parafa_register_data::{Query, Register, RegisterData, Role, SourceMode};
use parafa_registers::{RegisterSource, Routes, SourceError, Synthetic, Unavailable};
use sha2::{Digest as _, Sha256};

use crate::support::{COMPLETE, Hands, nothing, profile, unavailable};

fn synthetic() -> Arc<dyn RegisterSource> {
    Arc::new(Synthetic::new(Hands::default().clock()))
}

#[tokio::test]
async fn a_synthetic_answer_says_what_it_is_and_is_its_own_raw_form() {
    let answer = synthetic().answer(&profile(COMPLETE)).await.unwrap();
    assert_eq!(answer.mode, SourceMode::Synthetic);
    assert_eq!(answer.register, Register::Jar);
    assert_eq!(answer.retrieved_at, Timestamp::UNIX_EPOCH);
    assert_eq!(answer.reference, "synthetic/jar/company-profile/999000009");
    let shares = Query::Participants(COMPLETE.parse().unwrap());
    let answer = synthetic().answer(&shares).await.unwrap();
    let read = RegisterData::from_json(&shares, &answer.raw).unwrap();
    assert_eq!(read, answer.data);
}

#[tokio::test]
async fn whose_term_of_office_has_ended_holds_the_role_no_more() {
    let last_day: Timestamp = "2028-03-31T12:00:00+03:00".parse().unwrap();
    let hands = Hands::default();
    hands.forward(last_day.as_second());
    let registers = Synthetic::new(hands.clock());
    let board = Query::RoleHolders {
        entity: COMPLETE.parse().unwrap(),
        role: Role::BoardMember,
    };
    assert!(registers.answer(&board).await.is_ok());
    hands.forward(24 * 3600);

    let nobody = registers.answer(&board).await;
    nothing(nobody);
    let answer = registers.answer(&profile(COMPLETE)).await.unwrap();
    let RegisterData::CompanyProfile(profile) = answer.data else {
        panic!("it is no profile");
    };
    let bodies: Vec<_> = profile
        .management_bodies
        .iter()
        .flatten()
        .map(|one| one.kind)
        .collect();
    assert_eq!(bodies, [BodyKind::Manager]);
}

#[tokio::test]
async fn what_is_down_hangs_or_is_garbage_in_the_set_is_unavailable_at_once() {
    for code in ["999000152", "999000162", "999000177"] {
        let reason = unavailable(synthetic().answer(&profile(code)).await);
        assert!(matches!(reason, Unavailable::Synthetic), "{code}");
    }
}

#[tokio::test]
async fn that_nothing_is_held_is_an_answer_with_its_raw_form() {
    let held = Query::Seizures("999000088".parse().unwrap());
    let unknown = Query::Seizures("999000191".parse().unwrap());
    let mut raw = Vec::new();
    for (query, is_unknown) in [(held, false), (unknown, true)] {
        let absent = nothing(synthetic().answer(&query).await);
        assert_eq!(absent.data.subject_is_unknown, is_unknown);
        assert_eq!(absent.data.query, query);
        assert_eq!(absent.register, Register::Taar);
        assert_eq!(
            absent.raw_sha256,
            <[u8; 32]>::from(Sha256::digest(&absent.raw))
        );
        let said = String::from_utf8(absent.raw.to_vec()).unwrap();
        assert!(said.contains(query.subject()), "{said}");
        raw.push(said);
    }
    assert_ne!(raw[0], raw[1]);
}

#[tokio::test]
async fn a_register_without_a_source_is_not_offered_and_not_down() {
    let routes = Routes::default().with(Register::Jar, synthetic());
    assert!(routes.answer(&profile(COMPLETE)).await.is_ok());
    let manager = Query::RoleHolders {
        entity: COMPLETE.parse().unwrap(),
        role: Role::Manager,
    };
    assert!(routes.answer(&manager).await.is_ok());
    let procurator = Query::RoleHolders {
        entity: COMPLETE.parse().unwrap(),
        role: Role::Procurator,
    };
    let refused = routes.answer(&procurator).await;
    let Err(SourceError::NotOffered { register, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(register, Register::Igr);
    assert!(Routes::all(&synthetic()).answer(&procurator).await.is_ok());
}
