// Verifies an assertion (a JWT) with `jose`, like a relying party. Prints one JSON object with
// the claims, or with the fault. Runs in the folder where its package is installed.
//
// usage: assertion.mjs JWKS-ADDRESS ISSUER AUDIENCE NOW < assertion

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const { createRemoteJWKSet, jwtVerify } = await import(pathToFileURL(require.resolve("jose")));

const [address, issuer, audience, now] = process.argv.slice(2);
const keys = createRemoteJWKSet(new URL(address));
const options = {
  issuer,
  audience,
  algorithms: ["ES256"],
  typ: "JWT",
  requiredClaims: ["sub", "iat", "auth_time", "exp", "jti", "txn", "azp", "nonce", "amr"],
  currentDate: new Date(now),
};
try {
  const assertion = readFileSync(0, "utf8").trim();
  const { payload } = await jwtVerify(assertion, keys, options);
  console.log(JSON.stringify({ ok: true, claims: payload }));
} catch (error) {
  console.log(JSON.stringify({ ok: false, error: `${error.code ?? error.name}: ${error.message}` }));
}
