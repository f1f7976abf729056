//! The way from nothing to a signed answer and an identification package.

use parafa_api_http::{Guide, Step};

pub(crate) const GUIDE: Guide = Guide {
    title: "From a company's code to signed evidence",
    introduction: "Start a demo, with `cargo xtask demo` in a checkout or `parafa serve --demo` elsewhere. Then run \
        the commands below in the same folder, in one shell (bash, with awk, curl, jq and openssl). The \
        demo's registers are fictitious, and its answers are free.",
    steps: STEPS,
};

const STEPS: &[Step] = &[
    Step {
        title: "Get a key",
        text: "The keys are in `demo.json`, in the demo's data folder. Type `bash` first: if a command fails, \
            `set -e` ends that shell and not yours.",
        command: "\
set -eo pipefail
DEMO=$PWD/parafa-data/demo.json
BASE={base}
KEY=$(jq -r .diligence.live \"$DEMO\")
ask() { curl -sS --fail-with-body -H \"Authorization: Bearer $KEY\" \"$@\"; }
cd \"$(mktemp -d)\"",
    },
    Step {
        title: "Ask who a company is",
        text: "Ask by the company's code of nine digits. `999000009` is a company of the demo that every \
            register knows.",
        command: "\
ask \"$BASE/v1/entities/999000009\" > profile.json
jq -r '.data.name, .source.register' profile.json",
    },
    Step {
        title: "Ask what the data mean",
        text: "`interpret=1` explains each fact with legal consequences, in Lithuanian and English, with the \
            provisions. There is never a score.",
        command: "\
ask \"$BASE/v1/entities/999000049?interpret=1\" > bankrupt.json
jq -r '.interpretation.items[].meaning.en' bankrupt.json",
    },
    Step {
        title: "Ask who ultimately owns it",
        text: "Data about persons need a purpose, which is logged.",
        command: "\
ask \"$BASE/v1/entities/999000009/ubo?purpose=AML_KYC\" > owners.json
jq -r '.data.status, .data.owners[].name' owners.json",
    },
    Step {
        title: "Get a signed answer, and verify it",
        text: "The answer is the payload of a JWS with the attorney's qualified signature and a time-stamp. \
            Verify the certificate's holder and issuer too: in the demo, with `.world.roots` in \
            `demo.json`.",
        command: "\
ask \"$BASE/v1/entities/999000009?sign=jades-t\" > answer.json
base64url() { tr '_-' '/+' | awk '{ while (length % 4) $0 = $0 \"=\"; print }' | openssl base64 -d -A; }
jq -j '.protected + \".\" + .payload' answer.json > input
jq -r .signature answer.json | base64url > value
jq -r .protected answer.json | base64url | jq -r '.x5c[0]' | openssl base64 -d -A |
  openssl x509 -inform DER -pubkey -noout > key.pem
openssl dgst -sha256 -verify key.pem -signature value input
jq -r .payload answer.json | base64url | jq -r .attestation.en",
    },
    Step {
        title: "Order an identification package",
        text: "A person proves with their own signature that they hold a role. Give them the address: they \
            sign the dossier there, with Smart-ID and the personal code 40504040001. Or do what the page \
            does in the shell.",
        command: "\
ask \"$BASE/v1/kyc-packages\" --json @- > order.json <<END
{\"entityCode\": \"999000009\", \"subjectRole\": \"manager\", \"purpose\": \"AML_KYC\"}
END
ORDER=$(jq -r .orderId order.json)
LINK=$(jq -r .ceremonyUrl order.json)
curl -sS --fail-with-body \"$LINK/attempts\" \\
  --json '{\"method\": \"smart_id\", \"country\": \"LT\", \"personalCode\": \"40504040001\"}' > state.json
until jq -e '.attempt.phase == \"done\" or .attempt.phase == \"failed\"' state.json > /dev/null; do
  curl -sS --fail-with-body \"$LINK/state?waitMs=1000\" > state.json
done",
    },
    Step {
        title: "Fetch the package",
        text: "The register is asked once more, the attorney signs, and the order is delivered: one container \
            with the signed dossier and all evidence. Set `callbackUrl` in the order to be notified.",
        command: "\
until jq -e '.status != \"awaiting_subject\" and .status != \"verifying\"' order.json > /dev/null; do
  sleep 1
  ask \"$BASE/v1/kyc-packages/$ORDER\" > order.json
done
jq -r .status order.json
ask \"$BASE/v1/kyc-packages/$ORDER/artifact\" -o package.asice",
    },
];
