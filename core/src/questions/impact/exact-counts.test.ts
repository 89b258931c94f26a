import { describe, expect, it } from 'vitest';
import type { Kind } from '../../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf } from '../../records/registry.js';
import { computeImpact } from './compute-impact.js';

function record(kind: Kind, raw: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(raw) as never) as DeclaredRecord;
}

const LEVELS = [0, 1, 2, 3, 4, 5];
const SIZES = [0, 1, 2, 3];

/** Returns what a group of six gains on four resources under a condition, if no more pairs than these are looked at. */
function granted(condition: string, pairsMax: number | undefined) {
  const before = [
    record('application', { name: 'a' }),
    record('resource_type', { application: 'a', name: 't', actions: ['read'] }),
    record('group', { name: 'staff' }),
    ...LEVELS.flatMap((level) => [
      record('subject', {
        type: 'user',
        id: `u${level}`,
        properties: { level, home: `r${level}`, nick: level === 2 ? 'u2' : 'x' },
      }),
      record('group_membership', { group: 'staff', entity_type: 'subject', entity: `user/u${level}` }),
    ]),
    ...SIZES.map((size) => {
      const lists = { team: [{ id: `u${size}` }], shares: { [`u${size}`]: true }, digits: `${size}` };
      return record('resource', { type: 'a/t', name: `r${size}`, properties: { size, ...lists } });
    }),
    record('policy', { name: 'p', effect: 'ALLOW', resource_type: 'a/t', actions: ['read'], condition }),
  ];
  const after = [...before, record('policy_assignment', { policy: 'p', entity_type: 'group', entity: 'staff' })];
  const { delta, pairs } = computeImpact(
    { records: before },
    { records: after },
    { now: 0, ...(pairsMax !== undefined && { pairsMax }) },
  );
  const { counts, exact, findings } = delta;
  return { gained: counts.gained, exact, findings, lines: [...pairs()].length };
}

describe('the counts of conditions that join subjects and resources', () => {
  const larger = LEVELS.flatMap((level) => SIZES.filter((size) => level > size)).length;

  it('are exact where all pairs are looked at', () => {
    const { gained, exact, findings, lines } = granted(
      'subject.properties.level > resource.properties.size',
      undefined,
    );
    expect([gained, exact, lines]).toEqual([larger, true, larger]);
    expect(findings.map((finding) => [finding.triples, finding.exact])).toEqual([[larger, true]]);
  });

  it.each([0, 6, 12, 23])('are an upper bound, and say so, beyond %d pairs', (pairsMax) => {
    const condition = 'subject.properties.level + 0 > resource.properties.size';
    const { gained, exact, findings } = granted(condition, pairsMax);
    expect(exact).toBe(false);
    expect(gained).toBeGreaterThanOrEqual(larger);
    expect(gained).toBeLessThanOrEqual(LEVELS.length * SIZES.length);
    expect(findings.map((finding) => finding.exact)).toContain(false);
    expect(findings.reduce((sum, { triples }) => sum + triples, 0)).toBe(gained);
    expect(findings.every((finding) => finding.condition === condition)).toBe(true);
  });

  it.each([
    ['equality', 'subject.properties.home == resource.name', 4],
    ['membership', 'subject.properties.home in [resource.name, "r5"]', 8],
    ['order', 'subject.properties.level > resource.properties.size', larger],
    [
      'two attributes',
      'subject.properties.level >= resource.properties.size && subject.id != resource.name',
      larger + 4,
    ],
    ['an item of a list', 'resource.properties.team.exists(one, one.id == subject.id)', 4],
    ['a key of a map', 'subject.id in resource.properties.shares', 4],
    ['the type besides', 'subject.type == "user" && subject.properties.home == resource.name', 4],
    ['what must be there', 'has(subject.properties.home) && subject.properties.home == resource.name', 4],
  ])('are exact for %s, however many pairs there are', (_, condition, count) => {
    const { gained, exact } = granted(condition, 0);
    expect([gained, exact]).toEqual([count, true]);
  });

  it.each([
    ['worked out of a property', 'subject.id == "u" + resource.properties.digits', 4],
    ['the context', 'subject.properties.home == context.home', 24],
    ['the same for two attributes', 'subject.id == context.who && subject.properties.nick == context.who', 4],
    ['otherwise restricted', 'context.who.endsWith("2") && subject.id == context.who', 4],
  ])('are of each subject with its own resources where the other side is %s', (_, condition, count) => {
    const { gained, findings } = granted(condition, undefined);
    expect(gained).toBe(count);
    expect(new Set(findings.map((finding) => finding.condition))).toEqual(new Set([condition]));
  });
});

it('compares with a state that lacks a type of subjects that nothing but its own record names', () => {
  const type = record('subject_type', { name: 'robot', from_requests: [] });
  const now = Date.UTC(2026, 0, 1);
  expect(computeImpact({ records: [] }, { records: [type] }, { now }).delta.findings).toEqual([]);
  expect(computeImpact({ records: [type] }, { records: [] }, { now }).delta.findings).toEqual([]);
});
