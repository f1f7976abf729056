//! Independent validators.

use parafa_fixtures::referees::{AsicE, Dss};

use crate::ceremony::{FILES, PKI, signed_by};
use crate::signers::{Written, anchors, ceremonies};

#[test]
fn others_find_every_signature_of_ours_sound_and_over_every_file() {
    let signed = ceremonies()
        .into_iter()
        .map(|signers| (signed_by(&signers, "B-T"), signers.len()));
    let (containers, signers): (Vec<_>, Vec<_>) = signed.unzip();
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
