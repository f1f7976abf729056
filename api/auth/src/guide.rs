//! The guide from nothing to an authenticated person.

use parafa_api_http::{Guide, Step};

pub(crate) const GUIDE: Guide = Guide {
    title: "From a login to a verified assertion",
    introduction: "Start a demo, with `cargo xtask demo` in a checkout or `parafa serve --demo` elsewhere. Then run \
        the commands below in the same folder, in one shell (bash, with awk, curl, jq and openssl). The \
        demo's people answer automatically.",
    steps: STEPS,
};

const STEPS: &[Step] = &[
    Step {
        title: "Get the key of a provider",
        text: "A provider is a party that lets people log in; the audience is the origin of its pages. Both \
            are in `demo.json`, in the demo's data folder. Type `bash` first: if a command fails, `set -e` \
            ends that shell and not yours.",
        command: "\
set -eo pipefail
DEMO=$PWD/parafa-data/demo.json
BASE={base}
KEY=$(jq -r '.auth.keyId + \":\" + .auth.keySecret' \"$DEMO\")
AUDIENCE=$(jq -r .auth.audience \"$DEMO\")
cd \"$(mktemp -d)\"",
    },
    Step {
        title: "Create a request",
        text: "Keep the request's id and the nonce in the session of the browser that logs in. Show the \
            verification code there: the person compares it with the code on their phone.",
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
        text: "A poll returns when the status changes, or after `waitMs`. With a card, the person's own \
            client sends certificate and signature.",
        command: "\
cp request.json ended.json
until jq -e '.status != \"pending\" and .status != \"in_progress\"' ended.json > /dev/null; do
  curl -sS --fail-with-body -u \"$KEY\" \"$BASE/v1/auth/requests/$ID?waitMs=20000\" > ended.json
done
jq -r .status ended.json",
    },
    Step {
        title: "Verify the assertion",
        text: "The assertion is a JWT, signed with ES256 by a key of the service. A JWT library verifies it \
            with the address of the keys; openssl needs key and signature in its own format.",
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
        title: "Compare it with the session",
        text: "A genuine assertion proves that somebody has authenticated to you, but not that they sit at \
            this browser. Only the request and the nonce of this session prove that.",
        command: "\
base64url <<< \"$PAYLOAD\" > claims.json
jq -e --arg iss \"$BASE\" --arg aud \"$AUDIENCE\" --arg azp \"${KEY%%:*}\" \\
  --arg txn \"$ID\" --arg nonce \"$NONCE\" --argjson now \"$(date +%s)\" \\
  '.iss == $iss and .aud == $aud and .azp == $azp and .txn == $txn and .rp_nonce == $nonce and .exp > $now' \\
  claims.json
jq -r '.sub, .given_name, .family_name' claims.json",
    },
];
