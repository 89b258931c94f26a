/**
 * Runs cloud and agents under a small load, shows how much memory they hold, and checks the history of what they said.
 *   node scripts/soak.mjs [minutes]     60 unless given
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const minutes = Number(process.argv[2] ?? 60);
if (!(minutes > 0)) {
  process.stderr.write(`"${process.argv[2]}" is not a number of minutes.\n`);
  process.exit(1);
}

build({ quiet: true });
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/src/faults/soak.test.ts', '--disable-console-intercept'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, SERVICE_SOAK_MINUTES: String(minutes) } },
);
process.exit(status ?? 1);
