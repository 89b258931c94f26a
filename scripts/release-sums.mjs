/**
 * Writes the digests of each program's archives in a folder, after archives of other machines have been put beside them.
 *   node scripts/release-sums.mjs FOLDER
 */
import { readFileSync } from 'node:fs';
import { writeSums } from './archive.mjs';

const [folder] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(new URL('../cli/package.json', import.meta.url), 'utf8'));
for (const program of ['servicectl', 'service-agent', 'terraform-provider-service'])
  process.stdout.write(`${writeSums(folder, `${program}_${version}`)}\n`);
