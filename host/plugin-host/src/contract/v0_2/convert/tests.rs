//! Descriptions and reports of plugins of 0.2.

mod steps;

use parafa_catalogue::{Digest, DigestAlgorithm, MemberRole, Note, Operation, Preservation};

use super::*;
use crate::contract::v0_2::bindings::inspect::exports::parafa::format::inspection;

/// A name that 0.2 does not have.
const OTHER: &str = "of-later";
const MEDIA_TYPE: &str = "application/x-toy";
const LEVEL: &str = "Toy-B-T";

const OPERATIONS: [(&str, Operation); 4] = [
    ("archive", Operation::Archive),
    ("flatten", Operation::Flatten),
    ("rehearse", Operation::Rehearse),
    ("sign", Operation::Sign),
];
const PRESERVATIONS: [(&str, Preservation); 3] = [
    ("rewrite", Preservation::Rewrite),
    ("to-central-directory", Preservation::ToCentralDirectory),
    ("whole", Preservation::Whole),
];

/// Returns the breach of a name that is not a `what`.
fn no<T>(what: &'static str, name: &str) -> Result<T, ContractBreach> {
    Err(ContractBreach::unknown(what, name))
}

fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    Vec::from(texts.map(str::to_owned))
}

fn description(operation: &str, preservation: &str) -> describe::About {
    describe::About {
        id: "toy".to_owned(),
        version: "0.1.0".to_owned(),
        media_types: strings([MEDIA_TYPE]),
        extensions: strings(["toy"]),
        abilities: vec![describe::Ability {
            operation: operation.to_owned(),
            preservation: preservation.to_owned(),
            levels: strings([LEVEL, "unknown"]),
        }],
    }
}

#[test]
fn a_description_names_operations_and_how_they_preserve() {
    for (operation_name, operation) in OPERATIONS {
        for (preservation_name, preservation) in PRESERVATIONS {
            assert_eq!(
                about(description(operation_name, preservation_name)),
                Ok(About {
                    id: "toy".to_owned(),
                    version: "0.1.0".to_owned(),
                    media_types: strings([MEDIA_TYPE]),
                    extensions: strings(["toy"]),
                    abilities: vec![Ability {
                        operation,
                        preservation,
                        levels: strings([LEVEL, "unknown"]),
                    }],
                })
            );
        }
    }
    assert_eq!(about(description(OTHER, "whole")), no("operation", OTHER));
    assert_eq!(
        about(description("sign", OTHER)),
        no("kind of preservation", OTHER)
    );
}

#[test]
fn a_description_can_be_used() {
    let about_with = |change: fn(&mut describe::About)| {
        let mut description = description("sign", "whole");
        change(&mut description);
        about(description)
    };

    assert_eq!(
        about_with(|about| about.id = "A toy".to_owned()),
        no("plugin id", "A toy")
    );
    assert_eq!(
        about_with(|about| about.media_types.clear()),
        Err(ContractBreach::Missing("the list of media types"))
    );
    assert_eq!(
        about_with(|about| about.abilities[0].levels = strings(["B B"])),
        no("level", "B B")
    );
}

fn refused(code: &str) -> types::Refusal {
    types::Refusal {
        code: code.to_owned(),
        detail: "Not\nthis.".to_owned(),
        subjects: strings(["one\ttwo", ""]),
    }
}

fn refusal_with(code: &'static str) -> Refusal {
    Refusal {
        code: code.into(),
        detail: r"Not\nthis.".to_owned(),
        subjects: strings([r"one\ttwo", ""]),
    }
}

#[test]
fn a_refusal_has_any_plain_code_and_is_displayed_on_lines() {
    for code in ["encrypted", OTHER] {
        assert_eq!(refusal(refused(code)), Ok(refusal_with(code)));
    }
    for code in ["", "Not plain"] {
        assert_eq!(refusal(refused(code)), no("refusal code", code));
    }
}

fn inspected() -> inspect::Report {
    inspect::Report {
        media_type: MEDIA_TYPE.to_owned(),
        format_version: "1.7".to_owned(),
        signatures: Vec::new(),
        fields: Vec::new(),
        notes: Vec::new(),
        obstacles: Vec::new(),
        preservation: Vec::new(),
    }
}

#[test]
fn a_report_has_signatures_and_fields_of_any_kind() {
    assert_eq!(report(inspected()), Ok(Report::new(MEDIA_TYPE, "1.7")));
    let other = inspect::Report {
        media_type: "no type".to_owned(),
        ..inspected()
    };
    assert_eq!(report(other), no("media type", "no type"));

    for (signer, claimed_time) in [(Some("Ona".to_owned()), Some(-1)), (None, None)] {
        let found = inspect::Report {
            signatures: vec![inspection::SignatureSummary {
                id: "one".to_owned(),
                signer: signer.clone(),
                claimed_time,
            }],
            fields: vec![inspection::Field {
                name: "a.b".to_owned(),
                kind: OTHER.to_owned(),
            }],
            ..inspected()
        };
        assert_eq!(
            report(found),
            Ok(Report {
                signatures: vec![SignatureSummary {
                    id: "one".to_owned(),
                    signer,
                    claimed_time,
                }],
                fields: vec![Field {
                    name: "a.b".to_owned(),
                    kind: OTHER.to_owned(),
                }],
                ..Report::new(MEDIA_TYPE, "1.7")
            })
        );
    }
}

