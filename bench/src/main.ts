/**
 * Measures the product beside its peers in one run and prints a table in Markdown:
 *   npm run bench                  everything
 *   npm run bench -- engine peers  only these
 * Absolute figures belong to a machine; the ratios of one run are what docs/benchmarks.md speaks of.
 */
import { cpus } from 'node:os';
import { barRows } from './bars.js';
import { measureEngine } from './engine.js';
import { impact, rules, terraform } from './parts/changes.js';
import { conditions, engine, peers, places, search } from './parts/in-process.js';
import { activation, agent, neighbours, propagation, renewal, sdk } from './parts/serving.js';
import { table } from './table.js';

const parts: Record<string, () => void | Promise<void>> = {
  engine,
  conditions,
  places,
  search,
  peers,
  activation,
  renewal,
  agent,
  neighbours,
  propagation,
  terraform,
  sdk,
  impact,
  rules,
};
const [first, ...rest] = process.argv.slice(2);
if (first === '--engine') {
  process.stdout.write(JSON.stringify(measureEngine(Number(rest[0]), rest[1] || undefined)));
} else {
  const wanted = first === undefined ? Object.keys(parts) : [first, ...rest];
  const unknown = wanted.filter((name) => parts[name] === undefined);
  if (unknown.length > 0) {
    process.stderr.write(`There is no part "${unknown[0]}": choose from ${Object.keys(parts).join(', ')}.\n`);
    process.exit(1);
  }
  process.stdout.write(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model}\n`);
  for (const name of wanted) await parts[name]?.();
  table('Bars', ['', 'measured', 'bar', ''], barRows());
}
