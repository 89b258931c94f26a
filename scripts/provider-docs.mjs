/**
 * Writes the provider's reference pages, in the layout of Terraform's registry, from its schema and its examples.
 *   npm run docs -w provider
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referencePages } from '@authz-service/provider/terraform/reference/pages';

const provider = fileURLToPath(new URL('../provider/', import.meta.url));
const pages = referencePages((path) => readFileSync(join(provider, 'examples', path), 'utf8'));

rmSync(join(provider, 'docs'), { recursive: true, force: true });
for (const { path, text } of pages) {
  const file = join(provider, 'docs', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
process.stdout.write(`${pages.length} pages in provider/docs\n`);
