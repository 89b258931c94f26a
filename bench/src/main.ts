/**
 * Measures the product beside its peers in one run and prints a table in Markdown:
 *   npm run bench                  everything
 *   npm run bench -- engine peers  only these
 *   npm run bench -- org-history CLONE  the history of a clone of github.com/kubernetes/org
 *   npm run bench -- console 100000  the console, with a large tenant of so many records in place of a million
 *   npm run bench -- directory 10000  a directory with so many people in place of 100,000, and as much less of the rest
 * Absolute figures belong to a machine; the ratios of one run are what docs/benchmarks.md speaks of.
 */
import { cpus } from 'node:os';
import { barRows } from './bars.js';
import { measureEngine } from './engine.js';
import { backup } from './parts/backup.js';
import { impact, orgHistory, rules, terraform } from './parts/changes.js';
import { console } from './parts/console.js';
import { directory } from './parts/directory.js';
import { embedded } from './parts/embedded.js';
import { filters } from './parts/filters.js';
import { fleet } from './parts/fleet.js';
import { conditions, engine, peers, places, search } from './parts/in-process.js';
import { replicas } from './parts/replicas.js';
import { activation, agent, applications, neighbours, propagation, renewal, sdk, start } from './parts/serving.js';
import { sync } from './parts/sync.js';
import { table } from './table.js';

const words = process.argv.slice(2);
const history = words.indexOf('org-history') + 1;
const [clone] = history > 0 ? words.splice(history, 1) : [];
const sizeOf = (part: string): string | undefined => {
  const at = words.indexOf(part) + 1;
  return at > 0 && /^\d+$/.test(words[at] ?? '') ? words.splice(at, 1)[0] : undefined;
};
const [records, people] = [sizeOf('console'), sizeOf('directory')];
const parts: Record<string, () => void | Promise<void>> = {
  engine,
  conditions,
  places,
  search,
  filters,
  peers,
  activation,
  renewal,
  agent,
  embedded,
  neighbours,
  propagation,
  applications,
  start,
  terraform,
  sdk,
  impact,
  rules,
  replicas,
  fleet,
  sync,
  backup,
  console: () => console(records),
  directory: () => directory(people === undefined ? undefined : Number(people)),
  'org-history': () => orgHistory(clone),
};
const [first, ...rest] = words;
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
