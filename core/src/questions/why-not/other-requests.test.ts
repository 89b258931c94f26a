import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/json.js';
import type { ManifestFile } from '../../manifest/manifest.js';
import { readManifest } from '../../manifest/read.js';
import { whyNot } from './why-not.js';

const NOW = Date.parse('2027-03-01T12:00:00Z');

describe('what the caller could do', () => {
  const tree = (policies: string): ManifestFile[] => [
    {
      path: 'a.yaml',
      text: `version: 1
applications:
  app:
    resource_types: { doc: { actions: [read] } }
    resources: { d: { type: doc } }
    policies:
${policies}subjects: { user/u: {} }
`,
    },
  ];
  const allow = (condition: string) =>
    `      read: { effect: ALLOW, resource_type: doc, actions: [read], condition: '${condition}', assigned_to: [user/u] }\n`;
  const deny = (unless: string) =>
    `      shut: { effect: DENY, priority: 1, resource_type: doc, actions: [read], unless: ${unless}, assigned_to: [everyone] }\n`;
  const request = {
    subject: { type: 'user', id: 'u' },
    action: { name: 'read' },
    resource: { type: 'doc', name: 'd' },
  };

  it.each<[string, string, JsonObject, string | undefined, string[]]>([
    ['a second factor', allow('context.mfa'), {}, 'context.mfa', ['ask with a second factor: context.mfa = true']],
    [
      'one of several',
      allow('context.mfa || context.reason == "audit"'),
      { mfa: false },
      'context.mfa || context.reason == "audit"',
      ['ask with a second factor: context.mfa = true', 'ask with context.reason = "audit"'],
    ],
    [
      'two at once',
      allow('context.mfa && context.reason == "audit"'),
      {},
      'context.mfa && context.reason == "audit"',
      ['ask with a second factor: context.mfa = true and with context.reason = "audit"'],
    ],
    [
      'what a DENY exempts',
      allow('true') + deny('{ mfa_required: true }'),
      {},
      'context.mfa',
      ['ask with a second factor: context.mfa = true'],
    ],
    ['nothing, where no policy would apply', allow('subject.id == "somebody else"'), {}, undefined, []],
  ])('is %s', (_, policies, context, condition, summaries) => {
    const { manifest, faults } = readManifest(tree(policies), { now: NOW });
    expect(faults).toEqual([]);
    const { ask, proposals } = whyNot(manifest?.records ?? [], { ...request, context }, { now: NOW });
    expect([ask.condition, ask.requests.map(({ summary }) => summary)]).toEqual([condition, summaries]);
    for (const { sends } of ask.requests) {
      const more = Object.entries(sends).map(([name, value]) => [name.replace('context.', ''), value]);
      const other = { ...request, context: { ...context, ...Object.fromEntries(more) } };
      expect(whyNot(manifest?.records ?? [], other, { now: NOW }).allowed).toBe(true);
    }
    const marks = proposals.map(({ removes_protection }) => removes_protection === true);
    expect(marks).toEqual([...marks].sort((left, right) => Number(left) - Number(right)));
  });

  it('goes with a change where that alone does not do, before a protection is taken away', () => {
    const roles = tree(`${allow('context.mfa').replace('[user/u]', '[role/app/r]')}    roles: { r: {} }\n`);
    const { manifest: sound, faults } = readManifest(roles, { now: NOW });
    expect(faults).toEqual([]);
    const { ask, proposals } = whyNot(sound?.records ?? [], request, { now: NOW });
    expect(ask.requests).toEqual([]);
    expect(proposals[0]).toMatchObject({
      summary:
        'give role/app/r to subject/user/u on resource/app/doc/d, and ask with a second factor: context.mfa = true',
      then_ask: { sends: { 'context.mfa': true } },
    });
    expect(proposals.some(({ removes_protection }) => removes_protection)).toBe(false);
    const [first] = proposals;
    const changed = [...(sound?.records ?? []), ...(first?.changes ?? []).flatMap(({ after }) => after ?? [])];
    expect(whyNot(changed, { ...request, context: { mfa: true } }, { now: NOW }).allowed).toBe(true);
  });
});
