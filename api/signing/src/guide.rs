//! The way from nothing to a signed document.

use parafa_api_http::{Guide, Step};

pub(crate) const GUIDE: Guide = Guide {
    title: "From nothing to a signed document",
    introduction: "Everything below runs as it stands, in one shell (bash, with curl, jq and openssl), beside a demo: \
        parafa serve --demo --data demo. The demo's people answer by themselves; with a key of your \
        own and another address, the same calls get documents signed in earnest.",
    steps: STEPS,
};

const STEPS: &[Step] = &[
    Step {
        title: "Take a key",
        text: "The demo has written its keys to demo.json in its data folder, and where its receiver of webhooks is.",
        command: "\
BASE={base}
KEY=$(jq -r .signing.live demo/demo.json)
HOOK=$(jq -r .world.hooks demo/demo.json)/contract",
    },
    Step {
        title: "Have a document",
        text: "Any PDF will do. This is a small one.",
        command: "\
base64 -d > contract.pdf <<END
JVBERi0xLjcKMSAwIG9iago8PC9UeXBlL0NhdGFsb2cvUGFnZXMgMiAwIFI+PgplbmRvYmoKMiAw
IG9iago8PC9UeXBlL1BhZ2VzL0tpZHNbMyAwIFJdL0NvdW50IDE+PgplbmRvYmoKMyAwIG9iago8
PC9UeXBlL1BhZ2UvUGFyZW50IDIgMCBSL01lZGlhQm94WzAgMCA1OTUgODQyXS9Db250ZW50cyA0
IDAgUi9SZXNvdXJjZXM8PC9Gb250PDwvRiA1IDAgUj4+Pj4+PgplbmRvYmoKNCAwIG9iago8PC9M
ZW5ndGggMzg+PgpzdHJlYW0KQlQgL0YgMjQgVGYgNzIgNzQwIFRkIChDb250cmFjdCkgVGogRVQK
ZW5kc3RyZWFtCmVuZG9iago1IDAgb2JqCjw8L1R5cGUvRm9udC9TdWJ0eXBlL1R5cGUxL0Jhc2VG
b250L0hlbHZldGljYT4+CmVuZG9iagp4cmVmCjAgNgowMDAwMDAwMDAwIDY1NTM1IGYgCjAwMDAw
MDAwMDkgMDAwMDAgbiAKMDAwMDAwMDA1NCAwMDAwMCBuIAowMDAwMDAwMTA1IDAwMDAwIG4gCjAw
MDAwMDAyMTYgMDAwMDAgbiAKMDAwMDAwMDMwMiAwMDAwMCBuIAp0cmFpbGVyCjw8L1NpemUgNi9S
b290IDEgMCBSPj4Kc3RhcnR4cmVmCjM2NQolJUVPRgo=
END",
    },
    Step {
        title: "Ask for a signature",
        text: "The answer has the id of the signing, and for each signer the address of the page on which \
            they sign. Give it to nobody else: who has it is taken for the signer. The idempotency key lets \
            the call be repeated without asking twice.",
        command: "\
curl -sS --fail-with-body \"$BASE/v1/signings\" \\
  -H \"Authorization: Bearer $KEY\" -H \"Idempotency-Key: contract-1\" \\
  --json @- > signing.json <<END
{
  \"title\": \"Contract\",
  \"document\": {\"name\": \"contract.pdf\", \"content\": \"$(base64 -w0 contract.pdf)\"},
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
        title: "Verify a webhook",
        text: "The demo's receiver keeps what was posted to it. The key of webhook-signature is what the base64 \
            after whsec_ stands for; what is signed are the id, the time and the body as it came, joined by \
            full stops. Also refuse a time that is more than five minutes off. Events are listed in the \
            reference.",
        command: "\
curl -sS --fail-with-body \"$HOOK/deliveries?atLeast=1&waitMs=30000\" > deliveries.json
header() { jq -r --arg name \"$1\" '.[0].headers[$name]' deliveries.json; }
SECRET=$(jq -r .signing.webhookSecret demo/demo.json)
SECRET=$(printf %s \"${SECRET#whsec_}\" | base64 -d | od -An -vtx1 | tr -d ' \\n')
SIGNATURE=$({
  printf '%s.%s.' \"$(header webhook-id)\" \"$(header webhook-timestamp)\"
  jq -j '.[0].body' deliveries.json
} | openssl dgst -sha256 -mac HMAC -macopt \"hexkey:$SECRET\" -binary | base64)
header webhook-signature | tr ' ' '\\n' | grep -xF \"v1,$SIGNATURE\"",
    },
];
