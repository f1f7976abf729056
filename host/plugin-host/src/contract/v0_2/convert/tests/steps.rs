//! Requests to plugins of 0.2, their needs and outcomes.

use parafa_catalogue::{NeedKind, SignatureAlgorithm};

use super::*;
use crate::contract::v0_2::bindings::archive::exports::parafa::format::archiving;
use crate::contract::v0_2::bindings::sign::exports::parafa::format::signing;

const PARAMS: [(&str, &str); 2] = [("reason", "because"), ("reason", "")];

fn params() -> Vec<Parameter> {
    let params = PARAMS.map(|(name, value)| Parameter {
        name: name.to_owned(),
        value: value.to_owned(),
    });
    params.to_vec()
}

/// Returns the names and values of these parameters.
fn told(params: &[types::Parameter]) -> Vec<(&str, &str)> {
    let params = params.iter();
    let params = params.map(|param| (param.name.as_str(), param.value.as_str()));
    params.collect()
}

fn signing_at(target_level: TargetLevel) -> SignRequest {
    SignRequest {
        time: i64::MIN,
        seed: [7; 32],
        target_level,
        signer_chain: vec![vec![1], Vec::new()],
        signature_algorithm: SignatureAlgorithm::RsaPss(DigestAlgorithm::Sha512),
        reserve: u32::MAX,
        params: params(),
    }
}

#[test]
fn a_request_for_a_signature_comes_to_the_plugin_whole() {
    let asked = sign_request(&signing_at(TargetLevel::BT), &strings(["a", "b"]));

    assert_eq!(asked.time, i64::MIN);
    assert_eq!(asked.seed, [7; 32]);
    assert_eq!(asked.signer_chain, [vec![1_u8], Vec::new()]);
    assert_eq!(asked.signature_algorithm, "RSA-PSS-SHA512");
    assert_eq!(asked.reserve, u32::MAX);
    assert_eq!(asked.covers, ["a", "b"]);
    assert_eq!(told(&asked.params), PARAMS);
}

#[test]
fn a_signature_is_asked_for_by_the_levels_of_0_2() {
    for (target_level, name) in [(TargetLevel::BB, "B-B"), (TargetLevel::BT, "B-T")] {
        let asked = sign_request(&signing_at(target_level), &[]);
        assert_eq!(asked.target_level, name);
    }
}

fn archiving_at(target_level: TargetLevel) -> ArchiveRequest {
    ArchiveRequest {
        time: i64::MAX,
        seed: [7; 32],
        target_level,
        params: params(),
    }
}

#[test]
fn an_archive_is_asked_for_b_lt_alone() {
    let asked = archive_request(&archiving_at(TargetLevel::BLt)).unwrap();
    assert_eq!(asked.time, i64::MAX);
    assert_eq!(asked.seed, [7; 32]);
    assert_eq!(asked.target_level, "B-LT");
    assert_eq!(told(&asked.params), PARAMS);

    for level in [TargetLevel::BB, TargetLevel::BT, TargetLevel::BLta] {
        let refused = archive_request(&archiving_at(level)).unwrap_err();
        let sentence = format!("The contract 0.2 has no archive at level {level}.");
        assert_eq!(refused, Refusal::new("bad-request", sentence));
    }
}

#[test]
fn a_request_to_make_a_document_comes_to_the_plugin_whole() {
    let (time, seed) = (-1, [7; 32]);
    let derived = derivation(&DeriveRequest {
        time,
        seed,
        params: params(),
    });
    let composed = compose_request(&ComposeRequest {
        time,
        seed,
        media_type: MEDIA_TYPE.to_owned(),
        params: params(),
    });

    assert_eq!((derived.time, composed.time), (time, time));
    assert_eq!(derived.seed, seed);
    assert_eq!(composed.seed, seed);
    assert_eq!(composed.media_type, MEDIA_TYPE);
    for params in [&derived.params, &composed.params] {
        assert_eq!(told(params), PARAMS);
    }
}

