//! Signatures of plugins' components, in JSON.

use std::sync::LazyLock;

use parafa_publisher::{KeyPair, PluginSignature};
use serde_json::Value;

use crate::json::chosen;
use crate::target::Target;

/// The reader of signatures of components.
///
/// A signature that is taken is read back as it is written, and only the publisher's own value
/// verifies.
pub const PLUGIN_SIGNATURE: Target = Target {
    name: "plugin_signature",
    run,
    seeds,
};

/// The private key of the examples of RFC 8410 (10.3).
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
";
/// SHA-256 of the component.
const COMPONENT: &[u8; 32] = &[0x5c; 32];
/// The bit of the first byte that says that the signature follows as it is.
const RAW: u8 = 0x80;

static PUBLISHER: LazyLock<KeyPair> =
    LazyLock::new(|| KeyPair::from_pem(KEY.as_bytes()).expect("a sound key"));
static SOUND: LazyLock<Value> = LazyLock::new(|| {
    let signature = PUBLISHER.sign(COMPONENT).expect("the key can be used");
    serde_json::to_value(signature).expect("signatures are JSON")
});

fn run(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else {
        return;
    };
    let is_raw = first & RAW != 0;
    let Ok(signature) = PluginSignature::parse(&chosen(&SOUND, is_raw, rest)) else {
        assert!(is_raw || !rest.is_empty(), "the sound one is refused");
        return;
    };
    let written = serde_json::to_value(&signature).expect("signatures are JSON");
    let read = PluginSignature::parse(written.to_string().as_bytes());
    assert_eq!(read.as_ref(), Ok(&signature));
    match signature.verify(PUBLISHER.public(), COMPONENT) {
        Ok(()) => {
            assert_eq!(signature.component(), COMPONENT);
            assert_eq!(written["signature"], SOUND["signature"]);
        }
        Err(reason) => assert!(is_raw || !rest.is_empty(), "{reason}"),
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let raw = [&[RAW], SOUND.to_string().as_bytes()].concat();
    vec![vec![0], vec![0, 1, 1, 1, b'0'], vec![0, 3, 2, 0], raw]
}
