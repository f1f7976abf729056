//! Validators that other people made.

use parafa_fixtures::referees::{AsicE, Dss};

use crate::ceremony::{FILES, P256, P384, PKI, RSA, Signer, signed_by};
use crate::signers::{Written, anchors};

fn ceremonies() -> Vec<(Vec<u8>, usize)> {
    let all: [&Signer; 3] = [&RSA, &P256, &P384];
    let alone = all.iter().map(|signer| vec![*signer]);
    let together = [vec![all[1], all[2]], all.to_vec()];
    alone
        .chain(together)
        .map(|signers| (signed_by(&signers, "B-T"), signers.len()))
        .collect()
}

#[test]
fn others_find_every_signature_of_ours_sound_and_over_every_file() {
    let (containers, signers): (Vec<_>, Vec<_>) = ceremonies().into_iter().unzip();
    let written = Written::new(&containers, "asice");
    if let Some(judge) = AsicE::find(&[PKI.folder().join("root.pem")]) {
        for (verdict, signers) in judge.verdicts(&written.files).iter().zip(&signers) {
            assert!(verdict.ok, "{verdict:#?}");
            assert_eq!(verdict.signatures.len(), *signers);
            assert!(verdict.signatures.iter().all(|one| one.timestamps == 1));
        }
    }
    if let Some(dss) = Dss::find(&anchors(written.path())) {
        let verdicts = dss.verdicts(&written.files, &["--level", "T"]);
        for (verdict, signers) in verdicts.iter().zip(&signers) {
            assert!(verdict.ok, "{verdict:#?}");
            assert_eq!(verdict.signatures.len(), *signers);
            for signature in &verdict.signatures {
                assert_eq!(signature.level, "XAdES-BASELINE-T");
                assert_eq!(signature.covers.len(), FILES.len());
            }
        }
    }
}
