import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../json/json.js';
import type { Kind } from '../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf, type Fields } from '../records/registry.js';
import { faultText } from './manifest.js';
import { readManifest } from './read.js';
import { writeManifest } from './write.js';

function record(kind: Kind, fields: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(fields) as Fields);
}

function canonical(records: readonly DeclaredRecord[]): string[] {
  return records.map((each) => canonicalJson(each)).sort();
}

/** Names that YAML, paths or file systems could mistake for something else. */
const tricky = fc.constantFrom(
  ...[
    'a',
    'b',
    'Billing',
    'billing',
    'role',
    'group',
    'subject',
    'null',
    '~',
    'true',
    'no',
    'Yes',
    'on',
    'y',
    '1',
    '007',
  ],
  ...['0x1F', '1e3', '1_000', '.5', '-', '--', '- a', '?', '? a', ':', 'a: b', 'a:b', 'a:', '#', 'a #b', '&a', '!t'],
  ...[
    '|',
    '>',
    '%',
    '%2F',
    'a/b',
    '/',
    '//',
    'a/',
    ' a',
    'a ',
    'a  b',
    '2027-01-31',
    '12:30',
    '"',
    "'",
    '`',
    '@a',
    ',',
  ],
  ...[
    '[',
    ']',
    '{}',
    '<<',
    '=',
    '...',
    '---',
    '__proto__',
    'constructor',
    'é',
    'e\u0301',
    '日本',
    '🙂',
    '\u2028',
    '\u200b',
  ],
  ...[
    '\ufeff',
    '\ufffd',
    '.hidden',
    'CON',
    '-1',
    '+1',
    '.inf',
    '.NaN',
    '1.10',
    '9007199254740993',
    'ALLOW',
    '\\',
    'a\\n',
  ],
);
const unicode = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((text) => /^\P{Cc}+$/u.test(text));
const name = fc.oneof({ weight: 4, arbitrary: tricky }, { weight: 1, arbitrary: unicode });
const names = (maxLength: number) => fc.uniqueArray(name, { minLength: 1, maxLength });
const note = fc.option(
  fc.oneof(
    tricky,
    fc.constantFrom('two\nlines', 'a\n\n b\n', '\nx', 'x\n\n', ' x\ny', 'tab\tin', 'cr\r\n', 'a \nb'),
    fc.string({ unit: 'binary' }),
  ),
  { nil: undefined },
);
const properties = fc.option(
  fc.dictionary(
    fc.oneof(name, fc.constant('k'.repeat(256))).filter((key) => key !== '__proto__'),
    fc.jsonValue({ noUnicodeString: false, depthSize: 'small' }).map(safe) as fc.Arbitrary<unknown>,
    { maxKeys: 3, noNullPrototype: true },
  ),
  { nil: undefined },
);
const moment = (text: string) => fc.option(fc.constant(text), { nil: undefined, freq: 2 });
const start = moment('2026-01-31T18:00:00.000Z');
const end = moment('2027-01-31T18:00:00.000Z');

/** JSON that YAML can say here: no integers beyond exactness, no key that JavaScript objects cannot hold. */
function safe(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? 0.5 : value;
  if (Array.isArray(value)) return value.map(safe);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).filter(([key]) => key !== '__proto__');
  return Object.fromEntries(members.map(([key, inner]) => [key, safe(inner)]));
}

