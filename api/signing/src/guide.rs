//! The way from nothing to a signed document.

use parafa_api_http::webhooks::VERIFY_IN_SHELL;
use parafa_api_http::{Guide, Step};

pub(crate) const GUIDE: Guide = Guide {
    title: "From nothing to a signed document",
    introduction: "Start a demo, with `cargo xtask demo` in a checkout or `parafa serve --demo` elsewhere. Then run \
        the commands below in the same folder, in one shell (bash, with curl, jq and openssl). The demo's \
        people answer automatically. With your own key and address, the same calls get documents signed \
        for real.",
    steps: STEPS,
};

const STEPS: &[Step] = &[
    Step {
        title: "Get a key",
        text: "The keys and the address of the webhook receiver are in `demo.json`, in the demo's data \
            folder. Type `bash` first: if a command fails, `set -e` ends that shell and not yours.",
        command: "\
set -eo pipefail
DEMO=$PWD/parafa-data/demo.json
BASE={base}
KEY=$(jq -r .signing.live \"$DEMO\")
RUN=contract-$(date +%s)
HOOK=$(jq -r .world.hooks \"$DEMO\")/$RUN
cd \"$(mktemp -d)\"",
    },
    Step {
        title: "Create a document",
        text: "Use any PDF. This is a small one.",
        command: "curl -sS --fail-with-body \"$BASE/docs/contract.pdf\" -o contract.pdf",
    },
    Step {
        title: "Create a signing",
        text: "The answer has the signing's id and, for each signer, the address of the page to sign on. Give \
            that address to the signer only: anyone who has it can act as the signer. The idempotency key \
            makes it safe to repeat the call.",
        command: "\
curl -sS --fail-with-body \"$BASE/v1/signings\" \\
  -H \"Authorization: Bearer $KEY\" -H \"Idempotency-Key: $RUN\" \\
  --json @- > signing.json <<END
{
  \"title\": \"Services agreement\",
  \"document\": {\"name\": \"contract.pdf\", \"content\": \"$(base64 < contract.pdf | tr -d '\\n')\"},
  \"signers\": [{\"email\": \"ona@example.lt\", \"language\": \"en\"}],
  \"webhookUrl\": \"$HOOK\"
}
END
ID=$(jq -r .signingId signing.json)
LINK=$(jq -r '.signers[0].ceremonyUrl' signing.json)
echo \"$LINK\"",
    },
    Step {
        title: "Sign it",
        text: "Open the address in a browser, choose Smart-ID, and type the personal code 40504040001. Or do \
            what the page does in the shell: begin an attempt, and wait until it has ended.",
        command: "\
curl -sS --fail-with-body \"$LINK/attempts\" \\
  --json '{\"method\": \"smart_id\", \"country\": \"LT\", \"personalCode\": \"40504040001\"}' > state.json
until jq -e '.attempt.phase == \"done\" or .attempt.phase == \"failed\"' state.json > /dev/null; do
  curl -sS --fail-with-body \"$LINK/state?waitMs=1000\" > state.json
done
jq -r .attempt.phase state.json",
    },
    Step {
        title: "Fetch the signed document",
        text: "It is your document with a qualified signature appended (PAdES-B-T). In production, wait for a \
            webhook instead of polling. `/v1/signings/$ID/evidence?format=pdf` tells a lawyer who signed, \
            how and when.",
        command: "\
curl -sS --fail-with-body \"$BASE/v1/signings/$ID/document\" \\
  -H \"Authorization: Bearer $KEY\" -o signed.pdf
grep -ac /ETSI.CAdES.detached signed.pdf",
    },
    Step {
        title: "Receive a webhook",
        text: "The demo's receiver keeps every delivery. Read the raw body, three headers, and the \
            workspace's secret.",
        command: "\
curl -sS --fail-with-body \"$HOOK/deliveries?atLeast=1&waitMs=30000\" > deliveries.json
header() { jq -r --arg name \"$1\" '.[0].headers[$name]' deliveries.json; }
WEBHOOK_ID=$(header webhook-id)
WEBHOOK_TIMESTAMP=$(header webhook-timestamp)
WEBHOOK_SIGNATURE=$(header webhook-signature)
SECRET=$(jq -r .signing.webhookSecret \"$DEMO\")
jq -j '.[0].body' deliveries.json > body",
    },
    Step {
        title: "Verify the webhook",
        text: "The page on webhooks has the same in Python and in TypeScript, and lists all events.",
        command: VERIFY_IN_SHELL,
    },
];
