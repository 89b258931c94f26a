/**
 * Writes the record types of the SDKs from the cloud's OpenAPI document. Needs a build.
 *   node scripts/sdk-types.mjs            writes the files
 *   node scripts/sdk-types.mjs --check    exits with 1 where one is stale
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { goRecords } from './sdk-types/go.mjs';
import { pythonRecords } from './sdk-types/python.mjs';
import { readOpenapi } from './sdk-types/read-openapi.mjs';
import { typescriptRecords } from './sdk-types/typescript.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Each language's file, and what writes its text from the same description. */
const LANGUAGES = [
  { file: 'sdk/go/records_gen.go', emit: goRecords },
  { file: 'sdk/node/src/generated/record-types.ts', emit: typescriptRecords },
  { file: 'sdk/python/src/authz_service/records.py', emit: pythonRecords },
];

const description = await readOpenapi();
let stale = 0;
for (const { file, emit } of LANGUAGES) {
  const text = emit(description);
  if (!process.argv.includes('--check')) writeFileSync(root + file, text);
  else if (read(root + file) !== text) {
    stale += 1;
    process.stderr.write(`${file} is stale: run "node scripts/sdk-types.mjs".\n`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
