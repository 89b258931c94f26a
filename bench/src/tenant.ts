import { randomUUID } from 'node:crypto';
import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { type DeclaredRecord, declare, type Fields } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import { fresh, random } from './random.js';

/** How large a tenant is. Policies cover types, each for one role and one of the five actions. */
export interface Size {
  subjects: number;
  resources: number;
  roles: number;
  policies: number;
  types: number;
  /** CEL given to every policy. */
  condition?: string;
}

export const ACTIONS = ['create', 'read', 'update', 'delete', 'share'];
const ROLES_PER_SUBJECT = 2;

export const typeName = (index: number): string => `type${index}`;
export const roleName = (index: number): string => `role${index}`;
export const subjectId = (index: number): string => `subject-${index}@example.com`;
export const resourceName = (index: number): string => `resource-${index}`;
/** The type of a resource, and the role, type and action of a policy, spread evenly. */
export const typeOfResource = (size: Size, index: number): number => index % size.types;
export const rolesOfSubject = (size: Size, index: number): number[] =>
  Array.from({ length: ROLES_PER_SUBJECT }, (_, turn) => (index * 7 + turn * 3 + turn) % size.roles).filter(
    (role, place, all) => all.indexOf(role) === place,
  );
export const partsOfPolicy = (size: Size, index: number): { role: number; type: number; action: string } => ({
  role: index % size.roles,
  type: (index * 13 + Math.floor(index / size.roles)) % size.types,
  action: ACTIONS[(index + Math.floor(index / size.roles)) % ACTIONS.length] ?? 'read',
});

/** The records of the tenant, in the order of dependency. */
export function* declaredTenant(size: Size): Generator<DeclaredRecord, void> {
  yield declare('application', { name: 'app' });
  for (let type = 0; type < size.types; type += 1) {
    yield declare('resource_type', { application: 'app', name: typeName(type), actions: ACTIONS });
  }
  for (let resource = 0; resource < size.resources; resource += 1) {
    yield declare('resource', {
      type: `app/${typeName(typeOfResource(size, resource))}`,
      name: resourceName(resource),
      properties: { amount: resource % 1000, state: 'open' },
    });
  }
  for (let subject = 0; subject < size.subjects; subject += 1) {
    yield declare('subject', { type: 'user', id: subjectId(subject), properties: { limit: 5000, region: 'eu' } });
  }
  for (let role = 0; role < size.roles; role += 1) yield declare('role', { application: 'app', name: roleName(role) });
  for (let policy = 0; policy < size.policies; policy += 1) {
    const { type, action } = partsOfPolicy(size, policy);
    const fields: Fields<'policy'> = {
      application: 'app',
      name: `policy${policy}`,
      effect: 'ALLOW',
      priority: 0,
      resource_type: `app/${typeName(type)}`,
      actions: [action],
    };
    yield declare('policy', size.condition === undefined ? fields : { ...fields, condition: size.condition });
  }
  for (let policy = 0; policy < size.policies; policy += 1) {
    const { role } = partsOfPolicy(size, policy);
    yield declare('policy_assignment', {
      policy: `app/policy${policy}`,
      entity_type: 'role',
      entity: `app/${roleName(role)}`,
    });
  }
  for (let subject = 0; subject < size.subjects; subject += 1) {
    for (const role of rolesOfSubject(size, subject)) {
      yield declare('role_assignment', {
        role: `app/${roleName(role)}`,
        entity_type: 'subject',
        entity: `user/${subjectId(subject)}`,
      });
    }
  }
}

/** The same, with ids, as a bundle carries them. */
export function* engineTenant(size: Size): Generator<EngineRecord, void> {
  for (const { kind, fields } of declaredTenant(size)) {
    yield { kind, id: kind === 'subject' ? `user/${(fields as { id: string }).id}` : randomUUID(), fields };
  }
}

/** Questions over the whole tenant in random order, half of them about something a role of the subject covers. */
export function questions(size: Size, count: number): DecisionRequest[] {
  const draw = random(count);
  const perRole = Math.max(1, Math.floor(size.policies / size.roles));
  return Array.from({ length: count }, (_, turn) => {
    const subject = draw(size.subjects);
    let resource = draw(size.resources);
    let action = ACTIONS[draw(ACTIONS.length)] ?? 'read';
    if (turn % 2 === 0) {
      const [role = 0] = rolesOfSubject(size, subject);
      const policy = partsOfPolicy(size, role + size.roles * draw(perRole));
      const span = Math.floor(size.resources / size.types);
      resource = Math.min(size.resources - 1, draw(Math.max(1, span)) * size.types + policy.type);
      action = policy.action;
    }
    return {
      subject: { type: fresh('user'), id: fresh(subjectId(subject)) },
      action: { name: fresh(action) },
      resource: { type: fresh(typeName(typeOfResource(size, resource))), name: fresh(resourceName(resource)) },
    };
  });
}
