// Makes the generated layer, src/api, of what a server describes: npm run generate -- BASE_URL
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";

import openapiTS, { astToString } from "openapi-typescript";

const APIS = {
    signing: "openapi.json",
    diligence: "dd/openapi.json",
    authentication: "auth/openapi.json",
};
const KEY = "#/components/parameters/IdempotencyKey";
const LICENCE = new URL("../../../LICENSE", import.meta.url);

const base = process.argv[2]?.replace(/\/*$/, "/");
if (!base) throw new Error("which server? npm run generate -- BASE_URL");
mkdirSync(new URL("src/api", import.meta.url), { recursive: true });
for (const [name, path] of Object.entries(APIS)) {
    const description = await (await fetch(new URL(path, base))).json();
    const types = astToString(await openapiTS(description));
    const keyed = Object.entries(description.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
            .filter(([, { parameters }]) => parameters?.some(({ $ref }) => $ref === KEY))
            .map(([method]) => `${method} ${path}`),
    );
    const list = `/** The calls that take an Idempotency-Key. */\nexport const keyed = ${JSON.stringify(keyed)};\n`;
    writeFileSync(new URL(`src/api/${name}.ts`, import.meta.url), types + list);
}
if (existsSync(LICENCE)) copyFileSync(LICENCE, new URL("LICENSE", import.meta.url));
