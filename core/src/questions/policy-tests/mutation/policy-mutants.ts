import { jsonPointer } from '../../../json/json-pointer.js';
import { address, type Path, typeOfResource } from '../../../records/address.js';
import { ALL_TYPES, type Modifiers } from '../../../records/policy.js';
import { addressOf, type DeclaredRecord, type Fields } from '../../../records/registry.js';
import { engineRecordOf, type TestTenant } from '../test-tenant.js';
import { isLink, type LinkDeclaration } from '../tested-tenant.js';
import { conditionMutants } from './condition-mutants.js';
import type { Mutant, PolicyDeclaration } from './mutant.js';

type PolicyFields = Fields<'policy'>;

/** All mutants of a policy. */
export function policyMutants(
  policy: PolicyDeclaration,
  assignments: readonly LinkDeclaration[],
  tenant: TestTenant,
): Mutant[] {
  const { address: own, fields } = policy;
  const path = own.slice('policy/'.length);
  const found: Mutant[] = [];
  const add = (mutant: Pick<Mutant, 'operator' | 'detail' | 'pointer' | 'offset'>, changed: PolicyFields) => {
    const change = { before: engineRecordOf(policy), after: { ...engineRecordOf(policy), fields: changed } };
    found.push({
      ...mutant,
      record: policy,
      changed,
      changes: () => [change],
      touches: (tested) => tested.touchedByPolicy(path, [fields, changed]),
    });
  };
  const { effect, condition } = fields;
  if (effect === 'DENY') {
    found.push({
      ...{ operator: 'drop-deny', record: policy, detail: 'given to nobody' },
      changes: (tested) =>
        assignments.filter((link) => tested.has(link)).map((link) => ({ before: engineRecordOf(link) })),
      touches: (tested) => tested.touchedByPolicy(path, [fields]),
    });
  }
  const flipped = effect === 'DENY' ? 'ALLOW' : 'DENY';
  add(
    { operator: 'flip-effect', detail: `${flipped} instead of ${effect}`, pointer: '/effect' },
    { ...fields, effect: flipped },
  );
  for (const { condition: changed, ...mutant } of condition === undefined ? [] : conditionMutants(condition)) {
    const { condition: _, ...rest } = fields;
    add({ ...mutant, pointer: '/condition' }, changed === undefined ? rest : { ...rest, condition: changed });
  }
  for (const [key, operator] of [
    ['modifiers', 'drop-modifier'],
    ['unless', 'drop-unless'],
  ] as const) {
    for (const name of Object.keys(fields[key] ?? {}) as (keyof Modifiers)[]) {
      const { [name]: _, ...rest } = fields[key] ?? {};
      const { [key]: __, ...without } = fields;
      const changed = Object.keys(rest).length === 0 ? without : { ...without, [key]: rest };
      add({ operator, detail: `without ${key}.${name}`, pointer: jsonPointer(key, name) }, changed);
    }
  }
  for (const wider of widened(fields, tenant)) add(wider.mutant, wider.fields);
  return found;
}

/** The policy with each target and list of actions as wide as it can be meant by mistake. */
function* widened(
  fields: PolicyFields,
  tenant: TestTenant,
): Generator<{ mutant: Pick<Mutant, 'operator' | 'detail' | 'pointer'>; fields: PolicyFields }> {
  const actionsOf = (type: Path) => tenant.types.get(type)?.actions ?? [];
  const lacks = (names: readonly string[], types: readonly Path[]) =>
    !names.includes('*') && types.flatMap(actionsOf).some((action) => !names.includes(action));
  const { application, resource_type: type, resource_types: types, resources, actions = [] } = fields;
  const detail = 'with the action *';
  if (resources !== undefined) {
    for (const [index, entry] of resources.entries()) {
      if (!lacks(entry.actions, [typeOfResource(entry.resource)])) continue;
      const changed = resources.toSpliced(index, 1, { ...entry, actions: ['*'] });
      const pointer = jsonPointer('resources', index, 'actions');
      yield { mutant: { operator: 'widen-actions', detail, pointer }, fields: { ...fields, resources: changed } };
    }
    const covered = [...new Set(resources.map(({ resource }) => typeOfResource(resource)))];
    const { resources: _, ...rest } = fields;
    const all = [...new Set(resources.flatMap((entry) => entry.actions))];
    yield {
      mutant: { operator: 'widen-resources', detail: `for all of ${covered.join(' and ')}`, pointer: '/resources' },
      fields: { ...rest, resource_types: covered, actions: all },
    };
    return;
  }
  const covered = type === undefined ? (types ?? []) : [type];
  const ofApplication = [...tenant.types.keys()].filter((one) => one.startsWith(`${application}/`));
  const wide = covered.includes(ALL_TYPES);
  if (lacks(actions, wide ? ofApplication : covered)) {
    yield { mutant: { operator: 'widen-actions', detail, pointer: '/actions' }, fields: { ...fields, actions: ['*'] } };
  }
  const others = ofApplication.filter((one) => !covered.includes(one));
  const reaches = actions.includes('*') || others.flatMap(actionsOf).some((action) => actions.includes(action));
  if (application === undefined || wide || others.length === 0 || !reaches) return;
  const { resource_type: _, ...rest } = fields;
  const pointer = type === undefined ? '/resource_types' : '/resource_type';
  yield {
    mutant: { operator: 'widen-type', detail: `for every type of ${application}`, pointer },
    fields: { ...rest, resource_types: [ALL_TYPES] },
  };
}

/** All mutants of an assignment or a membership. */
export function linkMutants(link: LinkDeclaration, tenant: TestTenant): Mutant[] {
  const { fields } = link;
  const before = engineRecordOf(link);
  const touches: Mutant['touches'] = (tested) => tested.touchedBy(link);
  const found: Mutant[] = [
    { operator: 'drop-assignment', record: link, detail: 'removed', changes: () => [{ before }], touches },
  ];
  const without = (key: 'expires_at' | 'starts_at' | 'resource', operator: Mutant['operator'], detail: string) => {
    if ((fields as Record<string, unknown>)[key] === undefined) return;
    const { [key]: _, ...rest } = fields as Fields<'role_assignment'>;
    const after = { ...before, fields: rest as Fields };
    // A role that is held everywhere already is held on a resource in vain.
    if (key === 'resource' && tenant.has(addressOf(link.kind, rest))) return;
    found.push({ operator, record: link, detail, pointer: `/${key}`, changes: () => [{ before, after }], touches });
  };
  without('expires_at', 'drop-end', 'without its end');
  without('starts_at', 'drop-start', 'without its beginning');
  without('resource', 'widen-place', 'everywhere');
  return found;
}

/** The assignments of each policy, by its address. */
export function assignmentsByPolicy(records: readonly DeclaredRecord[]): Map<string, LinkDeclaration[]> {
  const found = new Map<string, LinkDeclaration[]>();
  for (const record of records) {
    if (record.kind !== 'policy_assignment' || !isLink(record)) continue;
    const policy = address('policy', record.fields.policy);
    found.set(policy, [...(found.get(policy) ?? []), record]);
  }
  return found;
}
