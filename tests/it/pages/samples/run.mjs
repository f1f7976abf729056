// Runs samples as they stand, in one process; prints their outcomes as JSON.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { format } from "node:util";

const own = { ...process.env };
const samples = JSON.parse(readFileSync(process.argv[1], "utf8"));
const outcomes = [];
for (const { folder, variables, code } of samples) {
  process.chdir(folder);
  process.env = { ...own, ...variables };
  const file = `${folder}/sample.mjs`;
  writeFileSync(file, code);
  let printed = "";
  console.log = (...values) => {
    printed += `${format(...values)}\n`;
  };
  try {
    await import(pathToFileURL(file).href);
    outcomes.push({ printed });
  } catch (error) {
    outcomes.push({ refused: `${printed}${error.stack}` });
  }
}
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
