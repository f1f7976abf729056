//! Modified signatures, and the verdict on each.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD as BASE64URL};
use openssl::hash::MessageDigest;
use openssl::sha::sha512;
use parafa_fixtures::referees::JwsLibraries;
use parafa_fixtures::signed::SignedJws;
use parafa_format_core::{
    CoverageKind, DigestAlgorithm, Integrity, NativeEnvironment, SignatureAlgorithm,
    TimestampStatus,
};
use parafa_format_jades::{inspect, members};
use serde_json::{Value, json};

use crate::ceremony::{ANSWER, Organisation, TIME, WORLD, evidence, json, verified};

/// A flattened JWS with any header, signed by a key.
struct Forged {
    header: Value,
    payload: &'static str,
    unsigned: Option<Value>,
    signer: &'static Organisation,
    algorithm: SignatureAlgorithm,
}

impl Forged {
    /// Returns a sound JWS, signed by an RSA key.
    fn sound() -> Self {
        let signer = &WORLD.rsa;
        let chain = [&signer.holder, &WORLD.authority];
        let chain = chain.map(|holder| holder.certificate.to_der().unwrap());
        let digest = openssl::hash::hash(MessageDigest::sha256(), &chain[0]).unwrap();
        Self {
            header: json!({
                "alg": "RS256",
                "iat": TIME,
                "x5t#S256": BASE64URL.encode(digest),
                "x5c": chain.map(|der| BASE64_STANDARD.encode(der)),
            }),
            payload: "{\"paid\":100}",
            unsigned: None,
            signer,
            algorithm: signer.algorithm,
        }
    }

    fn with(mut self, name: &str, value: Value) -> Self {
        self.header[name] = value;
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.header.as_object_mut().unwrap().remove(name);
        self
    }

    fn by(mut self, algorithm: SignatureAlgorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    fn build(&self) -> Value {
        self.build_with(&self.header.to_string())
    }

    /// Signs the payload without base64url encoding (RFC 7797).
    fn clear(self) -> Self {
        let clear = self.with("b64", json!(false));
        clear.with("crit", json!(["b64"]))
    }

    /// Builds the JWS with this text of the protected header.
    fn build_with(&self, header: &str) -> Value {
        let protected = BASE64URL.encode(header);
        let payload = if self.header["b64"] == json!(false) {
            self.payload.to_owned()
        } else {
            BASE64URL.encode(self.payload)
        };
        let input = format!("{protected}.{payload}");
        let value = self.signer.holder.sign(self.algorithm, input.as_bytes());
        let mut jws = json!({
            "payload": payload,
            "protected": protected,
            "signature": BASE64URL.encode(value),
        });
        if let Some(unsigned) = &self.unsigned {
            jws["header"] = unsigned.clone();
        }
        jws
    }
}

fn integrity(jws: &Value) -> (Integrity, String) {
    let signature = verified(jws.to_string().as_bytes());
    (signature.integrity, signature.level)
}

fn refused(document: &[u8]) -> String {
    let refusal = evidence(document).unwrap_err();
    let blob = parafa_format_core::MemoryBlob(document.to_vec());
    assert_eq!(inspect(&NativeEnvironment, &blob).unwrap_err(), refusal);
    assert_eq!(members(&NativeEnvironment, &blob).unwrap_err(), refusal);
    refusal.code.into_owned()
}

#[test]
fn other_libraries_take_what_is_sound_before_it_is_spoilt() {
    let jws = Forged::sound().build();
    assert_eq!(integrity(&jws), (Integrity::Intact, "JAdES-B-B".to_owned()));

    let Some(libraries) = JwsLibraries::find(&WORLD.pki.folder().join("root.pem")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, document: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, document).unwrap();
        file
    };
    let own = write("own.json", jws.to_string().as_bytes());
    let fixture = SignedJws::of("{}").stamped(None).with_values();
    let fixture = write("fixture.json", &fixture.build());
    assert!(libraries.jwcrypto(&[&own])[0].ok);
    for verdict in libraries.jose(&[own, fixture]) {
        assert!(verdict.ok, "{verdict:#?}");
    }
}

