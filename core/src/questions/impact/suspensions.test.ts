import { describe, expect, it } from 'vitest';
import { record } from '../../../testing/reviewed-records.js';
import { compileEngine } from '../../access/engine/compile-engine.js';
import type { DeclaredRecord } from '../../records/registry.js';
import { computeImpact } from './compute-impact.js';
import { plain } from './report/render-access-text.js';
import { sentence } from './report/sentence.js';

const NOW = Date.parse('2027-01-01T00:00:00Z');
const SOON = '2027-01-02T00:00:00Z';
const LATE = '2027-01-03T00:00:00Z';
const allow = (name: string, to: string, more: object = {}) => [
  record('policy', { name, effect: 'ALLOW', resource_type: 'docs/file', actions: ['read'], ...more }),
  record('policy_assignment', { policy: name, entity_type: 'role', entity: to }),
];
const carol = (more: object) => record('subject', { type: 'user', id: 'carol', ...more });
const REST = [
  record('application', { name: 'docs' }),
  record('resource_type', { application: 'docs', name: 'file', actions: ['read', 'edit'] }),
  record('resource', { type: 'docs/file', name: 'plan' }),
  record('role', { name: 'lead' }),
  record('role', { name: 'kept', from_requests: false }),
  record('role', { name: 'chief', includes: ['lead', 'kept'] }),
  ...allow('lead', 'lead'),
  ...allow('kept', 'kept', { actions: ['edit'] }),
  record('subject', { type: 'user', id: 'dave', suspended: true }),
];

/** The sentences of findings about roles that requests name for recorded subjects; each witness is asked of both engines. */
function said(before: object | undefined, after: object | undefined, more: readonly DeclaredRecord[] = []): string[] {
  const side = (fields: object | undefined) => [...REST, ...more, ...(fields === undefined ? [] : [carol(fields)])];
  const states = [side(before), side(after)].map((records) => ({ records }));
  const [one, two] = states as [(typeof states)[0], (typeof states)[0]];
  const engines = states.map(({ records }) =>
    compileEngine(records.map(({ kind, address, fields }) => ({ kind, id: address, fields }) as never)),
  );
  const { delta, subjectsOf } = computeImpact(one, two, { now: NOW });
  return delta.findings
    .flatMap((finding) => {
      const { subjects, witness, triples, from, until } = finding;
      if (subjects.named_role === undefined || subjects.recorded === 0) return [];
      expect(triples).toBe(0);
      expect(subjectsOf(finding)).toEqual(['user/carol']);
      expect(witness?.request.subject).toMatchObject({ type: 'user', id: 'carol' });
      const asked = engines.map(
        (engine) => witness && engine.decide(witness.request, Date.parse(witness.now)).decision,
      );
      expect(asked).toEqual([witness?.before, witness?.after]);
      expect(finding.causes.flat().map(({ address }) => address)).toEqual(['subject/user/carol']);
      return [
        `${finding.change}: ${plain(sentence(finding).who)}: ${finding.actions}${from === null ? '' : ` from ${from}`}${until === null ? '' : ` until ${until}`}`,
      ];
    })
    .sort();
}

const both = (text: string) =>
  ['chief', 'lead'].map((role) => text.replace('ROLE', `user/carol whom a request names as role/${role}`));

describe('what requests get by naming roles for a subject', () => {
  it.each([
    ['whose suspension ends', { suspended: true }, {}, both('gained: ROLE: read')],
    [
      'whose suspension gets an end',
      { suspended: true },
      { suspended_until: SOON },
      both(`gained: ROLE: read from ${SOON.replace('Z', '.000Z')}`),
    ],
    [
      'whose suspension ends sooner',
      { suspended_until: LATE },
      { suspended_until: SOON },
      both(`gained: ROLE: read from ${SOON.replace('Z', '.000Z')} until ${LATE.replace('Z', '.000Z')}`),
    ],
    ['who goes while suspended', { suspended: true }, undefined, both('gained: ROLE: read')],
    ['whose suspension begins', {}, { suspended: true }, both('lost: ROLE: read')],
    ['who comes suspended', undefined, { suspended: true }, both('lost: ROLE: read')],
    ['who stays suspended', { suspended: true }, { suspended: true, name: 'Carol' }, []],
    ['whose suspension is over', { suspended_until: '2026-01-01T00:00:00Z' }, {}, []],
    ['who is not suspended', {}, { properties: { a: 1 } }, []],
  ])('%s is a finding about the subject', (_, before, after, expected) => {
    expect(said(before, after)).toEqual(expected);
  });

  it('is not said again where the subject has it without naming any', () => {
    const lead = record('role_assignment', { role: 'lead', entity_type: 'subject', entity: 'user/carol' });
    expect(said({ suspended: true }, {}, [lead])).toEqual([]);
  });

  it('leaves out what the subject is denied', () => {
    const denied = [
      record('policy', { name: 'no', effect: 'DENY', resource_type: 'docs/file', actions: ['*'], priority: 9 }),
      record('policy_assignment', { policy: 'no', entity_type: 'subject', entity: 'user/carol' }),
    ];
    expect(said({ suspended: true }, {}, denied)).toEqual([]);
  });

  it('hangs on the recorded properties of the subject', () => {
    const sees = allow('own', 'lead', {
      actions: ['edit'],
      condition: 'subject.id == "carol" && subject.properties.level > 1',
    });
    const level = (n: number, more: object = {}) => ({ properties: { level: n }, ...more });
    expect(said(level(1, { suspended: true }), level(1), sees).filter((text) => text.includes('edit'))).toEqual([]);
    expect(said(level(2, { suspended: true }), level(2), sees)[0]).toContain('edit,read');
  });
});
