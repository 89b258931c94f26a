import fc from 'fast-check';
import type { ManifestFile } from '../src/manifest/manifest.js';

/** Declarations that fit each other now and then, in every style of YAML, some of them wrong. */
const PARTS = [
  'version: 1\n',
  'tenant: acme\n',
  'stack: billing\n',
  'stack: other\n',
  'applications:\n  billing: &app\n    resource_types:\n      invoice: { actions: [read, approve], properties: { amount: number } }\n',
  'applications:\n  billing:\n    resources: { INV-1: { type: invoice, properties: { amount: 120 } }, invoice/2: {} }\n    roles: { clerk: &none {}, accountant: *none }\n',
  'applications:\n  billing:\n    policies:\n      approve:\n        effect: ALLOW\n        resource_type: invoice\n        actions: [approve]\n        condition: >-\n          resource.properties.amount <\n          1000 && contxt.x\n        assigned_to: [role/clerk, group/finance]\n',
  'roles:\n  clerk: { description: "the\\u0020clerk\\n" }\n  auditor:\n    description: a text\n      over two lines\n    includes: [clerk, missing]\n',
  "groups:\n  finance: { members: [user/alice, 'user/bob', group/staff], roles: [clerk] }\n  staff:\n    members:\n      - user/carol\n      - { member: group/finance, expires_at: 2020-01-01T00:00:00Z }\n",
  'subjects:\n  user/alice: { name: Älice 🙂, properties: { a: 010, b: yes, c: ~, d: -0, e: .inf, f: 1e3, g: 0x1F } }\n  user/bob:\n',
  'subjects:\n  ? user/carol\n  : properties: &shared\n      level: 3\n      list: [1, two, 3.5, null, true]\n  user/dave:\n    properties: { <<: *shared, level: 4 }\n',
  'moved:\n  - { from: role/clerk, to: role/auditor }\n',
  'external: [group/elsewhere, role/billing/clerk]\n',
  'role_assignments:\n  - { role: billing/clerk, to: user/alice }\n  - { role: auditor, to: group/elsewhere }\n',
  'access_rules:\n  outside: { never: { subjects: user, actions: [read], resources: billing/invoice } }\n',
  'groups: { odd: { members: *nowhere } }\n',
  'description: !!binary aGk=\n',
  '# a comment\n\n',
  '---\n',
  '...\n%YAML 1.2\n---\n',
];

/** Typing mistakes in a text. */
const SLIPS = [
  '',
  ' ',
  '\n',
  '\t',
  '"',
  "'",
  '{',
  ']',
  ': ',
  '- ',
  '#',
  '&a ',
  '*a ',
  '!x ',
  '\\ud800',
  '|\n',
  '\u0007',
];

const slip = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 3 }), fc.constantFrom(...SLIPS));

const text = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 }),
    fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(slip, { maxLength: 3 }) }),
  )
  .map(([mark, parts, slips]) =>
    slips.reduce((written, [place, length, put]) => {
      const at = Math.floor(place * written.length);
      return written.slice(0, at) + put + written.slice(at + length);
    }, mark + parts.join('')),
  );

const faulty = fc.array(text, { minLength: 1, maxLength: 5 });

/** Parts that may stand in one tree together, in any order and in any file; the first is needed. */
const SOUND = [
  'version: 1\n',
  'applications:\n  billing:\n    resource_types: { invoice: &type { actions: [read, "approve"], properties: { amount: number } }, bill: *type }\n',
  'applications: { billing: { roles: { clerk: {}, accountant: { includes: [clerk, auditor] } } } }\n',
  'applications:\n  billing:\n    policies:\n      approve:\n        effect: ALLOW\n        resource_type: invoice\n        actions: [approve]\n        condition: >-\n          resource.properties.amount <\n          1000\n',
  'roles:\n  auditor:\n    description: a text\n      over two lines\n',
  "groups:\n  finance: { members: [user/alice, 'user/bob'], roles: [auditor] }\n",
  'subjects:\n  user/alice: { name: Älice 🙂, properties: { a: ~, b: -0, c: 1e3, d: 0x1F, e: "\\u0041\\n" } }\n  user/bob:\n',
  'subjects:\n  ? user/carol\n  : properties: &shared { level: 3, list: [1, two, 3.5, null] }\n  user/dave:\n    properties: { <<: *shared, level: 4 }\n',
];

const sound = fc
  .tuple(fc.shuffledSubarray(SOUND, { minLength: SOUND.length }), fc.array(fc.boolean(), { minLength: SOUND.length }))
  .map(([parts, breaks]) => {
    const texts: string[][] = [];
    for (const [at, part] of parts.entries()) {
      const last = texts.at(-1);
      if (last === undefined || breaks[at]) texts.push([part]);
      else last.push(part);
    }
    return texts.map((documents) => documents.join('---\n'));
  });

/** Trees of a few files, most of them with faults. */
export const randomTree: fc.Arbitrary<ManifestFile[]> = fc
  .oneof({ weight: 2, arbitrary: faulty }, { weight: 1, arbitrary: sound })
  // Through bytes, as a file's text comes: half a character is none.
  .map((texts) => texts.map((written, at) => ({ path: `file-${at}.yaml`, text: Buffer.from(written).toString() })));
