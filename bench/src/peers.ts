import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import { median } from './random.js';
import {
  ACTIONS,
  engineTenant,
  partsOfPolicy,
  questions,
  roleName,
  rolesOfSubject,
  type Size,
  typeName,
} from './tenant.js';

/** Microseconds a decision on the same 10,000 policies, in process. */
export interface PeerFigures {
  ours: number;
  cedar: number;
  casbin: number;
}

const SIZE: Size = { policies: 10_000, roles: 1000, types: 100, subjects: 1000, resources: 10_000 };
const ASKED = 40;

export async function measurePeers(): Promise<PeerFigures> {
  const now = Date.UTC(2026, 0, 1);
  const engine = compileEngine(engineTenant(SIZE));
  const asked = questions(SIZE, ASKED);
  const expected = asked.map((question) => engine.decide(question, now).decision);
  const many = questions(SIZE, 200_000);
  for (const question of many) engine.decide(question, now);
  const start = performance.now();
  for (const question of many) engine.decide(question, now);
  const ours = ((performance.now() - start) * 1000) / many.length;
  return { ours, cedar: measureCedar(asked, expected), casbin: await measureCasbin(asked, expected) };
}

type Asked = ReturnType<typeof questions>;

function measureCedar(asked: Asked, expected: boolean[]): number {
  const policies = Array.from({ length: SIZE.policies }, (_, index) => {
    const { role, type, action } = partsOfPolicy(SIZE, index);
    return `permit(principal in Role::"${roleName(role)}", action == Action::"${action}", resource in Type::"${typeName(type)}");`;
  }).join('\n');
  const parsed = cedar.preparsePolicySet('bench', { staticPolicies: policies });
  if (parsed.type === 'failure') throw new Error(JSON.stringify(parsed.errors));
  const taken = asked.map((question, place) => {
    const subject = { type: 'User', id: question.subject.id };
    const resource = { type: 'Resource', id: question.resource.name ?? '' };
    const index = Number(/\d+/.exec(question.subject.id)?.[0]);
    const start = performance.now();
    const answer = cedar.statefulIsAuthorized({
      principal: subject,
      action: { type: 'Action', id: question.action.name },
      resource,
      context: {},
      preparsedPolicySetId: 'bench',
      entities: [
        {
          uid: subject,
          attrs: {},
          parents: rolesOfSubject(SIZE, index).map((role) => ({ type: 'Role', id: roleName(role) })),
        },
        { uid: resource, attrs: {}, parents: [{ type: 'Type', id: question.resource.type }] },
      ],
    });
    const microseconds = (performance.now() - start) * 1000;
    if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors));
    agree('cedar', place, answer.response.decision === 'allow', expected[place]);
    return microseconds;
  });
  return median(taken);
}

async function measureCasbin(asked: Asked, expected: boolean[]): Promise<number> {
  const model = newModelFromString(`
[request_definition]
r = sub, obj, act
[policy_definition]
p = sub, obj, act
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = g(r.sub, p.sub) && r.obj == p.obj && r.act == p.act
`);
  const lines = Array.from({ length: SIZE.policies }, (_, index) => {
    const { role, type, action } = partsOfPolicy(SIZE, index);
    return `p, ${roleName(role)}, ${typeName(type)}, ${action}`;
  });
  for (let subject = 0; subject < SIZE.subjects; subject += 1) {
    for (const role of rolesOfSubject(SIZE, subject)) lines.push(`g, user${subject}, ${roleName(role)}`);
  }
  const enforcer = await newEnforcer(model, new StringAdapter(lines.join('\n')));
  const taken: number[] = [];
  for (const [place, question] of asked.entries()) {
    const subject = `user${/\d+/.exec(question.subject.id)?.[0]}`;
    const start = performance.now();
    const allowed = await enforcer.enforce(subject, question.resource.type, question.action.name);
    taken.push((performance.now() - start) * 1000);
    agree('casbin', place, allowed, expected[place]);
  }
  return median(taken);
}

/** A peer that decides otherwise is measured on other rules, and its figure says nothing. */
function agree(peer: string, place: number, decision: boolean, expected: boolean | undefined): void {
  if (decision !== expected)
    throw new Error(`${peer} and we disagree on question ${place} of ${ACTIONS.length} actions`);
}
