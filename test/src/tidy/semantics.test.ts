import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadAuthzen } from '../conformance/authzen-cases.js';
import { loadConformance } from '../conformance/load.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(join(root, 'docs/semantics.md'), 'utf8');
const rules = [...page.matchAll(/^- \*\*(\d+\.\d+)\*\*/gm)].map((match) => match[1] ?? '');
const tenants = [...loadConformance(), ...loadAuthzen()];

/** `semantics 5.3`, `semantics.md 5.3`, in comments, tests and pages. */
function citations(): { file: string; rule: string }[] {
  return ['core', 'pdp', 'cloud', 'agent', 'cli', 'sdk', 'provider', 'test', 'docs']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && /\.(ts|md|yaml)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((file) => !/\/(node_modules|dist)\/|\/tidy\//.test(file))
        .flatMap((file) =>
          [...readFileSync(file, 'utf8').matchAll(/\bsemantics(?:\.md)?`?,? (\d+\.\d+)/gi)].map((match) => ({
            file,
            rule: match[1] ?? '',
          })),
        ),
    );
}

describe('docs/semantics.md', () => {
  it('numbers its rules in order, each once', () => {
    expect(rules.length).toBeGreaterThan(30);
    const inOrder = [...rules].sort(
      (left, right) =>
        Number(left.split('.')[0]) - Number(right.split('.')[0]) ||
        Number(left.split('.')[1]) - Number(right.split('.')[1]),
    );
    expect(rules).toEqual([...new Set(inOrder)]);
  });

  it('has every rule that a table of cases or a comment cites', () => {
    const cited = [
      ...tenants.flatMap(({ file, rules: named }) => named.map((rule) => ({ file, rule }))),
      ...citations(),
    ];
    expect(cited.filter(({ rule }) => !rules.includes(rule))).toEqual([]);
  });

  it('has a table of cases for every rule of decisions', () => {
    const pinned = new Set(tenants.flatMap((tenant) => tenant.rules));
    // From section 10 on, rules are about other things than decisions; so is an explanation (6.4). Their tests stand beside
    // what they are about.
    const aboutDecisions = rules.filter((rule) => Number.parseInt(rule, 10) < 10 && rule !== '6.4' && rule !== '7.4');
    expect(aboutDecisions.filter((rule) => !pinned.has(rule))).toEqual([]);
  });
});
