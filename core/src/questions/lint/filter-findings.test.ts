import { describe, expect, it } from 'vitest';
import { readManifest } from '../../manifest/read.js';
import { filterFindings } from './filter-findings.js';

/** The clauses that lint names of a policy with a condition. */
function refused(condition: string, more: { effect?: string; unless?: string; filterable?: boolean } = {}): string[] {
  const { effect = 'ALLOW', unless = '', filterable = true } = more;
  const text = `version: 1
applications:
  docs:
    resource_types:
      folder: { actions: [read], properties: { level: number } }
      doc:
        actions: [read]
        filterable: ${filterable}
        properties: { owner: string, tags: list, n: number, m: number, flag: boolean, fixed: { type: number, from_requests: false }, about: map, loose: any }
        parents: [{ type: docs/folder, property: folder }]
      other: { actions: [read], properties: { n: number } }
    resources: { hr: { type: folder, properties: { level: 3 } } }
    roles: { reader: {} }
    policies:
      p:
        effect: ${effect}
        resource_type: doc
        actions: [read]
        condition: ${JSON.stringify(condition)}
        ${unless}
        assigned_to: [everyone]
      q: { effect: ALLOW, resource_type: other, actions: [read], condition: resource.properties.n + 1 > 2, assigned_to: [everyone] }
groups: { g: {} }
`;
  const { manifest, faults } = readManifest([{ path: 'a.yaml', text }]);
  expect(faults).toEqual([]);
  return filterFindings(manifest?.records ?? [], 0).map(({ address, pointer, offset = 0, detail }) => {
    expect([address, pointer]).toEqual(['policy/docs/p', '/condition']);
    const [, clause = ''] = /for the clause (.*): [^:]*$/.exec(detail) ?? [];
    expect(condition.slice(Math.max(0, offset - 1))).toMatch(
      new RegExp(`^.?${clause.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`),
    );
    return clause;
  });
}

describe('lint of filterable types', () => {
  it.each([
    'resource.properties.owner == subject.id',
    'resource.properties.owner in context.owners',
    'context.tag in resource.properties.tags',
    'subject.properties.level >= resource.properties.n',
    'resource.properties.n < resource.properties.m',
    'resource.name.startsWith(subject.properties.prefix)',
    'context.groups.exists(g, g == resource.properties.owner)',
    'context.groups.exists(g, resource.properties.owner.endsWith(g) || g == "all")',
    'resource.properties.tags.exists(t, t in subject.properties.tags)',
    'cel.bind(limit, subject.properties.limit, resource.properties.n <= limit)',
    'subject.has_role("docs/reader") || resource.properties.flag',
    'context.n + 1 > 2 && subject.id.matches("a.*") && size(subject.properties.tags) > 2',
    'resource.ancestor("docs/folder").properties.level > 2 && resource.properties.fixed + 1 > 2',
    '(resource.properties.flag ? resource.properties.n : 0) > context.limit',
    'has(resource.properties.owner) ? resource.properties.flag : context.any',
  ])('finds nothing in %s', (condition) => expect(refused(condition)).toEqual([]));

  it.each<[string, string[]]>([
    ['resource.properties.owner.matches("a.*")', ['resource.properties.owner.matches("a.*")']],
    [
      'subject.id == "x" || resource.properties.n + context.n > 3 && size(resource.properties.tags) == 1',
      ['resource.properties.n + context.n > 3', 'size(resource.properties.tags) == 1'],
    ],
    ['resource.properties.loose == "x"', ['resource.properties.loose == "x"']],
    ['resource.properties.about.a == "x"', ['resource.properties.about.a == "x"']],
    ['resource.properties.tags == context.tags', ['resource.properties.tags == context.tags']],
    ['context.key in resource.properties', ['context.key in resource.properties']],
    [
      'resource.properties.fixed > resource.properties.n + 1',
      ['resource.properties.fixed > resource.properties.n + 1'],
    ],
    ['subject.in_group("g") && resource.properties.n % 2 == 0', ['resource.properties.n % 2 == 0']],
    ['!subject.in_group("g") && resource.properties.n % 2 == 0', ['resource.properties.n % 2 == 0']],
    [
      '(resource.properties.flag ? resource.properties.n : 0) > context.limit + 1',
      ['(resource.properties.flag ? resource.properties.n : 0) > context.limit + 1'],
    ],
    ['context.groups.exists(g, size(resource.properties.owner) > g)', ['size(resource.properties.owner) > g']],
  ])('finds what is refused in %s', (condition, clauses) => {
    expect(refused(condition)).toEqual(clauses);
    expect(refused(condition, { effect: 'DENY', unless: 'unless: { mfa_required: true }' })).toEqual(clauses);
    expect(refused(condition, { filterable: false })).toEqual([]);
  });
});
