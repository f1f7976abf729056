//! The way from nothing to a person who is authenticated.

use parafa_api_http::{Guide, Step};

pub(crate) const GUIDE: Guide = Guide {
    title: "From a login to a verified assertion",
    introduction: "Everything below runs as it stands, in one shell (bash, with awk, curl, jq and openssl), in the \
        folder in which a demo was started: `cargo xtask demo` in a checkout, `parafa serve --demo` elsewhere. \
        The demo's people answer by themselves.",
    steps: STEPS,
};

const STEPS: &[Step] = &[
    Step {
        title: "Take the key of a provider",
        text: "A provider is whoever lets people log in; the audience is the origin of its pages. The demo has \
            written both to a file in its data folder. Type `bash` first: `set -e` ends that shell, and not yours, \
            where something fails.",
        command: "\
set -eo pipefail
DEMO=$PWD/parafa-data/demo.json
BASE={base}
KEY=$(jq -r '.auth.keyId + \":\" + .auth.keySecret' \"$DEMO\")
AUDIENCE=$(jq -r .auth.audience \"$DEMO\")
cd \"$(mktemp -d)\"",
    },
    Step {
        title: "Begin",
        text: "Keep the request's id and the nonce in the session of the browser that logs in, and show the \
            verification code there: the person compares it with that on their phone.",
        command: "\
NONCE=$(openssl rand -hex 16)
curl -sS --fail-with-body -u \"$KEY\" \"$BASE/v1/auth/requests\" --json @- > request.json <<END
{\"audience\": \"$AUDIENCE\", \"method\": \"smart_id\", \"personalCode\": \"40504040001\", \"nonce\": \"$NONCE\"}
END
ID=$(jq -r .requestId request.json)
jq -r .verificationCode request.json",
    },
    Step {
        title: "Wait for the person",
        text: "A poll waits until something happens, for as long as it is told to. With a card it is the \
            person's own client that sends certificate and signature.",
        command: "\
cp request.json ended.json
until jq -e '.status != \"pending\" and .status != \"in_progress\"' ended.json > /dev/null; do
  curl -sS --fail-with-body -u \"$KEY\" \"$BASE/v1/auth/requests/$ID?waitMs=20000\" > ended.json
done
jq -r .status ended.json",
    },
    Step {
        title: "Verify the assertion",
        text: "A JWT, signed with ES256 by a key of the service. Any library for JWTs does this, given the address of \
            the keys; openssl wants key and signature in its own form.",
        command: "\
base64url() { tr '_-' '/+' | awk '{ while (length % 4) $0 = $0 \"=\"; print }' | openssl base64 -d -A; }
hex() { base64url | od -An -vtx1 | tr -d ' \\n'; }
IFS=. read -r HEADER PAYLOAD SIGNATURE <<< \"$(jq -r .assertion ended.json)\"
printf %s \"$HEADER.$PAYLOAD\" > input
curl -sS --fail-with-body \"$BASE/v1/auth/.well-known/jwks.json\" |
  jq --arg kid \"$(base64url <<< \"$HEADER\" | jq -r .kid)\" '.keys[] | select(.kid == $kid)' > jwk.json
openssl asn1parse -noout -out key.der -genconf - <<END
asn1 = SEQUENCE:key
[key]
algorithm = SEQUENCE:curve
point = FORMAT:HEX,BITSTRING:04$(jq -r .x jwk.json | hex)$(jq -r .y jwk.json | hex)
[curve]
kind = OID:id-ecPublicKey
name = OID:prime256v1
END
RS=$(hex <<< \"$SIGNATURE\")
openssl asn1parse -noout -out signature.der -genconf - <<END
asn1 = SEQUENCE:value
[value]
r = INTEGER:0x${RS:0:64}
s = INTEGER:0x${RS:64}
END
openssl dgst -sha256 -verify key.der -keyform DER -signature signature.der input",
    },
    Step {
        title: "Hold it against the session",
        text: "A genuine assertion says that somebody has authenticated to you, and not that they sit at this \
            browser: that it is the request and the nonce of this session says so.",
        command: "\
base64url <<< \"$PAYLOAD\" > claims.json
jq -e --arg iss \"$BASE\" --arg aud \"$AUDIENCE\" --arg azp \"${KEY%%:*}\" \\
  --arg txn \"$ID\" --arg nonce \"$NONCE\" --argjson now \"$(date +%s)\" \\
  '.iss == $iss and .aud == $aud and .azp == $azp and .txn == $txn and .rp_nonce == $nonce and .exp > $now' \\
  claims.json
jq -r '.sub, .given_name, .family_name' claims.json",
    },
];
