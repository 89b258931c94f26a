// Translates every store of a checkout of https://github.com/openfga/sample-stores and runs its assertions; prints the
// table of docs/openfga.md. Usage: node scripts/openfga-samples.mjs CHECKOUT
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../cli/bin/service.js', import.meta.url));
const [checkout] = process.argv.slice(2);
if (checkout === undefined) throw new Error('Usage: node scripts/openfga-samples.mjs CHECKOUT');
const folder = join(checkout, 'stores');
const found = await readdir(folder, { recursive: true });
const stores = found.filter((file) => file.endsWith('.fga.yaml')).sort();

const service = (...args) =>
  new Promise((done) => {
    execFile(process.execPath, [program, ...args, '--json'], { cwd: folder, maxBuffer: 1e8 }, (_, stdout) => {
      done(JSON.parse(stdout));
    });
  });

console.log('| store | result | assertions | questions that hold |\n|---|---|---|---|');
const totals = { translated: 0, assertions: 0, passed: 0, failed: 0 };
for (const store of stores) {
  const out = await mkdtemp(join(tmpdir(), 'openfga-'));
  try {
    const { error, assertions, inherited } = await service('import', 'openfga', store, '--out', out);
    const name = store.replace(/\/?store\.fga\.yaml$/, '').replace(/\.fga\.yaml$/, '');
    if (error !== undefined) {
      const at = (item) => `${relative('.', item.file ?? '')}:${item.line}: ${item.detail}`;
      const reasons = error.errors.map(at);
      const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : '';
      console.log(`| ${name} | refused: ${reasons[0] ?? error.detail}${more} | | |`);
      continue;
    }
    const { passed, failed, faults, results } = await service('test', out);
    for (const fault of faults) console.error(`${store}: ${fault.file}:${fault.line}: ${fault.detail}`);
    for (const one of results.filter((result) => !result.passed)) {
      console.error(`${store}: ${one.question}: expected ${one.expected}, is ${one.actual}: ${one.reason}`);
    }
    const by =
      inherited.hierarchy + inherited.groups === 0
        ? ''
        : ` (inherits ${inherited.hierarchy} by hierarchy, ${inherited.groups} by groups)`;
    console.log(`| ${name} | translated${by} | ${assertions} | ${passed} of ${passed + failed} |`);
    totals.translated++;
    totals.assertions += assertions;
    totals.passed += passed;
    totals.failed += failed + faults.length;
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
console.log(
  `\n${totals.translated} of ${stores.length} stores translated; ${totals.assertions} assertions, asked as ${totals.passed + totals.failed} questions, of which ${totals.passed} hold.`,
);
process.exitCode = totals.failed > 0 ? 1 : 0;