#[test]
fn signatures_by_pss_and_those_that_name_their_certificate_otherwise_hold() {
    let certificate = WORLD.rsa.holder.certificate.to_der().unwrap();
    let long = json!({"digAlg": "S512", "digVal": BASE64URL.encode(sha512(&certificate))});
    let pss = SignatureAlgorithm::RsaPss(DigestAlgorithm::Sha256);
    let sound = || Forged::sound().without("x5t#S256");

    for jws in [
        Forged::sound().with("alg", json!("PS256")).by(pss),
        sound().with("x5t#o", long.clone()),
        sound().with("sigX5ts", json!([long, long])),
        Forged::sound()
            .without("iat")
            .with("sigT", json!("2025-01-01T00:00:00Z"))
            .with("crit", json!(["sigT"])),
    ] {
        let jws = jws.build();
        assert_eq!(integrity(&jws), (Integrity::Intact, "JAdES-B-B".to_owned()));
    }
}

#[test]
fn a_sound_jws_that_is_no_baseline_signature_has_no_level() {
    let [time, sig_t] = [json!(1.5), json!("2026-01-01T00:00:00Z")];
    for jws in [
        Forged::sound().without("iat"),
        Forged::sound().with("iat", time),
        Forged::sound().with("sigT", sig_t.clone()),
        Forged::sound().without("iat").with("sigT", sig_t),
        Forged::sound().without("x5t#S256"),
        Forged::sound().with("x5t", json!("AAAA")),
    ] {
        let jws = jws.build();
        assert_eq!(integrity(&jws), (Integrity::Intact, "unknown".to_owned()));
    }
}

#[test]
fn a_header_that_is_not_what_it_should_be_does_not_hold() {
    let digest = |certificate: &[u8]| json!(BASE64URL.encode(openssl::sha::sha256(certificate)));
    let other = WORLD.p256.holder.certificate.to_der().unwrap();
    let other_base64 = json!([BASE64_STANDARD.encode(&other)]);
    let rows = [
        (
            "alg none",
            Forged::sound().with("alg", json!("none")),
            Integrity::Malformed,
        ),
        (
            "no alg",
            Forged::sound().without("alg"),
            Integrity::Malformed,
        ),
        (
            "alg swapped for PSS",
            Forged::sound().with("alg", json!("PS256")),
            Integrity::SignatureMismatch,
        ),
        (
            "alg swapped for a longer digest",
            Forged::sound().with("alg", json!("RS512")),
            Integrity::SignatureMismatch,
        ),
        (
            "alg swapped for another kind of key",
            Forged::sound().with("alg", json!("ES256")),
            Integrity::SignatureMismatch,
        ),
        (
            "empty crit",
            Forged::sound().with("crit", json!([])),
            Integrity::Malformed,
        ),
        (
            "crit of what is not there",
            Forged::sound().with("crit", json!(["sigT"])),
            Integrity::Malformed,
        ),
        (
            "crit of what needs none",
            Forged::sound().with("crit", json!(["alg"])),
            Integrity::Malformed,
        ),
        (
            "x5t#S256 of another certificate",
            Forged::sound().with("x5t#S256", digest(&other)),
            Integrity::SignatureMismatch,
        ),
        (
            "x5t#S256 and x5c of another certificate",
            Forged::sound()
                .with("x5t#S256", digest(&other))
                .with("x5c", other_base64),
            Integrity::SignatureMismatch,
        ),
        (
            "x5t#S256 of nothing",
            Forged::sound().with("x5t#S256", json!("AAAA")),
            Integrity::Malformed,
        ),
        (
            "two names of the certificate",
            Forged::sound().with("x5t#o", json!({})),
            Integrity::Malformed,
        ),
        (
            "no certificate",
            Forged::sound().without("x5c"),
            Integrity::Malformed,
        ),
        (
            "an empty list of certificates",
            Forged::sound().with("x5c", json!([])),
            Integrity::Malformed,
        ),
        (
            "certificates in base64url",
            Forged::sound().with("x5c", json!(["MA_-"])),
            Integrity::Malformed,
        ),
    ];
    let unlike_their_schema = [
        ("kid", json!(1)),
        ("typ", json!(["jose"])),
        ("sigT", json!(1)),
        ("x5t", json!(1)),
        ("srCms", json!([])),
        ("srCms", json!([{"commId": "urn:x"}])),
        ("sigPl", json!({})),
        ("sigPl", json!({"country": "LT"})),
        ("srAts", json!({"claimed": [{"qVals": ["a"]}]})),
        ("adoTst", json!({"tstTokens": []})),
        ("sigPId", json!({"id": "urn:x"})),
        ("sigD", json!({"pars": ["a"]})),
    ];
    let rows = rows
        .into_iter()
        .chain(unlike_their_schema.map(|(name, value)| {
            let forged = Forged::sound().with(name, value);
            (name, forged, Integrity::Malformed)
        }));
    for (what, forged, expected) in rows {
        let (found, level) = integrity(&forged.build());
        assert_eq!(found, expected, "{what}");
        assert_eq!(level, "unknown", "{what}");
    }
}

