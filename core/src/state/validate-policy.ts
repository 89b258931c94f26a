import { append } from '../collections/append.js';
import { remembered } from '../collections/remembered.js';
import { type ConditionCheck, checkCondition } from '../conditions/reads/check.js';
import { jsonPointer } from '../json/json-pointer.js';
import { type Path, typeOfResource } from '../records/address.js';
import { ALL_TYPES } from '../records/policy.js';
import type { DeclaredRecord } from '../records/registry.js';
import type { RecordFinding, RecordView } from './change.js';
import type { Schemas } from './schemas.js';
import type { Suggest } from './suggest.js';

type ResourceType = DeclaredRecord<'resource_type'>;

type PropertyTypes = ResourceType['fields']['properties'];

/**
 * Judges policies one by one; what it learns of a type's actions and of a condition serves all policies that have the
 * same ones.
 */
export function policyFindings(
  view: RecordView,
  schemas: Schemas,
  suggest: Suggest,
): (policy: DeclaredRecord<'policy'>) => RecordFinding[] {
  const checks = new Map<PropertyTypes, Map<string, ConditionCheck>>();
  const check = (condition: string, types: PropertyTypes): ConditionCheck =>
    remembered(
      remembered(checks, types, () => new Map()),
      condition,
      () => checkCondition(condition, types, schemas.types),
    );
  const actions = new Map<Path, ReadonlySet<string> | undefined>();
  const inside = new Map<Path, ReadonlySet<string> | undefined>();
  const below = typesBelow(view);
  const actionsOf = (path: Path, withBelow: boolean) =>
    remembered(withBelow ? inside : actions, path, () => {
      // A view that cannot list the types does not tell what lies below.
      if (withBelow && view.addresses === undefined) return undefined;
      const types = [path, ...(withBelow ? below(path) : [])].map((one) => typeAt(view, one));
      return types[0] && new Set(types.flatMap((type) => type?.fields.actions ?? []));
    });
  return (policy) => [
    ...actionFindings(actionsOf, policy, suggest),
    ...(view.addresses === undefined ? [] : emptyBelowFindings(view, below, policy)),
    ...wideActionFindings(view, actionsOf, policy, suggest),
    ...conditionFindings(view, policy, check),
  ];
}

function actionFindings(
  actionsOf: (type: Path, withBelow: boolean) => ReadonlySet<string> | undefined,
  policy: DeclaredRecord<'policy'>,
  suggest: Suggest,
): RecordFinding[] {
  const { resource_type: type, actions, resources } = policy.fields;
  const findings: RecordFinding[] = [];
  const judge = (path: Path, names: readonly string[], tokens: PropertyKey[], below = false) => {
    const known = actionsOf(path, below);
    if (!known) return;
    names.forEach((name, index) => {
      if (name === '*' || known.has(name)) return;
      const meant = suggest(name, () => known);
      const remedy = meant === undefined ? knownActions(known) : `did you mean "${meant}"?`;
      const whose = below ? `Neither the type "${path}" nor any below it has an` : `The type "${path}" has no`;
      const detail = `${whose} action "${name}": ${remedy}`;
      findings.push({ severity: 'error', address: policy.address, pointer: jsonPointer(...tokens, index), detail });
    });
  };
  if (type !== undefined) judge(type, actions ?? [], ['actions']);
  resources?.forEach((item, index) => {
    judge(typeOfResource(item.resource), item.actions, ['resources', index, 'actions'], item.below);
  });
  return findings;
}

/** Nothing can lie below a resource of a type that no type names as that of its parents. */
function emptyBelowFindings(
  view: RecordView,
  below: (type: Path) => Iterable<Path>,
  { address, fields }: DeclaredRecord<'policy'>,
): RecordFinding[] {
  return (fields.resources ?? []).flatMap(({ resource, below: withBelow }, index): RecordFinding[] => {
    const type = typeOfResource(resource);
    if (withBelow !== true || typeAt(view, type) === undefined) return [];
    for (const _ of below(type)) return [];
    const detail = `Nothing can lie below "${resource}": no type declares "${type}" among its parents. Declare it there, or take "below" out.`;
    return [{ severity: 'warning', address, pointer: jsonPointer('resources', index, 'below'), detail }];
  });
}

