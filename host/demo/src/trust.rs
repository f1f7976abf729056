//! A folder of trust anchors in the form that the host reads: PEM files and a
//! `trust.toml`.

use std::path::PathBuf;

use der::{Encode as _, EncodePem as _, pem::LineEnding};
use sha2::{Digest as _, Sha256};

use crate::{
    error::WorldError,
    folder::Folder,
    pki::{CARD_CA, EID_M, EID_NQ, EID_Q, Pki, ROOT, SIGN_CA, TSA_CA},
};

const FOLDER: &str = "trust";

/// An authority in `trust.toml`.
struct Anchor {
    authority: &'static str,
    kind: &'static str,
    /// The rest of the entry, TOML.
    terms: &'static str,
}

const ANCHORS: [Anchor; 7] = [
    Anchor {
        authority: ROOT,
        kind: "root",
        terms: r#"purposes = ["signing", "timestamping", "authentication"]"#,
    },
    Anchor {
        authority: EID_Q,
        kind: "issuing",
        terms: r#"purposes = ["signing", "authentication"]
methods = ["smart_id"]
policies = ["1.3.6.1.4.1.10015.17.2", "0.4.0.194112.1.2"]
[certificate.ocsp]
nonce = "require""#,
    },
    Anchor {
        authority: EID_NQ,
        kind: "issuing",
        terms: r#"purposes = ["signing"]
methods = ["smart_id"]
[certificate.ocsp]
nonce = "require""#,
    },
    Anchor {
        authority: EID_M,
        kind: "issuing",
        terms: r#"purposes = ["signing", "authentication"]
methods = ["mobile_id"]
policies = ["1.3.6.1.4.1.10015.18.1", "0.4.0.194112.1.2"]
[certificate.ocsp]
nonce = "require""#,
    },
    Anchor {
        authority: CARD_CA,
        kind: "issuing",
        terms: r#"purposes = ["signing", "authentication"]
methods = ["nfc", "physical"]
policies = ["1.3.6.1.4.1.33621.2.2.2", "0.4.0.194112.1.2"]
[certificate.ocsp]
nonce = "send""#,
    },
    Anchor {
        authority: SIGN_CA,
        kind: "issuing",
        terms: r#"purposes = ["signing"]
methods = ["attorney"]
policies = ["0.4.0.194112.1.2"]
[certificate.ocsp]
nonce = "require""#,
    },
    Anchor {
        authority: TSA_CA,
        kind: "issuing",
        terms: r#"purposes = ["timestamping"]"#,
    },
];

/// Writes the folder again and returns its path.
pub(crate) fn write(folder: &Folder, pki: &Pki) -> Result<PathBuf, WorldError> {
    let mut manifest =
        String::from("# The authorities of a demo world. Nothing real rests on them.\n");
    for anchor in &ANCHORS {
        let authority = pki
            .authority(anchor.authority)
            .expect("anchors name authorities of the hierarchy");
        let certificate = authority.certificate();
        let file = format!("{}.pem", anchor.authority);
        let pem = certificate.to_pem(LineEnding::LF)?;
        folder.write(format!("{FOLDER}/{file}"), pem.as_bytes())?;
        let sha256 = hex::encode_upper(Sha256::digest(certificate.to_der()?));
        manifest.push_str(&format!(
            "\n[[certificate]]\nfile = \"{file}\"\nsha256 = \"{sha256}\"\nkind = \"{}\"\n{}\n",
            anchor.kind, anchor.terms
        ));
    }
    folder.write(format!("{FOLDER}/trust.toml"), manifest.as_bytes())?;
    Ok(folder.path(FOLDER))
}