/// Returns a need of this kind for the bytes `[1]`.
fn asking(kind: &str, digest_algorithm: Option<&str>) -> types::Need {
    types::Need {
        id: "one".to_owned(),
        kind: kind.to_owned(),
        payload: types::Payload::Bytes(vec![1]),
        digest_algorithm: digest_algorithm.map(str::to_owned),
        params: Vec::new(),
    }
}

fn with_param(need: types::Need, name: &str, value: &str) -> types::Need {
    let (name, value) = (name.to_owned(), value.to_owned());
    types::Need {
        params: vec![types::Parameter { name, value }],
        ..need
    }
}

fn with_digest(need: types::Need, digest: types::Digest) -> types::Need {
    types::Need {
        payload: types::Payload::Digest(digest),
        ..need
    }
}

#[test]
fn a_need_is_of_one_of_four_kinds() {
    let sha_256 = Some(DigestAlgorithm::Sha256);
    for (name, kind, digest_algorithm) in [
        ("signature", NeedKind::Signature, sha_256),
        ("timestamp", NeedKind::Timestamp, sha_256),
        ("certificate", NeedKind::Certificate, None),
        ("revocation", NeedKind::Revocation, None),
    ] {
        let asked = asking(name, digest_algorithm.map(DigestAlgorithm::name));
        assert_eq!(
            need(asked),
            Ok(Need {
                id: "one".to_owned(),
                kind,
                payload: Payload::Bytes(vec![1]),
                digest_algorithm,
                // 1.0 always names the kind of a time-stamp; in 0.2 it may be left out.
                params: Vec::new(),
            })
        );
    }
    assert_eq!(need(asking(OTHER, None)), no("kind of need", OTHER));
}

#[test]
fn a_need_has_the_parameters_that_the_plugin_gave() {
    let sha_256 = Some("SHA-256");
    for (asked, name, value) in [
        (asking("signature", sha_256), OTHER, ""),
        (asking("timestamp", sha_256), "kind", "document"),
        (asking("revocation", None), "issuer", "Ag=="),
        (asking("revocation", None), "time", "not a time"),
    ] {
        let asked = with_param(asked, name, value);
        let (name, value) = (name.to_owned(), value.to_owned());
        assert_eq!(need(asked).unwrap().params, [Parameter { name, value }]);
    }
    let time_mark = with_param(asking("timestamp", sha_256), "kind", "time-mark");
    assert_eq!(
        need(time_mark),
        no("kind of time-stamp to be asked for", "time-mark")
    );
}

#[test]
fn a_need_may_have_a_digest_in_place_of_its_bytes() {
    for kind in ["signature", "timestamp"] {
        let asked = with_digest(asking(kind, Some("SHA-384")), digest("SHA-384", 48));
        let asked = need(asked).unwrap();
        assert_eq!(asked.digest_algorithm, Some(DigestAlgorithm::Sha384));
        assert_eq!(
            asked.payload,
            Payload::Digest(Digest {
                algorithm: DigestAlgorithm::Sha384,
                value: vec![7; 48],
            })
        );
    }
    for kind in ["certificate", "revocation"] {
        assert_eq!(
            need(with_digest(asking(kind, None), digest("SHA-256", 32))),
            Err(ContractBreach::Missing("the certificate of a need"))
        );
    }
}

#[test]
fn a_need_has_an_id_and_a_digest_algorithm_that_fits() {
    let asked = asking("signature", Some("SHA-256"));
    let named = |id: String| {
        need(types::Need {
            id,
            ..asked.clone()
        })
    };

    assert_eq!(
        named(String::new()),
        Err(ContractBreach::Missing("the id of a need"))
    );
    let long = "i".repeat(129);
    assert_eq!(named(long.clone()), no("need id", &long));
    for kind in ["signature", "timestamp"] {
        assert_eq!(
            need(asking(kind, None)),
            Err(ContractBreach::Missing("the digest algorithm of a need"))
        );
    }
    assert_eq!(
        need(asking("signature", Some(OTHER))),
        no("digest algorithm", OTHER)
    );
    assert_eq!(
        need(with_digest(asked.clone(), digest("SHA-512", 64))),
        no("digest algorithm of the need", "SHA-512")
    );
    assert_eq!(
        need(with_digest(asked, digest("SHA-256", 0))),
        Err(ContractBreach::DigestLength {
            algorithm: DigestAlgorithm::Sha256,
            bytes: 0,
        })
    );
}