/// Unknowns are never called valid, and never hide a proven defect: another
/// certificate than the named one, or a value over another payload.
#[test]
fn what_is_unknown_hides_no_change() {
    use Integrity::{SignatureMismatch, Unsupported};

    let unknown = || Forged::sound().with("alg", json!("ES256K"));
    let digest = json!({"digAlg": "S3-256", "digVal": BASE64URL.encode([1; 32])});
    let unknown_digest = move || {
        let unnamed = Forged::sound().without("x5t#S256");
        unnamed.with("x5t#o", digest.clone())
    };
    let critical = || {
        let named = Forged::sound().with("urn:x", json!(1));
        named.with("crit", json!(["urn:x"]))
    };
    let detached = || {
        let detached = Forged::sound().with("sigD", json!({"mId": "urn:x"}));
        detached.with("crit", json!(["sigD"]))
    };
    let clear = || Forged::sound().clear();
    let both = move || critical().with("alg", json!("HS256"));
    type Forge = Box<dyn Fn() -> Forged>;
    // Unmodified, and with another payload.
    let rows: [(&str, Forge, [Integrity; 2]); 7] = [
        ("alg", Box::new(unknown), [Unsupported; 2]),
        ("alg and crit", Box::new(both), [Unsupported; 2]),
        (
            "digest",
            Box::new(unknown_digest),
            [Unsupported, SignatureMismatch],
        ),
        ("crit", Box::new(critical), [Unsupported, SignatureMismatch]),
        ("sigD", Box::new(detached), [Unsupported; 2]),
        ("b64", Box::new(clear), [Unsupported; 2]),
        (
            "nothing",
            Box::new(Forged::sound),
            [Integrity::Intact, SignatureMismatch],
        ),
    ];
    let another = openssl::sha::sha256(b"another certificate");
    for (what, forge, [sound, changed]) in rows {
        let mut jws = forge().build();
        assert_eq!(integrity(&jws).0, sound, "{what}");
        let payload = jws["payload"].as_str().unwrap();
        jws["payload"] = payload.replace("100", "101").replace("MDB9", "MDF9").into();
        let signature = verified(jws.to_string().as_bytes());
        assert_eq!(signature.integrity, changed, "{what}, changed");
        assert_eq!(signature.level, "unknown", "{what}");
        let covers_payload = signature.coverage.kind == CoverageKind::Members;
        assert_eq!(covers_payload, what != "sigD", "{what}");

        if what != "digest" {
            let jws = forge().with("x5t#S256", json!(BASE64URL.encode(another)));
            let found = integrity(&jws.build()).0;
            assert_eq!(found, SignatureMismatch, "{what}, another certificate");
        }
    }
}

#[test]
fn critical_parameters_of_jades_are_understood() {
    let role = json!({"mediaType": "text/plain", "encoding": "binary", "qVals": ["a"]});
    let parameters = [
        ("sigPId", json!({"id": {"id": "urn:x"}})),
        ("srCms", json!([{"commId": {"id": "urn:x"}}])),
        ("sigPl", json!({"addressCountry": "LT"})),
        ("srAts", json!({"claimed": [role]})),
        ("adoTst", json!({"tstTokens": [{"val": "MAA="}]})),
    ];
    for parameters in [&parameters[..], &parameters[..1]] {
        let names: Vec<_> = parameters.iter().map(|(name, _)| name).collect();
        let forged = parameters
            .iter()
            .fold(Forged::sound(), |forged, (name, value)| {
                forged.with(name, value.clone())
            });
        let mut jws = forged.with("crit", json!(names)).build();
        assert_eq!(integrity(&jws), (Integrity::Intact, "JAdES-B-B".to_owned()));

        jws["payload"] = "e30".into();
        assert_eq!(integrity(&jws).0, Integrity::SignatureMismatch);
    }
}

