import { describe, expect, it } from 'vitest';
import type { EngineRecord } from '../../access/api/engine.js';
import { compileEngine } from '../../access/engine/compile-engine.js';
import type { DecisionRequest } from '../../request.js';
import { maskedInputs } from './decision-inputs.js';
import { Replay } from './replay.js';

const records = (condition?: string): EngineRecord[] =>
  [
    { kind: 'application', id: 'application', fields: { name: 'billing' } },
    { kind: 'resource_type', id: 'type', fields: { application: 'billing', name: 'invoice', actions: ['read'] } },
    { kind: 'role', id: 'role', fields: { name: 'clerk' } },
    { kind: 'subject', id: 'user/alice', fields: { type: 'user', id: 'alice' } },
    {
      kind: 'policy',
      id: 'policy',
      fields: {
        ...{ application: 'billing', name: 'read', effect: 'ALLOW', priority: 0 },
        ...{ resource_type: 'billing/invoice', actions: ['read'], ...(condition && { condition }) },
      },
    },
    {
      kind: 'policy_assignment',
      id: 'assignment',
      fields: {
        ...{ policy: 'billing/read', entity_type: 'subject', entity: 'user/alice' },
        expires_at: '2027-03-01T12:00:01Z',
      },
    },
  ] as EngineRecord[];

const NOW = Date.parse('2027-03-01T12:00:00Z');
const request = (more: Partial<DecisionRequest> = {}): DecisionRequest => ({
  subject: { type: 'user', id: 'alice', properties: { email: 'a@example.com', level: 2 } },
  action: { name: 'read' },
  resource: { type: 'invoice', id: 'INV-1' },
  context: { ip: '10.0.0.1', device: { serial: 's', trusted: true } },
  ...more,
});
const line = (more: object = {}, masks: string[] = []) =>
  JSON.stringify({
    ...{ msg: 'decision', decision: true, policy: 'policy/billing/read' },
    inputs: maskedInputs(request(), NOW, masks),
    ...more,
  });

function replayed(condition: string | undefined, lines: string[]) {
  const replay = new Replay(compileEngine(records(condition)));
  for (const [index, text] of lines.entries()) replay.take(text, index + 1);
  return replay.report;
}

describe('the inputs of a decision', () => {
  it('are logged without the lists in which something is masked', () => {
    const devices = [{ serial: 'S-1' }];
    const asked = { ...request(), context: { devices } };
    const inputs = maskedInputs(asked, NOW, ['context.devices.serial', 'context.devices.0.serial', 'context.ip.x']);
    expect(inputs).toMatchObject({ context: {}, masked: ['context.devices'] });
    expect(JSON.stringify(inputs)).not.toContain('S-1');
  });

  it('are logged without what is masked, naming what was there', () => {
    const masks = ['context.ip', 'context.device.serial', 'subject.properties.email', 'context.absent'];
    expect(maskedInputs(request(), NOW, masks)).toEqual({
      now: '2027-03-01T12:00:00.000Z',
      subject: { type: 'user', id: 'alice', properties: { level: 2 } },
      action: { name: 'read' },
      resource: { type: 'invoice', id: 'INV-1' },
      context: { device: { trusted: true } },
      masked: ['context.ip', 'context.device.serial', 'subject.properties.email'],
    });
  });
});

describe('a replay', () => {
  it.each<[string, string | undefined, string, object]>([
    ['decides alike', undefined, line(), { replayed: 1, changed: 0, other_policy: 0 }],
    ['changes an answer', 'subject.properties.level > 2', line(), { replayed: 1, changed: 1 }],
    [
      'decides alike by another policy',
      undefined,
      line({ policy: 'policy/billing/old' }),
      { changed: 0, other_policy: 1 },
    ],
    ['changes a failure', undefined, line({ decision: false, failed: true, policy: '' }), { changed: 1 }],
    [
      'uses the clock of the line',
      undefined,
      line({ inputs: maskedInputs(request(), NOW + 2000, []) }),
      { changed: 1 },
    ],
    ['reads what is masked', 'context.ip == "10.0.0.1"', line({}, ['context.ip']), { replayed: 0 }],
    ['asks whether what is masked was sent', 'has(context.ip)', line({}, ['context.ip']), { replayed: 1, changed: 0 }],
    [
      'reads deep in what is masked',
      'context.device.serial == "s"',
      line({}, ['context.device.serial']),
      { replayed: 0 },
    ],
    [
      'reads a masked property',
      'subject.properties.email != "b"',
      line({}, ['subject.properties.email']),
      { replayed: 0 },
    ],
    [
      'reads beside what is masked',
      'context.device.trusted',
      line({}, ['context.device.serial']),
      { changed: 0, replayed: 1 },
    ],
    ['does not read what is masked', undefined, line({}, ['context.ip']), { replayed: 1, changed: 0 }],
  ])('%s', (_, condition, text, expected) => {
    expect(replayed(condition, [text])).toMatchObject({ decisions: 1, ...expected });
  });

  it('counts what it cannot replay, and leaves out what is no decision', () => {
    const lines = [line({ inputs: undefined }), '{', '', '{"msg":"started"}', line({ inputs: { now: 'x' } }), line()];
    expect(replayed(undefined, lines)).toMatchObject({
      ...{ decisions: 3, replayed: 1, changed: 0 },
      not_replayable: { without_inputs: 1, masked: 0, unreadable: 2 },
    });
  });

  it('groups changes by the deciding policies, the most frequent first, with examples', () => {
    const lines = [line({ policy: 'policy/x' }), line(), line(), line(), line()];
    const before = { outcome: 'allow', policy: 'policy/billing/read' };
    expect(replayed('false', lines).causes).toMatchObject([
      { before, after: { outcome: 'deny' }, count: 4, examples: [{ line: 2 }, { line: 3 }, { line: 4 }] },
      {
        before: { outcome: 'allow', policy: 'policy/x' },
        count: 1,
        examples: [{ subject: 'user:alice', resource: 'invoice:INV-1' }],
      },
    ]);
  });
});
