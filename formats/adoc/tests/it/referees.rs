//! Validators that other people made.

use parafa_fixtures::referees::AsicE;

use crate::ceremony::{P256, P384, RSA, Signer, signed_by};
use crate::signers::{PKI, Written};

#[test]
fn others_find_every_signature_of_ours_sound_and_over_everything() {
    let all: [&Signer; 3] = [&RSA, &P256, &P384];
    let alone = all.iter().map(|signer| vec![*signer]);
    let ceremonies: Vec<_> = alone.chain([vec![all[1], all[2]], all.to_vec()]).collect();
    let documents: Vec<_> = ceremonies
        .iter()
        .map(|signers| signed_by(signers))
        .collect();
    let written = Written::new(&documents, "adoc");
    let Some(judge) = AsicE::find(&[PKI.folder().join("root.pem")]) else {
        return;
    };
    for (verdict, signers) in judge.verdicts(&written.files).iter().zip(&ceremonies) {
        assert!(verdict.ok, "{verdict:#?}");
        assert_eq!(verdict.signatures.len(), signers.len());
        assert!(verdict.signatures.iter().all(|one| one.timestamps == 1));
    }
}