#[test]
fn a_payload_that_is_not_encoded_is_the_member_as_it_stands_there() {
    let jws = Forged::sound().clear().build().to_string();
    let blob = parafa_format_core::MemoryBlob(jws.into_bytes());
    let [payload] = &members(&NativeEnvironment, &blob).unwrap()[..] else {
        panic!("one member")
    };
    assert_eq!(payload.size, Forged::sound().payload.len() as u64);

    // A reader that ignores `b64` would see other content.
    let mut uncritical = Forged::sound().with("b64", json!(false)).build();
    assert_eq!(
        refused(uncritical.to_string().as_bytes()),
        "base64url-invalid"
    );
    uncritical["payload"] = "e30".into();
    assert_eq!(integrity(&uncritical).0, Integrity::Unsupported);
}

#[test]
fn counter_signatures_are_told_of() {
    let mut forged = Forged::sound();
    let counter_signature = Forged::sound().build();
    forged.unsigned = Some(json!({"etsiU": [{"cSig": counter_signature}]}));
    let jws = forged.build();
    assert_eq!(integrity(&jws), (Integrity::Intact, "JAdES-B-B".to_owned()));

    let blob = parafa_format_core::MemoryBlob(jws.to_string().into_bytes());
    let report = inspect(&NativeEnvironment, &blob).unwrap();
    let codes: Vec<_> = report.notes.iter().map(|note| note.code.as_ref()).collect();
    assert_eq!(codes, ["signed", "counter-signatures"]);
}

#[test]
fn a_value_payload_or_header_of_another_signature_does_not_verify() {
    let [sound, mut other] = [Forged::sound(), Forged::sound()];
    other.payload = "{\"paid\":1000000}";
    let other = other.with("iat", json!(TIME + 1)).build();
    for name in ["payload", "protected", "signature"] {
        let mut jws = sound.build();
        jws[name] = other[name].clone();
        assert_eq!(integrity(&jws).0, Integrity::SignatureMismatch, "{name}");
    }
    let mut jws = json(&WORLD.p256.signs(ANSWER, "B-B"));
    jws["signature"] = BASE64URL.encode([1; 63]).into();
    assert_eq!(integrity(&jws).0, Integrity::SignatureMismatch);
}

#[test]
fn another_serialization_or_more_than_its_members_is_refused() {
    let sound = Forged::sound().build();
    let with = |name: &str, value: Value| {
        let mut jws = sound.clone();
        jws[name] = value;
        jws.to_string().into_bytes()
    };
    let without = |name: &str| {
        let mut jws = sound.clone();
        jws.as_object_mut().unwrap().remove(name);
        jws.to_string().into_bytes()
    };
    let text = |name: &str| sound[name].as_str().unwrap().to_owned();
    let general = json!({
        "payload": sound["payload"],
        "signatures": [{"protected": sound["protected"], "signature": sound["signature"]}],
    });
    let compact = [text("protected"), text("payload"), text("signature")].join(".");
    let trailing = [sound.to_string().as_bytes(), b"{}"].concat();
    let twice = sound
        .to_string()
        .replacen('{', &format!("{{\"payload\":{},", sound["payload"]), 1);
    let repeated = Forged::sound()
        .header
        .to_string()
        .replacen('{', "{\"alg\":\"none\",", 1);
    let rows = [
        ("not-flattened", general.to_string().into_bytes()),
        ("not-flattened", with("more", json!(1))),
        ("not-flattened", with("signature", json!(1))),
        ("not-flattened", with("signatures", json!([]))),
        ("not-flattened", without("protected")),
        ("not-flattened", format!("{compact}\n").into_bytes()),
        ("not-json", format!("{compact}.").into_bytes()),
        ("not-json", b"e.e.e".to_vec()),
        ("not-json", trailing),
        ("detached-payload", without("payload")),
        (
            "base64url-invalid",
            with("payload", json!(format!("{}=", text("payload")))),
        ),
        (
            "base64url-invalid",
            with("signature", json!(format!("{}+", text("signature")))),
        ),
        (
            "base64url-invalid",
            with("protected", json!(format!(" {}", text("protected")))),
        ),
        ("repeated-member", twice.into_bytes()),
        (
            "repeated-member",
            Forged::sound()
                .build_with(&repeated)
                .to_string()
                .into_bytes(),
        ),
        (
            "header-invalid",
            Forged::sound().build_with("[]").to_string().into_bytes(),
        ),
        (
            "header-invalid",
            Forged::sound().build_with("{} {}").to_string().into_bytes(),
        ),
        ("header-invalid", with("header", json!({"alg": "none"}))),
        (
            "header-invalid",
            with("header", json!({"etsiU": [{"a": 1}, "e30"]})),
        ),
        (
            "header-invalid",
            with("header", json!({"etsiU": [{"rVals": {"ocspVals": {}}}]})),
        ),
    ];
    for (code, document) in rows {
        assert_eq!(
            refused(&document),
            code,
            "{}",
            String::from_utf8_lossy(&document)
        );
    }
}

