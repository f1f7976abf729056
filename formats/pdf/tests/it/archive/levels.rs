//! Requirements for the highest level.

use parafa_fixtures::plain;
use parafa_format_core::{NeedKind, Step};

use super::{level_of_first, signed, time_stamped, with_more, with_store};
use crate::archiving::{HIERARCHY, archived, archived_with, request, step};
use crate::ceremony::PKI;

#[test]
fn a_time_stamp_over_everything_is_the_highest_level() {
    let archived = archived(&signed(&plain(1)));

    let stamped = stamped(&archived);

    assert_eq!(level_of_first(&stamped), "PAdES-B-LTA");
    let (again, nothing) = step(&stamped, &request(), &[]).unwrap();
    let Step::Done(outcome) = again else {
        panic!("nothing is to be asked")
    };
    assert_eq!(
        (outcome.level.as_str(), outcome.changed),
        ("PAdES-B-LTA", false)
    );
    assert!(nothing.is_empty());
}

#[test]
fn a_time_stamp_over_less_than_everything_is_none_over_it() {
    let before = stamped(&signed(&plain(1)));

    assert_eq!(level_of_first(&before), "PAdES-B-T");
    assert_eq!(level_of_first(&archived(&before)), "PAdES-B-LT");
}

#[test]
fn a_time_stamp_whose_chain_has_no_end_adds_nothing() {
    // The root is missing: the chain of the time-stamping unit is incomplete.
    let authority = HIERARCHY.authority.certificate.to_der().unwrap();
    let document = with_store(&signed(&plain(1)), &[authority], &[], &[]);

    assert_eq!(level_of_first(&stamped(&document)), "PAdES-B-T");
}

#[test]
fn what_a_time_stamp_is_over_stays_under_it_when_the_store_holds_it_again() {
    let mut responses = Vec::new();
    let (archived, _) = archived_with(&signed(&plain(1)), |need| {
        let answer = HIERARCHY.answer(need);
        if need.kind == NeedKind::Revocation {
            responses.extend(answer.outcome.clone());
        }
        answer
    })
    .unwrap();
    let stamped = stamped(&archived);

    let again = with_more(&stamped, "/OCSPs [", &responses);

    assert_eq!(level_of_first(&again), "PAdES-B-LTA");
}

fn stamped(document: &[u8]) -> Vec<u8> {
    time_stamped(document, &PKI, 90)
}