/** A whole valid tenant, drawn piece by piece. */
function tenant(draw: fc.GeneratorValue): DeclaredRecord[] {
  const records = new Map<string, DeclaredRecord>();
  const put = (kind: Kind, fields: Record<string, unknown>) => {
    const made = record(kind, { description: draw(() => note), ...fields });
    if (!records.has(made.address)) records.set(made.address, made);
    return made.address.slice(kind.length + 1);
  };
  const link = (kind: Kind, fields: Record<string, unknown>) => {
    const made = record(kind, { ...fields, starts_at: draw(() => start), expires_at: draw(() => end) });
    if (!records.has(made.address)) records.set(made.address, made);
  };
  const pick = <T>(from: readonly T[]): T => draw(fc.constantFrom, ...from) as T;
  const some = <T>(from: readonly T[]): T[] =>
    from.length === 0 ? [] : draw(fc.subarray, [...from], { maxLength: Math.min(4, from.length) });

  const resources: { path: string; actions: string[] }[] = [];
  const types: { path: string; actions: string[] }[] = [];
  const owners: (string | undefined)[] = [undefined];
  for (const application of draw(names, 3)) {
    const own = put('application', { name: application });
    owners.push(own);
    for (const type of draw(names, 2)) {
      const parents = some(types).map(({ path }, at) => ({ type: path, property: `p${at}` }));
      const lying = parents.length > 0 ? { parents } : {};
      const made = {
        path: put('resource_type', { application: own, name: type, actions: ['read', '*ALL', 'null', '1'], ...lying }),
        actions: ['read', '*', '1', 'null'],
      };
      types.push(made);
      for (const each of draw(names, 3)) {
        const fitting = resources.filter(({ path }) => parents.some(({ type: one }) => path.startsWith(`${one}/`)));
        const above = some(fitting).map(({ path }) => path);
        const fields = {
          type: made.path,
          name: each,
          properties: draw(() => properties),
          ...(above.length > 0 && { parents: above }),
        };
        resources.push({ path: put('resource', fields), actions: made.actions });
      }
    }
  }
  const subjects = draw(names, 4).map((id) => {
    const fields = {
      type: draw(() => name),
      id,
      name: draw(() => note)?.slice(0, 256),
      properties: draw(() => properties),
    };
    const made = record('subject', fields);
    records.set(made.address, made);
    return { entity_type: 'subject', entity: made.address.slice('subject/'.length) };
  });
  const groups = draw(names, 4).map((each) => ({ entity_type: 'group', entity: put('group', { name: each }) }));
  const made: string[] = [];
  const roles = owners.flatMap((application) =>
    draw(names, 2).map((each) => {
      const key = { application, name: each };
      const includes = some(made);
      const more = records.has(record('role', key).address) || includes.length === 0 ? {} : { includes };
      const path = put('role', { ...key, ...more, from_requests: pick([undefined, true, false]) });
      made.push(path);
      return path;
    }),
  );
  const policies = owners.flatMap((application) =>
    draw(names, 2).map((each) => {
      const effect = pick(['ALLOW', 'DENY']);
      const shared = {
        application,
        name: each,
        effect,
        ...(effect === 'DENY' && { unless: pick([undefined, {}, { mfa_required: true, ip_ranges: ['::1'] }]) }),
        priority: pick([0, 5, -5]),
        condition: pick([
          undefined,
          'has(context.a) && context.a == "x: y"',
          'true\n&& has(context.b)\n',
          '"#" != " #"',
        ]),
        modifiers: pick([
          undefined,
          {},
          { ip_ranges: ['10.0.0.0/8', '::1'], ...(effect === 'ALLOW' && { mfa_required: true }) },
          { time_windows: [{ days: ['sun', 'mon'], start: '09:00', end: '17:00', zone: 'Europe/Berlin' }] },
        ]),
      };
      const covered = some([...new Map(resources.map((resource) => [resource.path, resource])).values()]);
      if (covered.length > 0)
        return put('policy', {
          ...shared,
          resources: covered.map((resource) => ({
            resource: resource.path,
            actions: resource.actions.slice(0, 2),
            ...(pick([true, false]) && { below: true }),
          })),
        });
      const several = some(types);
      if (several.length > 1) {
        const resource_types = several.map(({ path }) => path);
        return put('policy', { ...shared, resource_types, actions: several[0]?.actions });
      }
      const type = pick(types);
      if (application !== undefined && several.length === 1)
        return put('policy', { ...shared, resource_types: ['*'], actions: ['*'] });
      return put('policy', { ...shared, resource_type: type.path, actions: type.actions });
    }),
  );
  const everyone = ['*', 'user', 'every%2Fone'].map((entity) => ({ entity_type: 'everyone', entity }));
  for (const role of roles)
    for (const entity of some([...subjects, ...groups, ...everyone]))
      link('role_assignment', { role, ...entity, resource: pick([undefined, ...resources])?.path });
  const holders = [...subjects, ...groups, ...everyone, ...roles.map((entity) => ({ entity_type: 'role', entity }))];
  for (const policy of policies) for (const entity of some(holders)) link('policy_assignment', { policy, ...entity });
  const order = [...new Set(groups.map(({ entity }) => entity))];
  for (const [index, group] of order.entries()) {
    const inner = order.slice(index + 1).map((entity) => ({ entity_type: 'group', entity }));
    for (const entity of some([...subjects, ...inner])) link('group_membership', { group, ...entity });
  }
  for (const each of draw(names, 2))
    put('subject_type', { name: each, properties: pick([undefined, {}, { a: 'map' }]) });
  for (const each of draw(names, 2)) put('context_attribute', { name: each, type: 'any' });
  for (const each of draw(names, 2))
    put('directory', { name: each, id_from: pick(['userName', 'id']), properties: pick([undefined, { a: 'title' }]) });
  for (const each of draw(names, 2)) {
    const form = pick(['never', 'only', 'always', 'separate'] as const);
    const paths = <T>(list: T[], pathOf: (one: T) => string) => {
      const found = some(list).map(pathOf);
      return found.length === 0 ? undefined : found;
    };
    const meant = {
      type: pick([undefined, 'user']),
      named: paths(subjects, ({ entity }) => entity),
      groups: paths(groups, ({ entity }) => entity),
      roles: paths(roles, (path) => path),
      where: pick([undefined, 'subject.id != "x"']),
    };
    const named = paths(resources, ({ path }) => path);
    put('access_rule', {
      name: each,
      [form]: {
        subjects: Object.fromEntries(Object.entries(meant).filter(([, value]) => value !== undefined)),
        actions: ['read', 'write'],
        resources: {
          types: pick([['*'], [pick(types).path]]),
          ...(named && { named, ...pick([{}, { below: true }]) }),
        },
      },
      mode: pick(['enforce', 'warn']),
      ...pick([{}, { suspended_until: '2099-01-01T00:00:00.000Z', suspension_reason: 'a reason' }]),
    });
  }
  for (const each of draw(names, 2)) put('api_key', { name: each, scopes: ['records:read', 'decisions'] });
  for (const each of draw(names, 2)) put('oauth_client', { name: each, scopes: ['bundle'] });
  return [...records.values()];
}

const seeds = fc.gen();

describe('writeManifest and readManifest', () => {
  it('writes files that read back as the same records', () => {
    fc.assert(
      fc.property(seeds, (draw) => {
        const records = tenant(draw);
        const files = writeManifest(records, { tenant: 'acme', stack: 'main' });
        const result = readManifest(files);
        expect(result.faults.map(faultText)).toEqual([]);
        expect(canonical(result.manifest?.records ?? [])).toEqual(canonical(records));
        expect(result.manifest).toMatchObject({ tenant: 'acme', stack: 'main', external: [] });
      }),
      { numRuns: 60 },
    );
  });

  it('lists what any part of a tenant mentions outside of itself as external', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 2, max: 5 }), (draw, every) => {
        const records = tenant(draw).filter((_, index) => index % every !== 0);
        const result = readManifest(writeManifest(records, { stack: 'main' }));
        expect(result.faults.map(faultText)).toEqual([]);
        expect(canonical(result.manifest?.records ?? [])).toEqual(canonical(records));
      }),
      { numRuns: 60 },
    );
  });
});
