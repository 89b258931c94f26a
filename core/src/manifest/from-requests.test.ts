import { describe, expect, it } from 'vitest';
import { faultText } from './manifest.js';
import { readManifest } from './read.js';
import { writeManifest } from './write.js';

const tree = (text: string, more: string[] = []) =>
  readManifest([text, ...more].map((each, at) => ({ path: `${at}.yaml`, text: `version: 1\n${each}` })));

/** The lists of each type, and the word of each role, by address. */
function taken(...texts: [string, ...string[]]) {
  const { faults, manifest } = tree(texts[0], texts.slice(1));
  expect(faults).toEqual([]);
  return Object.fromEntries(
    (manifest?.records ?? []).flatMap(({ address, fields }) =>
      'from_requests' in fields ? [[address, fields.from_requests]] : [],
    ),
  );
}

const INVOICE = (rest: string) =>
  `applications: { pay: { resource_types: { invoice: { actions: [read], ${rest} } }, roles: { clerk: {}, guest: { from_requests: true } } } }`;
const AMOUNT = 'properties: { amount: { type: number, from_requests: false }, tenant: string }';

describe('what requests may send, in YAML', () => {
  it.each([
    ['nothing is said', INVOICE('properties: { amount: number }'), undefined],
    ['a type says false', INVOICE('properties: { amount: number }, from_requests: false'), []],
    ['a type says true', INVOICE('properties: { amount: number }, from_requests: true'), undefined],
    ['a type lists', INVOICE('properties: { amount: number, tenant: string }, from_requests: [tenant]'), ['tenant']],
    ['a property says false', INVOICE(AMOUNT), ['tenant']],
    [
      'a property of a type that says false says true',
      INVOICE(`${AMOUNT.replace('false', 'true')}, from_requests: false`),
      ['amount'],
    ],
    ['parents go with the type', INVOICE(`${AMOUNT}, parents: [{ type: invoice, property: of }]`), ['of', 'tenant']],
  ])('where %s', (_, text, wanted) => {
    expect(taken(text)['resource_type/pay/invoice']).toEqual(wanted);
  });

  it('says the defaults of a tree for all that says nothing, in whatever file', () => {
    const users = 'subject_types: { user: {}, robot: { from_requests: true } }\nroles: { lead: {} }';
    expect(
      taken(
        INVOICE('properties: { amount: number, tenant: { type: string, from_requests: true } }'),
        users,
        'defaults: { from_requests: false }',
      ),
    ).toEqual({
      'resource_type/pay/invoice': ['tenant'],
      'role/lead': false,
      'role/pay/clerk': false,
      'subject_type/user': [],
    });
  });

  it('is written so that it reads back as the same', () => {
    const { manifest } = tree(INVOICE(AMOUNT), ['subject_types: { user: { from_requests: false } }']);
    const files = writeManifest(manifest?.records ?? [], { stack: 'default' });
    expect(files.map(({ text }) => text).join('')).toContain('from_requests: false');
    expect(readManifest(files).manifest?.records).toEqual(expect.arrayContaining(manifest?.records ?? [null]));
  });

  it.each([
    [
      'defaults of two values',
      ['defaults: { from_requests: false }', 'defaults: { from_requests: true }'],
      '1.yaml:2:11: defaults: from_requests is true here and false at 0.yaml:2:11: keep one of them.',
    ],
    [
      'another default',
      ['defaults: { priority: 3 }'],
      '0.yaml:2:11: defaults: the key "priority" is not known: write one of from_requests.',
    ],
    ['no defaults', ['defaults: false'], '0.yaml:2:11: defaults: must be a mapping: write "{ from_requests: false }".'],
    [
      'a default that is no boolean',
      ['defaults: { from_requests: "no" }'],
      '0.yaml:2:11: defaults: from_requests is the text "no", and must be true or false.',
    ],
    [
      'a property that is no boolean',
      [INVOICE('properties: { amount: { type: number, from_requests: 1 } }')],
      '0.yaml:2:123: resource_type/pay/invoice: properties.amount: from_requests is the number 1, and must be true or false.',
    ],
    [
      'a property without a type',
      [INVOICE('properties: { amount: { from_requests: false } }')],
      '0.yaml:2:92: resource_type/pay/invoice: properties.amount: has no type: write "{ type: string, from_requests: false }".',
    ],
    [
      'a key that is not known',
      [INVOICE('properties: { amount: { type: number, from_request: false } }')],
      '0.yaml:2:122: resource_type/pay/invoice: properties.amount: the key "from_request" is not known: did you mean "from_requests"?',
    ],
    [
      'both a list and a property',
      [INVOICE(`${AMOUNT}, from_requests: [tenant]`)],
      '0.yaml:2:165: resource_type/pay/invoice: from_requests: lists properties, and "amount" say it themselves: keep one of them.',
    ],
    [
      'what nobody declares',
      [INVOICE('properties: { amount: number }, from_requests: [amout]')],
      '0.yaml:2:118: resource_type/pay/invoice: from_requests[0]: "amout" is not declared by the type: declare it in properties, or take it out.',
    ],
    [
      'some of the parents',
      [INVOICE('parents: [{ type: invoice, property: of }, { type: invoice, property: by }], from_requests: [of]')],
      '0.yaml:2:162: resource_type/pay/invoice: from_requests: leaves out "by": requests name all parents of a resource, or none.',
    ],
  ])('refuses %s', (_, texts, fault) => {
    const [first = '', ...more] = texts;
    expect(tree(first, more).faults.map(faultText)).toEqual([fault]);
  });
});
