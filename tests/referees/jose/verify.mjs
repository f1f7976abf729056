// Verifies flattened JWS (RFC 7515) with `jose`. Prints one JSON object per line and file. The
// key is that of the first certificate in `x5c`; the signer's identity is not checked. The exit
// status is 0 only if every signature verifies. Runs in the folder where its package is
// installed.
//
// usage: verify.mjs FILE...

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const { flattenedVerify } = await import(pathToFileURL(require.resolve("jose")));

const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"];

async function verdict(file) {
  try {
    const jws = JSON.parse(readFileSync(file, "utf8"));
    const { x5c } = JSON.parse(Buffer.from(jws.protected, "base64url"));
    const { publicKey } = new X509Certificate(Buffer.from(x5c[0], "base64"));
    const { payload } = await flattenedVerify(jws, publicKey, { algorithms: ALGORITHMS });
    return { file, ok: true, payload: Buffer.from(payload).toString() };
  } catch (error) {
    return { file, ok: false, error: `${error.code ?? error.name}: ${error.message}` };
  }
}

let good = true;
for (const file of process.argv.slice(2)) {
  const judged = await verdict(file);
  good &&= judged.ok;
  console.log(JSON.stringify(judged));
}
process.exit(good ? 0 : 1);