/**
 * Actions that no type of a policy over many types declares. Of all types of an application more may be declared
 * elsewhere, or later.
 */
function wideActionFindings(
  view: RecordView,
  actionsOf: (type: Path, withBelow: boolean) => ReadonlySet<string> | undefined,
  policy: DeclaredRecord<'policy'>,
  suggest: Suggest,
): RecordFinding[] {
  const { resource_types: named, actions = [] } = policy.fields;
  if (named === undefined) return [];
  const all = named.includes(ALL_TYPES);
  const types = typesOf(view, policy);
  const declared = types.map((type) => actionsOf(type, false));
  if (types.length === 0 || declared.includes(undefined)) return [];
  const known = new Set(declared.flatMap((names) => [...(names ?? [])]));
  return actions.flatMap((name, index) => {
    if (name === '*' || known.has(name)) return [];
    const meant = suggest(name, () => known);
    const remedy = meant === undefined ? knownActions(known, 'they have') : `did you mean "${meant}"?`;
    const whose = all
      ? `No type of the application "${policy.fields.application}"`
      : `None of the types ${types.join(', ')}`;
    const severity = all ? 'warning' : 'error';
    const detail = `${whose} has an action "${name}": ${remedy}`;
    return [{ severity, address: policy.address, pointer: jsonPointer('actions', index), detail }];
  });
}

/** The paths of the types that a policy over types covers, as far as the view knows them. */
function typesOf(view: RecordView, { fields }: DeclaredRecord<'policy'>): Path[] {
  const { application, resource_type: one, resource_types: named } = fields;
  if (one !== undefined) return [one];
  if (named?.includes(ALL_TYPES) !== true) return named ?? [];
  const kind = 'resource_type/';
  return [...view.inbound(`application/${application}`)]
    .filter((address) => address.startsWith(kind))
    .map((address) => address.slice(kind.length))
    .sort();
}

/** The types of what may lie, at any level, in resources of a type. Types are few; they are gone through once. */
function typesBelow(view: RecordView): (type: Path) => Iterable<Path> {
  let children: Map<Path, Path[]> | undefined;
  const childrenOf = (type: Path): readonly Path[] => {
    if (children === undefined) {
      children = new Map();
      for (const address of view.addresses?.('resource_type') ?? []) {
        const path = address.slice('resource_type/'.length);
        for (const parent of typeAt(view, path)?.fields.parents ?? []) append(children, parent.type, path);
      }
    }
    return children.get(type) ?? [];
  };
  return (type) => {
    const found = new Set(childrenOf(type));
    for (const one of found) for (const child of childrenOf(one)) found.add(child);
    return found;
  };
}

function knownActions(known: ReadonlySet<string>, has = 'it has'): string {
  return known.size === 0 ? `${has} none, declare it there.` : `${has} ${[...known].slice(0, 10).join(', ')}.`;
}

function conditionFindings(
  view: RecordView,
  policy: DeclaredRecord<'policy'>,
  check: (condition: string, types: PropertyTypes) => ConditionCheck,
): RecordFinding[] {
  const { condition, resources } = policy.fields;
  if (condition === undefined) return [];
  // What lies below a resource may be of any type.
  const covered = resources?.map((item) => (item.below ? '' : typeOfResource(item.resource)));
  const types = covered ?? typesOf(view, policy);
  // Where no type is known, what is wrong with the condition by itself is found all the same.
  const paths = types.length > 0 ? new Set(types) : [''];
  for (const path of paths) {
    const result = check(condition, typeAt(view, path)?.fields.properties);
    if (result.error) {
      const { detail, offset } = result.error;
      const place = offset === undefined ? '' : ` (at character ${offset + 1})`;
      const text = `The condition is not valid${place}: ${detail}`;
      const at = { address: policy.address, pointer: '/condition', ...(offset !== undefined && { offset }) };
      return [{ severity: 'error', ...at, detail: text }];
    }
  }
  return [];
}

function typeAt(view: RecordView, path: Path): ResourceType | undefined {
  const type = view.get(`resource_type/${path}`);
  return type?.kind === 'resource_type' ? type : undefined;
}
