//! Validators that other people made, over what is signed and raised here.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64URL;
use parafa_fixtures::referees::{Dss, JwsLibraries};

use crate::ceremony::{ANSWER, WORLD, archived, json};

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

    // Nobody can be asked, so that only what is complete passes.
    for verdict in dss.verdicts(&files.raised, &["--level", "LT"]) {
        assert!(verdict.ok, "{verdict:#?}");
        assert_eq!(verdict.signatures[0].level, "JAdES-BASELINE-LT");
    }
    let claims = [
        (&files.basic, "JAdES-BASELINE-B"),
        (&files.stamped, "JAdES-BASELINE-T"),
    ];
    for (documents, level) in claims {
        for verdict in dss.verdicts(documents, &[]) {
            let [signature] = &verdict.signatures[..] else {
                panic!("{verdict:#?}")
            };
            assert_eq!(signature.level, level, "{verdict:#?}");
            assert_eq!(signature.indication, "INDETERMINATE", "{verdict:#?}");
            let why = signature.sub_indication.as_deref();
            assert_eq!(
                why,
                Some("CERTIFICATE_CHAIN_GENERAL_FAILURE"),
                "{verdict:#?}"
            );
        }
    }
    // The same at level B with the signer for an anchor, whom nobody revokes.
    let signer = files.folder.path().join("signer.pem");
    let certificate = &WORLD.rsa.holder.certificate;
    fs::write(&signer, certificate.to_pem().unwrap()).unwrap();
    let dss = Dss::find(&[signer]).expect("it was there before");
    let verdict = dss.verdict(&files.basic[0], &["--level", "B"]);
    assert!(verdict.ok, "{verdict:#?}");
}

/// The rule of `docs/jades.md`: what the key signed is the digest of the signing
/// input, which is hashed once.
#[test]
fn openssl_verifies_the_digest_of_the_signing_input_and_no_digest_of_it() {
    let signed = json(&WORLD.rsa.signs(ANSWER, "B-B"));
    let text = |name: &str| signed[name].as_str().unwrap();
    let input = format!("{}.{}", text("protected"), text("payload"));
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let once = openssl::sha::sha256(input.as_bytes());
    write("input", input.as_bytes());
    write("digest", &once);
    write("digest-of-digest", &openssl::sha::sha256(&once));
    write("value", &BASE64URL.decode(text("signature")).unwrap());
    let key = WORLD.rsa.holder.key.public_key_to_pem().unwrap();
    write("key.pem", &key);
    let succeeds = |arguments: &[&str]| {
        let mut openssl = Command::new("openssl");
        let output = openssl.args(arguments).current_dir(folder.path()).output();
        output.unwrap().status.success()
    };
    let prehashed = |input| {
        succeeds(&[
            "pkeyutl",
            "-verify",
            "-pubin",
            "-inkey",
            "key.pem",
            "-in",
            input,
            "-sigfile",
            "value",
            "-pkeyopt",
            "rsa_padding_mode:pkcs1",
            "-pkeyopt",
            "digest:sha256",
        ])
    };

    let dgst = [
        "dgst",
        "-sha256",
        "-verify",
        "key.pem",
        "-signature",
        "value",
    ];
    assert!(succeeds(&[&dgst[..], &["input"]].concat()));
    assert!(!succeeds(&[&dgst[..], &["digest"]].concat()));
    assert!(prehashed("digest"));
    assert!(!prehashed("digest-of-digest"));
}
