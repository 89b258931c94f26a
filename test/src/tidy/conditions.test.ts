import { readFileSync } from 'node:fs';
import { compileCondition } from '@authz-service/core/conditions/evaluate/compile';
import { macros } from '@authz-service/core/conditions/evaluate/macros';
import { variables } from '@authz-service/core/conditions/evaluate/variables';
import { functions, methods } from '@authz-service/core/conditions/functions/functions';
import { checkCondition } from '@authz-service/core/conditions/reads/check';
import { CONDITION_LIMITS } from '@authz-service/core/conditions/syntax/limits';
import { Absent, Failure } from '@authz-service/core/conditions/values/outcome';
import { Scope } from '@authz-service/core/conditions/values/scope';
import { MAP } from '@authz-service/core/conditions/values/static-type';
import type { SubjectPrincipals } from '@authz-service/core/conditions/values/subject-principals';
import { NAMING_METHODS } from '@authz-service/core/records/condition-names';
import type { DecisionRequest } from '@authz-service/core/request';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../../docs/conditions.md', import.meta.url), 'utf8');

interface Table {
  heading: string[];
  rows: string[][];
}

/** The tables of the page; a cell holds `|` escaped. */
const tables: Table[] = [...page.matchAll(/(?:^\|.*\n)+/gm)].map(([text]) => {
  const [heading = [], , ...rows] = text.trim().split('\n').map(cellsOf);
  return { heading, rows };
});

function cellsOf(line: string): string[] {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1);
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const coded = (cell: string | undefined): string => /^`(.*)`$/.exec(cell ?? '')?.[1] ?? '';

/** Returns what the first column of the tables with this heading names. */
const listed = (name: string): string[] =>
  tables.filter(({ heading }) => heading[0] === name).flatMap(({ rows }) => rows.map(([first]) => coded(first)));

const request = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '') as DecisionRequest;
const facts = { type: request.resource.type, application: 'billing', id: request.resource.id, name: undefined };
/** The principals of the page's subject. */
const principals: SubjectPrincipals = {
  inGroup: (path) => path === 'finance',
  hasRole: (path) => path === 'billing/accountant',
};

function outcomeOf(source: string): string {
  if (checkCondition(source, undefined).error !== undefined) return 'refused';
  const outcome = compileCondition(source).evaluate(
    new Scope(request, facts, 0, undefined, undefined, undefined, principals),
  );
  if (outcome instanceof Absent) return `absent \`${outcome.attribute}\``;
  return outcome instanceof Failure ? 'failed' : String(outcome);
}

const examples = tables.flatMap(({ heading, rows }) => {
  const [example, gives] = [heading.indexOf('example'), heading.indexOf('gives')];
  return example < 0 ? [] : rows.map((row) => [coded(row[example]), row[gives] ?? ''] as const);
});

/** The paths of all variables that have no members of a fixed name. */
function paths(): string[] {
  return [...variables(MAP).values()].flatMap(({ label, members }) =>
    members === undefined ? [label] : [...members.values()].map((member) => member.label),
  );
}

const OPERATORS = ['.', '[]', '-', '!', '*', '/', '%', '+', '<', '<=', '>', '>=', '==', '!=', 'in', '&&', '||', '?:'];

describe('the page on conditions', () => {
  it.each(examples)('has an example that is right: %s gives %s', (source, gives) => {
    expect(outcomeOf(source)).toBe(gives);
  });

  it.each<[string, Iterable<string>]>([
    ['variable', paths()],
    ['operator', OPERATORS],
    ['macro', macros],
    ['function', functions.keys()],
    ['method', [...methods.keys(), ...Object.keys(NAMING_METHODS)]],
  ])('lists every %s, and no other', (name, all) => {
    expect(listed(name).sort()).toEqual([...all].sort());
  });

  it('has an example for each that uses it', () => {
    for (const { heading, rows } of tables) {
      if (!['operator', 'macro', 'function', 'method', 'variable'].includes(heading[0] ?? '')) continue;
      for (const row of rows) {
        const [name, example] = [coded(row[0]), coded(row[heading.indexOf('example')])];
        const part = name === '?:' ? ' ? ' : name === '[]' ? '[' : name;
        expect([example, example.includes(part)]).toEqual([example, true]);
      }
    }
  });

  it('lists every limit with its value', () => {
    const rows = tables.filter(({ heading }) => heading[0] === 'limit').flatMap(({ rows: all }) => all);
    const limits = rows.map(([limit = '', most = '']) => [
      /^`(\w+)`/.exec(limit)?.[1],
      Number(most.replaceAll(',', '')),
    ]);
    expect(Object.fromEntries(limits)).toEqual(CONDITION_LIMITS);
  });
});
