/**
 * Measures the product beside its peers; installs the peers first.
 *   node scripts/bench.mjs [engine] [places] [search] [filters] [peers] [activation] [renewal] [agent] [embedded] [terraform] [sdk] [impact]
 *     [rules] [replicas] [fleet] [sync] [backup] [console [RECORDS]] [directory [PEOPLE]]
 *   node scripts/bench.mjs org-history CLONE
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bench = join(root, 'bench');

function run(command, args, cwd = root) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

build({ quiet: true });
if (!existsSync(join(bench, 'node_modules'))) run('npm', ['ci', '--no-audit', '--no-fund'], bench);
run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', bench]);
run(process.execPath, [join(bench, 'dist/bench/src/main.js'), ...process.argv.slice(2)]);
