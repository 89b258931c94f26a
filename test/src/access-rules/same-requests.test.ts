import { describe, expect, it } from 'vitest';
import { judged } from './judged.js';

const TEAM = `
applications:
  payroll:
    resource_types:
      payslip: { actions: [read] }
    policies:
      read: { effect: ALLOW, resource_type: payslip, actions: [read], condition: 'subject.properties.team == resource.properties.team' }
policy_assignments: [{ policy: payroll/read, to: user/ann }]
`;
const ann = (properties: string) => `subjects: { user/ann: ${properties} }\n`;
const rule = (form: string) =>
  `access_rules: { rule: { ${form}: { subjects: user/ann, actions: [read], resources: payroll/payslip } } }\n`;

/** Semantics 11.3: requests send nothing that is recorded after, and what is recorded before counts before. */
describe('a property that is recorded in one state only', () => {
  it('was sent before by nobody where it is recorded after', () => {
    const [before, after] = [TEAM + ann('{}'), TEAM + ann('{ properties: { team: 1 } }')];
    // A request without a team was denied and may be allowed now; what it sends of the payslip is the witness.
    expect(judged(before + rule('never'), after + rule('never'))).toEqual([
      expect.stringMatching(/user\/ann may "read" payroll\/payslip\/something with resource.properties {"team":1} at/),
    ]);
    expect(judged(before + rule('always'), after + rule('always'))).toEqual([]);
  });

  it('may be sent after where it was recorded before', () => {
    const [before, after] = [TEAM + ann('{ properties: { team: 1 } }'), TEAM + ann('{}')];
    const others = rule('never').replace('resources: ', 'resources: { where: resource.properties.team != 1, types: [');
    const about = others.replace('payslip }', 'payslip] } }');
    expect(judged(before + about, after + about)).toEqual([
      expect.stringMatching(/user\/ann may "read" payroll\/payslip\/something with subject.properties {"team":/),
    ]);
    expect(judged(before + rule('always'), after + rule('always'))).toHaveLength(1);
  });
});
