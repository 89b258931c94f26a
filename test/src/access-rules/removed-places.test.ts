/** Places and resources that go, together with what was said of them (docs/semantics.md 11.9). */
import { describe, expect, it } from 'vitest';
import { judged } from './judged.js';

interface Drawers {
  resources?: string;
  fence?: boolean;
  reads?: string;
  rule?: string;
}
const NEVER = 'never: { actions: [read], resources: pay/slip }';
/** Ann reads slips in the folder `top`, but those in `hr`, which lies in it. */
const drawers = ({
  resources = '',
  fence = false,
  reads = 'resources: [{ resource: folder/top, actions: [read], below: true }]',
  rule = NEVER,
}: Drawers) => `
applications:
  pay:
    resource_types:
      folder: { actions: [read], parents: [{ type: folder, property: up }] }
      slip: { actions: [read], parents: [{ type: folder, property: in }] }
    resources:
      top: { type: folder }
${resources}
    policies:
      read: { effect: ALLOW, ${reads}, assigned_to: [user/ann] }
      ${fence ? 'shut: { effect: DENY, priority: 9, resources: [{ resource: folder/hr, actions: [read], below: true }], assigned_to: [everyone] }' : ''}
subjects: { user/ann: {} }
access_rules: { r: { ${rule} } }
`;
const HR = '      hr: { type: folder, parents: [folder/top] }\n';
const INSIDE = '      s1: { type: slip, parents: [folder/hr] }\n';

describe('a folder that goes with the DENY on it', () => {
  it('breaks nothing: requests can no longer say that something lies there', () => {
    expect(judged(drawers({ resources: HR, fence: true }), drawers({}))).toEqual([]);
  });

  it('breaks nothing with what lies in it, which joins what has no record', () => {
    expect(judged(drawers({ resources: HR + INSIDE, fence: true }), drawers({}))).toEqual([]);
  });

  it('breaks a rule by what is moved out of it', () => {
    const out = '      s1: { type: slip, parents: [folder/top] }\n';
    expect(judged(drawers({ resources: HR + INSIDE, fence: true }), drawers({ resources: out }))).toEqual([
      expect.stringContaining('user/ann may "read" pay/slip/s1'),
    ]);
  });

  it('breaks a rule by what lies in it and becomes readable as nothing without a record was', () => {
    const rule = `never: { actions: [read], resources: { types: [pay/slip], where: resource.name == "s1" } }`;
    const found = judged(drawers({ resources: HR + INSIDE, fence: true, rule }), drawers({ rule }));
    expect(found).toEqual([expect.stringContaining('user/ann may "read" pay/slip/s1')]);
  });

  it('breaks a rule where the folder stays', () => {
    const found = judged(drawers({ resources: HR, fence: true }), drawers({ resources: HR }));
    expect(found).toEqual([expect.stringMatching(/user\/ann may "read" pay\/slip\/something with .*"in":"hr"/)]);
  });

  it('breaks a rule by requests that do not say where a slip lies, which the DENY denied, too', () => {
    const reads = 'resource_type: slip, actions: [read]';
    expect(judged(drawers({ resources: HR, fence: true, reads }), drawers({ reads }))).toEqual([
      expect.stringMatching(/user\/ann may "read" pay\/slip\/something at/),
    ]);
  });

  it('breaks `separate` by nothing that was possible elsewhere', () => {
    const rule = 'separate: { actions: [read, sign], resources: pay/slip }';
    const signed = (drawer: Drawers) =>
      drawers({ ...drawer, rule })
        .replace('slip: { actions: [read]', 'slip: { actions: [read, sign]')
        .replace(
          'policies:',
          'policies:\n      sign: { effect: ALLOW, resources: [{ resource: folder/top, actions: [sign], below: true }], assigned_to: [user/ann] }',
        );
    expect(judged(signed({ resources: HR + INSIDE, fence: true }), signed({}))).toEqual([]);
  });
});
