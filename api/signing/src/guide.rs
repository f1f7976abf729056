//! The way from nothing to a signed document.

use parafa_api_http::webhooks::VERIFY_IN_SHELL;
use parafa_api_http::{Guide, Step};

pub(crate) const GUIDE: Guide = Guide {
    title: "From nothing to a signed document",
    introduction: "Everything below runs as it stands, in one shell (bash, with curl, jq and openssl), in the \
        folder in which a demo was started: `cargo xtask demo` in a checkout, `parafa serve --demo` elsewhere. \
        The demo's people answer by themselves; with a key of your own and another address, the same calls get \
        documents signed in earnest.",
    steps: STEPS,
};

const STEPS: &[Step] = &[
    Step {
        title: "Take a key",
        text: "The demo has written its keys to a file in its data folder, and where its receiver of webhooks is. \
            Type `bash` first: `set -e` ends that shell, and not yours, where something fails.",
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
        title: "Have a document",
        text: "Any PDF will do. This is a small one.",
        command: "curl -sS --fail-with-body \"$BASE/docs/contract.pdf\" -o contract.pdf",
    },
    Step {
        title: "Ask for a signature",
        text: "The answer has the id of the signing, and for each signer the address of the page on which \
            they sign. Give it to nobody else: who has it is taken for the signer. The idempotency key lets \
            the call be repeated without asking twice.",
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
        text: "Open the address in a browser, choose Smart-ID, and type the personal code 40504040001; or let \
            the shell do what the page does: begin an attempt, and wait until it has ended.",
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
        text: "It is the document that was posted with a qualified signature appended (PAdES-B-T). Rather than \
            ask again and again, wait for a webhook.",
        command: "\
curl -sS --fail-with-body \"$BASE/v1/signings/$ID/document\" \\
  -H \"Authorization: Bearer $KEY\" -o signed.pdf
grep -ac /ETSI.CAdES.detached signed.pdf",
    },
    Step {
        title: "Take a webhook",
        text: "The demo's receiver keeps what was posted to it. Take the body as it came, three headers, and the \
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
        title: "Verify it",
        text: "The page on webhooks says the same in Python and in TypeScript, and lists all events.",
        command: VERIFY_IN_SHELL,
    },
];
