// Makes the generated layer, src/api, of what a server describes: npm run generate -- BASE_URL
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";

import openapiTS, { astToString } from "openapi-typescript";

const APIS = {
    signing: "openapi.json",
    diligence: "dd/openapi.json",
    authentication: "auth/openapi.json",
};
const LICENCE = new URL("../../../LICENSE", import.meta.url);

const base = process.argv[2]?.replace(/\/*$/, "/");
if (!base) throw new Error("which server? npm run generate -- BASE_URL");
mkdirSync(new URL("src/api", import.meta.url), { recursive: true });
for (const [name, path] of Object.entries(APIS)) {
    const types = astToString(await openapiTS(new URL(path, base)));
    writeFileSync(new URL(`src/api/${name}.ts`, import.meta.url), types);
}
if (existsSync(LICENCE)) copyFileSync(LICENCE, new URL("LICENSE", import.meta.url));