#[test]
fn a_time_stamp_that_is_not_one_of_the_value_proves_nothing() {
    let stamped = json(&WORLD.rsa.signs(ANSWER, "B-T"));
    let foreign = json(&WORLD.p256.signs(ANSWER, "B-T"));
    let octets = BASE64URL
        .decode(stamped["signature"].as_str().unwrap())
        .unwrap();
    let damaged = |mut token: Vec<u8>| {
        *token.last_mut().unwrap() ^= 1;
        token
    };
    let own = |bytes: &[u8]| WORLD.pki.timestamp(bytes);
    let text = stamped["signature"].as_str().unwrap().as_bytes();
    let component = |val: String| json!({"etsiU": [{"sigTst": {"tstTokens": [{"val": val}]}}]});
    let token = |token: Vec<u8>| component(BASE64_STANDARD.encode(token));
    let rows = [
        (
            "of another signature",
            foreign["header"].clone(),
            TimestampStatus::ImprintMismatch,
        ),
        (
            "over the octets",
            token(own(&octets)),
            TimestampStatus::ImprintMismatch,
        ),
        (
            "damaged",
            token(damaged(own(text))),
            TimestampStatus::SignatureMismatch,
        ),
        ("no token", token(vec![0x30, 0]), TimestampStatus::Malformed),
        (
            "no base64",
            component("?".to_owned()),
            TimestampStatus::Malformed,
        ),
    ];
    for (what, header, expected) in rows {
        let mut jws = stamped.clone();
        jws["header"] = header;
        let signature = verified(jws.to_string().as_bytes());

        assert_eq!(signature.integrity, Integrity::Intact, "{what}");
        assert_eq!(signature.level, "JAdES-B-B", "{what}");
        assert_eq!(signature.timestamps[0].status, expected, "{what}");
    }
}

#[test]
fn more_time_stamps_than_are_verified_are_refused() {
    let mut jws = Forged::sound().build();
    let tokens = vec![json!({"val": ""}); 101];
    jws["header"] = json!({"etsiU": [{"sigTst": {"tstTokens": tokens}}]});

    let refusal = evidence(jws.to_string().as_bytes()).unwrap_err();

    assert_eq!(refusal.code, "too-much-to-verify");
}

#[test]
fn an_archive_time_stamp_of_others_is_told_and_counts_for_no_level() {
    let stamped = json(&WORLD.rsa.signs(ANSWER, "B-T"));
    let token = WORLD.pki.timestamp(b"all of it");
    let mut damaged = token.clone();
    *damaged.last_mut().unwrap() ^= 1;
    for (token, expected) in [
        (token, TimestampStatus::Unverifiable),
        (damaged, TimestampStatus::SignatureMismatch),
    ] {
        let token = BASE64_STANDARD.encode(token);
        let archive = json!({"arcTst": {"tstTokens": [{"val": token}]}}).to_string();
        let mut jws = stamped.clone();
        let items = jws["header"]["etsiU"].as_array_mut().unwrap();
        items.push(BASE64URL.encode(archive).into());

        let signature = verified(jws.to_string().as_bytes());

        assert_eq!(signature.level, "JAdES-B-T");
        assert_eq!(signature.timestamps[1].status, expected);
    }
}
