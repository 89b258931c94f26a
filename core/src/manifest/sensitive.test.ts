import { describe, expect, it } from 'vitest';
import { faultText } from './manifest.js';
import { readManifest } from './read.js';
import { writeManifest } from './write.js';

const tree = (text: string) => readManifest([{ path: 'a.yaml', text: `version: 1\n${text}` }]);
const users = (rest: string) => `subject_types: { user: { ${rest} } }`;
const INVOICES = `applications: { pay: { resource_types: { invoice: { actions: [read],
  properties: { iban: { type: string, sensitive: true }, amount: { type: number, sensitive: false } } } } } }`;

describe('sensitive properties, in YAML', () => {
  it.each([
    ['a property says it', users('properties: { email: { type: string, sensitive: true }, team: string }'), ['email']],
    [
      'a list says it',
      users('properties: { email: string, team: string }, sensitive: [team, email]'),
      ['email', 'team'],
    ],
    ['nobody says it', users('properties: { email: { type: string, sensitive: false } }'), undefined],
    ['the list is empty', users('sensitive: []'), undefined],
    [
      'what requests may send is said beside it',
      users('properties: { email: { type: string, sensitive: true, from_requests: false } }'),
      ['email'],
    ],
  ])('are a list of the record where %s', (_, text, wanted) => {
    const { faults, manifest } = tree(text);
    expect(faults).toEqual([]);
    expect(manifest?.records.map(({ fields }) => (fields as { sensitive?: string[] }).sensitive)).toEqual([wanted]);
  });

  it.each([
    [
      'is no word',
      users('properties: { email: { type: string, sensitive: 1 } }'),
      'sensitive is the number 1, and must be true or false',
    ],
    [
      'is said twice',
      users('properties: { a: { type: string, sensitive: true } }, sensitive: [a]'),
      'lists properties, and "a" say it themselves',
    ],
    ['is not declared', users('properties: { a: string }, sensitive: [b]'), 'is not declared by the type'],
  ])('are refused where one %s', (_, text, wanted) => {
    expect(tree(text).faults.map(faultText).join()).toContain(wanted);
  });

  it('are written so that they read back as the same', () => {
    const { manifest, faults } = tree(`${INVOICES}\ncontext_attributes: { ip: { type: string, sensitive: true } }`);
    expect(faults).toEqual([]);
    const files = writeManifest(manifest?.records ?? [], { stack: 'default' });
    const again = readManifest(files.map(({ path, text }) => ({ path, text })));
    expect(again.manifest?.records.map(({ fields }) => fields)).toEqual(manifest?.records.map(({ fields }) => fields));
    expect(JSON.stringify(manifest?.records)).toContain('"sensitive":["iban"]');
  });
});