#[test]
fn an_answer_is_bytes_or_any_reason() {
    for outcome in [
        Ok(vec![0, 255]),
        Ok(Vec::new()),
        Err("anchor".to_owned()),
        Err("unavailable".to_owned()),
        Err("untrusted".to_owned()),
        Err(OTHER.to_owned()),
    ] {
        let answer = Answer {
            need: need(asking("certificate", None)).unwrap(),
            outcome: outcome.clone(),
        };
        let told = answers(&[answer]);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].need_id, "one");
        assert_eq!(told[0].outcome, outcome);
    }
}

/// Returns the breach of a step with so many needs and `an` or `no` outcome.
fn unclear<T>(needs: usize, outcome: &'static str) -> Result<T, ContractBreach> {
    Err(ContractBreach::EmptyOrMixedStep { needs, outcome })
}

fn signed(level: &str) -> signing::Outcome {
    signing::Outcome {
        media_type: MEDIA_TYPE.to_owned(),
        level: level.to_owned(),
        signature_id: "Signature 1".to_owned(),
    }
}

#[test]
fn a_step_of_signing_has_needs_or_an_outcome() {
    let step = |needs, outcome| sign_step(sign::Step { needs, outcome });
    let asked = || asking("certificate", None);

    assert_eq!(
        step(vec![asked()], None),
        Ok(Step::Needs(vec![need(asked()).unwrap()]))
    );
    for level in [LEVEL, "unknown"] {
        assert_eq!(
            step(Vec::new(), Some(signed(level))),
            Ok(Step::Done(Outcome {
                media_type: MEDIA_TYPE.to_owned(),
                level: level.to_owned(),
                signature_id: "Signature 1".to_owned(),
            }))
        );
    }
    assert_eq!(step(Vec::new(), Some(signed(""))), no("level", ""));
    assert_eq!(
        step(vec![asking(OTHER, None)], None),
        no("kind of need", OTHER)
    );
    assert_eq!(step(Vec::new(), None), unclear(0, "no"));
    assert_eq!(step(vec![asked()], Some(signed(LEVEL))), unclear(1, "an"));
}

#[test]
fn a_step_of_archiving_has_needs_or_an_outcome() {
    let step = |needs, outcome| archive_step(archive::Step { needs, outcome });
    let asked = || asking("revocation", None);
    let archived = |level: &str, changed| archiving::Outcome {
        media_type: MEDIA_TYPE.to_owned(),
        level: level.to_owned(),
        changed,
    };

    assert_eq!(
        step(vec![asked()], None),
        Ok(Step::Needs(vec![need(asked()).unwrap()]))
    );
    for changed in [false, true] {
        assert_eq!(
            step(Vec::new(), Some(archived("Toy-B-LT", changed))),
            Ok(Step::Done(ArchiveOutcome {
                archived: Archived {
                    media_type: MEDIA_TYPE.to_owned(),
                    level: "Toy-B-LT".to_owned(),
                },
                changed,
            }))
        );
    }
    assert_eq!(
        step(Vec::new(), Some(archived("B LT", true))),
        no("level", "B LT")
    );
    assert_eq!(
        step(vec![asked()], Some(archived("Toy-B-LT", true))),
        unclear(1, "an")
    );
}

#[test]
fn a_made_document_has_a_media_type_and_any_notes() {
    let told = |media_type: &str| {
        made(types::Made {
            media_type: media_type.to_owned(),
            notes: strings(["need-appearances", OTHER]),
        })
    };

    assert_eq!(
        told(MEDIA_TYPE),
        Ok(Made {
            media_type: MEDIA_TYPE.to_owned(),
            notes: strings(["need-appearances", OTHER]),
        })
    );
    assert_eq!(told("no type"), no("media type", "no type"));
}