#[test]
fn a_report_has_notes_of_which_one_is_the_room_for_signatures() {
    let noted = |code: &str, detail: &str| {
        let (code, detail) = (code.to_owned(), detail.to_owned());
        let noted = report(inspect::Report {
            notes: vec![types::Note { code, detail }],
            ..inspected()
        });
        noted.unwrap()
    };

    let javascript = noted("javascript", "It\nruns.");
    assert_eq!(javascript.notes, [Note::new("javascript", r"It\nruns.")]);
    assert_eq!(javascript.room_for_signatures(), None);
    assert_eq!(noted("a\nb", "").notes, [Note::new(r"a\nb", "")]);
    assert_eq!(noted("signatures-fit", "3").room_for_signatures(), Some(3));
    assert_eq!(noted("signatures-fit", "-3").room_for_signatures(), None);
}

#[test]
fn a_report_has_obstacles_to_operations() {
    let hindered = |operation: &str, code: &str| {
        let obstacle = inspect::Obstacle {
            operation: operation.to_owned(),
            refusal: refused(code),
        };
        let report = report(inspect::Report {
            obstacles: vec![obstacle],
            ..inspected()
        });
        report.map(|report| report.obstacles)
    };

    for (name, operation) in OPERATIONS {
        let obstacle = Obstacle {
            operation,
            refusal: refusal_with("encrypted"),
        };
        assert_eq!(hindered(name, "encrypted"), Ok(vec![obstacle]));
    }
    assert_eq!(hindered(OTHER, "encrypted"), no("operation", OTHER));
    assert_eq!(hindered("sign", "A code"), no("refusal code", "A code"));
}

#[test]
fn a_report_has_stronger_preservation_of_this_document() {
    let kept = |operation: &str, kind: &str| {
        let preservation = inspection::Preservation {
            operation: operation.to_owned(),
            kind: kind.to_owned(),
        };
        let report = report(inspect::Report {
            preservation: vec![preservation],
            ..inspected()
        });
        report.map(|report| report.preservation)
    };

    for (name, operation) in OPERATIONS {
        for (kind, preservation) in PRESERVATIONS {
            assert_eq!(kept(name, kind), Ok(vec![(operation, preservation)]));
        }
    }
    assert_eq!(kept(OTHER, "whole"), no("operation", OTHER));
    assert_eq!(kept("sign", OTHER), no("kind of preservation", OTHER));
}

fn contained(role: &str) -> contents::Member {
    contents::Member {
        id: "a.txt".to_owned(),
        name: String::new(),
        media_type: "text/plain".to_owned(),
        size: u64::MAX,
        digest: digest("SHA-256", 32),
        role: role.to_owned(),
    }
}

fn digest(algorithm: &str, bytes: usize) -> types::Digest {
    types::Digest {
        algorithm: algorithm.to_owned(),
        value: vec![7; bytes],
    }
}

#[test]
fn a_member_has_a_role() {
    for (name, role) in [
        ("attachment", MemberRole::Attachment),
        ("main", MemberRole::Main),
        ("metadata", MemberRole::Metadata),
    ] {
        assert_eq!(
            member(contained(name)),
            Ok(Member {
                id: "a.txt".to_owned(),
                name: String::new(),
                media_type: "text/plain".to_owned(),
                size: u64::MAX,
                digest: Digest {
                    algorithm: DigestAlgorithm::Sha256,
                    value: vec![7; 32],
                },
                role,
            })
        );
    }
    assert_eq!(member(contained(OTHER)), no("role of a member", OTHER));
}

#[test]
fn a_member_has_an_id_and_its_digest_by_sha_256() {
    let nameless = contents::Member {
        id: String::new(),
        ..contained("main")
    };
    assert_eq!(
        member(nameless),
        Err(ContractBreach::Missing("the id of a member"))
    );
    let with = |digest| {
        member(contents::Member {
            digest,
            ..contained("main")
        })
    };
    assert_eq!(
        with(digest("SHA-512", 64)),
        no("digest algorithm of members", "SHA-512")
    );
    assert_eq!(with(digest(OTHER, 32)), no("digest algorithm", OTHER));
    assert_eq!(
        with(digest("SHA-256", 31)),
        Err(ContractBreach::DigestLength {
            algorithm: DigestAlgorithm::Sha256,
            bytes: 31,
        })
    );
}
