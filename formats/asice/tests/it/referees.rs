//! Validators that other people made.

use std::fs;
use std::path::{Path, PathBuf};

use parafa_fixtures::referees::{AsicE, Dss};
use tempfile::TempDir;

use crate::ceremony::{FILES, P256, P384, PKI, RSA, Signer, signed_by};

/// Containers in files, for programs.
pub(crate) struct Written {
    folder: TempDir,
    pub(crate) files: Vec<PathBuf>,
}

impl Written {
    pub(crate) fn new(containers: &[Vec<u8>]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = containers.iter().enumerate().map(|(number, container)| {
            let file = folder.path().join(format!("{number}.asice"));
            fs::write(&file, container).unwrap();
            file
        });
        let files = files.collect();
        Self { folder, files }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Everybody who signs or stamps here, as anchors: nobody answers for their
/// certificates.
pub(crate) fn anchors(folder: &Path) -> Vec<PathBuf> {
    let signers = [&*P256, &P384, &RSA].into_iter().enumerate();
    let files = signers.map(|(number, signer)| {
        let file = folder.join(format!("{number}.pem"));
        fs::write(&file, signer.holder.certificate.to_pem().unwrap()).unwrap();
        file
    });
    files.chain([PKI.folder().join("tsa.pem")]).collect()
}

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
    let written = Written::new(&containers);
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
