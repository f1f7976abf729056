//! Independent validators, applied to documents signed and raised here.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use parafa_fixtures::referees::{Dss, JwsLibraries};
use parafa_fixtures::tool::program;

use crate::ceremony::{ANSWER, WORLD, archived};

struct Files {
    folder: tempfile::TempDir,
    basic: Vec<PathBuf>,
    stamped: Vec<PathBuf>,
    raised: Vec<PathBuf>,
}

impl Files {
    fn written() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, number: usize, document: &[u8]| {
            let file = folder.path().join(format!("{name}-{number}.json"));
            fs::write(&file, document).unwrap();
            file
        };
        let [mut basic, mut stamped, mut raised] = [Vec::new(), Vec::new(), Vec::new()];
        let organisations = [&WORLD.rsa, &WORLD.p256, &WORLD.p384];
        for (number, organisation) in organisations.into_iter().enumerate() {
            let document = organisation.signs(ANSWER, "B-T");
            basic.push(write("b", number, &organisation.signs(ANSWER, "B-B")));
            raised.push(write("lt", number, &archived(&document)));
            stamped.push(write("t", number, &document));
        }
        Self {
            folder,
            basic,
            stamped,
            raised,
        }
    }

    fn root() -> PathBuf {
        WORLD.pki.folder().join("root.pem")
    }

    fn all(&self) -> Vec<&PathBuf> {
        [&self.basic, &self.stamped, &self.raised]
            .into_iter()
            .flatten()
            .collect()
    }
}

#[test]
fn libraries_of_json_web_signatures_verify_every_level() {
    let Some(libraries) = JwsLibraries::find(&Files::root()) else {
        return;
    };
    let files = Files::written();
    let all = files.all();
    let payload = String::from_utf8(ANSWER.to_vec()).unwrap();

    for verdict in libraries.jose(&all) {
        assert!(verdict.ok, "{verdict:#?}");
        assert_eq!(verdict.payload.as_ref(), Some(&payload));
    }
    let verdicts = libraries.jwcrypto(&all);
    for (verdict, file) in verdicts.iter().zip(&all) {
        assert!(verdict.ok, "{verdict:#?}");
        assert_eq!(verdict.payload.as_ref(), Some(&payload));
        let stamps = usize::from(!files.basic.contains(file));
        assert_eq!(verdict.timestamps.len(), stamps, "{verdict:#?}");
    }
}

#[test]
fn the_eus_validator_finds_every_level_as_it_is_claimed() {
    let Some(dss) = Dss::find(&[Files::root()]) else {
        return;
    };
    let files = Files::written();

    // No service can be asked, so only complete documents pass.
    for verdict in dss.verdicts(&files.raised, &["--level", "LT"]) {
        assert!(verdict.ok, "{verdict:#?}");
        assert_eq!(verdict.signatures[0].level, "JAdES-BASELINE-LT");
    }
    let incomplete = [&files.basic[..], &files.stamped].concat();
    let claims = ["JAdES-BASELINE-B", "JAdES-BASELINE-T"];
    for (index, verdict) in dss.verdicts(&incomplete, &[]).iter().enumerate() {
        let [signature] = &verdict.signatures[..] else {
            panic!("{verdict:#?}")
        };
        let claim = claims[index / files.basic.len()];
        assert_eq!(signature.level, claim, "{verdict:#?}");
        assert_eq!(signature.indication, "INDETERMINATE", "{verdict:#?}");
        let why = signature.sub_indication.as_deref();
        assert_eq!(
            why,
            Some("CERTIFICATE_CHAIN_GENERAL_FAILURE"),
            "{verdict:#?}"
        );
    }
    // Like above, at level B, with the signer as an anchor without revocation.
    let signer = files.folder.path().join("signer.pem");
    let certificate = &WORLD.rsa.holder.certificate;
    fs::write(&signer, certificate.to_pem().unwrap()).unwrap();
    let dss = Dss::find(&[signer]).expect("it was there before");
    let verdict = dss.verdict(&files.basic[0], &["--level", "B"]);
    assert!(verdict.ok, "{verdict:#?}");
}

/// The commands in `docs/jades.md`, verbatim.
#[test]
fn the_commands_of_the_documentation_hash_once_and_fail_where_they_hash_twice() {
    let (Some(_), Some(_)) = (program("jq"), program("awk")) else {
        return;
    };
    let documentation = fs::read_to_string("../../docs/jades.md").unwrap();
    let (_, rest) = documentation.split_once("```sh\n").unwrap();
    let (commands, _) = rest.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::copy(Files::root(), folder.path().join("root.pem")).unwrap();
    let signed = archived(&WORLD.rsa.signs(ANSWER, "B-T"));
    fs::write(folder.path().join("answer.json"), signed).unwrap();

    let mut shell = Command::new("sh");
    let output = shell.args(["-c", commands]).current_dir(folder.path());
    let output = output.output().unwrap();

    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        [
            "Verified OK",
            "Signature Verified Successfully",
            "Verification failure",
            "Verification: OK",
        ],
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
