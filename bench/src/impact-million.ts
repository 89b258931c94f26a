/** In a process of its own: the access delta of one changed policy in a million records. Prints its figures as JSON. */

import { computeImpact } from '@authz-service/core/questions/impact/compute-impact';
import type { Kind } from '@authz-service/core/records/kinds';
import { type DeclaredRecord, declare } from '@authz-service/core/records/registry';
import type { MillionFigures } from './impact.js';

const SUBJECTS = 250_000;
const GROUPS = 10_000;
const POLICIES = 10_000;
const RESOURCES = 470_000;
const TYPES = 20;

function* records(): Generator<DeclaredRecord> {
  const record = (kind: Kind, fields: object) => declare(kind, fields as never) as DeclaredRecord;
  yield record('application', { name: 'a' });
  for (let type = 0; type < TYPES; type++)
    yield record('resource_type', { application: 'a', name: `t${type}`, actions: ['read', 'write', 'share'] });
  for (let resource = 0; resource < RESOURCES; resource++)
    yield record('resource', {
      type: `a/t${resource % TYPES}`,
      name: `r${resource}`,
      properties: { size: resource % 100 },
    });
  for (let subject = 0; subject < SUBJECTS; subject++) {
    yield record('subject', { type: 'user', id: `u${subject}`, properties: { level: subject % 5 } });
    yield record('group_membership', {
      group: `g${subject % GROUPS}`,
      entity_type: 'subject',
      entity: `user/u${subject}`,
    });
  }
  for (let group = 0; group < GROUPS; group++) yield record('group', { name: `g${group}` });
  for (let policy = 0; policy < POLICIES; policy++) {
    yield record('policy', {
      ...{ application: 'a', name: `p${policy}`, effect: policy % 16 === 15 ? 'DENY' : 'ALLOW', priority: policy % 3 },
      ...{ resource_type: `a/t${policy % TYPES}`, actions: [['read', 'write', 'share'][policy % 3]] },
      ...(policy % 4 === 1 && { condition: `context.level > ${policy % 7}` }),
    });
    yield record('policy_assignment', { policy: `a/p${policy}`, entity_type: 'group', entity: `g${policy % GROUPS}` });
  }
}

const before = [...records()];
const after = before.map((one) =>
  one.address === 'policy/a/p2'
    ? declare('policy', { ...(one as DeclaredRecord<'policy'>).fields, condition: 'resource.properties.size < 50' })
    : one,
);
const began = performance.now();
const used = process.cpuUsage();
const { delta } = computeImpact({ records: before }, { records: after }, { now: Date.now() });
const { user, system } = process.cpuUsage(used);
const figures: MillionFigures = {
  records: before.length,
  seconds: (performance.now() - began) / 1000,
  processor: (user + system) / 1e6,
  findings: delta.findings.length,
  triples: Object.values(delta.counts).reduce((sum, count) => sum + count, 0),
};
process.stdout.write(JSON.stringify(figures));
