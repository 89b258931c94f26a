/**
 * Long runs whose history is checked:
 *   node scripts/soak.mjs [minutes]                     a cloud and agents under a small load, and how much memory they hold
 *   node scripts/soak.mjs replicas [--minutes MINUTES]  replicas on PostgreSQL and agents under faults
 * 60 minutes unless given, or 20 for replicas.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string' } },
});
const replicas = positionals[0] === 'replicas';
const given = values.minutes ?? positionals[replicas ? 1 : 0] ?? (replicas ? '20' : '60');
const minutes = Number(given);
if (!(minutes > 0)) {
  process.stderr.write(`"${given}" is not a number of minutes.\n`);
  process.exit(1);
}

build({ quiet: true });
const file = replicas ? 'test/src/faults/replicas.test.ts' : 'test/src/faults/soak.test.ts';
const env = replicas
  ? { SERVICE_REPLICA_FAULT_SECONDS: String(minutes * 60) }
  : { SERVICE_SOAK_MINUTES: String(minutes) };
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'faults', file, '--disable-console-intercept'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } },
);
process.exit(status ?? 1);
