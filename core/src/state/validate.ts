import { eachInSteps, finished } from '../concurrency/time-slicing.js';
import { type Address, type Path, splitReference } from '../records/address.js';
import type { Kind } from '../records/kinds.js';
import { formText, hasForm } from '../records/path-form.js';
import { type DeclaredRecord, referencesOf } from '../records/registry.js';
import type { RecordFinding, RecordView } from './change.js';
import { findGroupCycles } from './group-cycles.js';
import { findIncludeCircles } from './include-circles.js';
import { nounOf, titleOf } from './kind-words.js';
import { Schemas } from './schemas.js';
import { isSlip, type Suggest, suggester } from './suggest.js';
import { accessRuleFindings } from './validate-access-rule.js';
import { hierarchyFindings } from './validate-hierarchy.js';
import { policyFindings } from './validate-policy.js';
import { propertyFindings } from './validate-properties.js';

/** Records judged in one step: about a millisecond's work at most. */
const STEP = 20;

export interface ValidateOptions {
  /** Whether a record that the view does not hold exists elsewhere, so that mentioning it is no fault. */
  external?(address: Address): boolean;
  /** Whether whoever reads the remedies writes YAML. */
  inYaml?: boolean;
  /** The present moment, in milliseconds since the epoch: with it, what has expired is warned of. */
  now?: number;
}

/**
 * Finds what is wrong with the records at these addresses, judged within the whole view: references that dangle, group
 * cycles, actions and properties that their type does not know, conditions that do not parse or do not fit the types; and
 * as warnings, what is allowed but likely meant otherwise.
 */
export function validateRecords(
  view: RecordView,
  addresses: Iterable<Address>,
  options: ValidateOptions = {},
): RecordFinding[] {
  return finished(validateInSteps(view, addresses, options));
}

/** Does what `validateRecords` does, a few records a step, so that a caller can do other work between them. */
export function* validateInSteps(
  view: RecordView,
  addresses: Iterable<Address>,
  options: ValidateOptions = {},
): Generator<undefined, RecordFinding[]> {
  const findings: RecordFinding[] = [];
  const memberships: Address[] = [];
  const including: Path[] = [];
  const suggest = suggester();
  const schemas = new Schemas(view);
  const judgePolicy = policyFindings(view, schemas, suggest);
  const judgePlace = hierarchyFindings(view);
  // One by one: there may be more of them than a call takes arguments.
  const add = (found: readonly RecordFinding[]) => {
    for (const finding of found) findings.push(finding);
  };
  yield* eachInSteps(addresses, STEP, (address) => {
    const record = view.get(address);
    if (!record) return;
    for (const { pointer, target, offset } of referencesOf(record.kind, record.fields)) {
      if (view.get(target) || options.external?.(target)) continue;
      if (pointer === '/condition' && !hasTargetForm(target)) continue; // The condition's own fault says so.
      const detail = danglingDetail(target, view, suggest, options.inYaml === true);
      findings.push({ severity: 'error', address, pointer, detail, ...(offset !== undefined && { offset }) });
    }
    if (options.now !== undefined) add(expiryFindings(record, options.now));
    if (record.kind === 'role' && record.fields.includes !== undefined) including.push(address.slice('role/'.length));
    add(schemas.typeFindings(record));
    if (record.kind === 'policy') add(judgePolicy(record));
    else if (record.kind === 'access_rule') add(accessRuleFindings(view, record, suggest));
    else if (record.kind === 'subject') add(propertyFindings(view, schemas, record, suggest));
    else if (record.kind === 'resource') {
      add(propertyFindings(view, schemas, record, suggest));
      add(judgePlace(record));
    } else if (record.kind === 'group_membership' && record.fields.entity_type === 'group') memberships.push(address);
  });
  add(findGroupCycles(view, memberships));
  add(findIncludeCircles(view, including));
  return findings;
}

function hasTargetForm(target: Address): boolean {
  const { kind, path } = splitReference(target);
  return hasForm(kind, path);
}

/** The kinds that a path may name besides subjects if a link's target is written without its kind. */
const ENTITIES = ['role', 'group'] as const;

const DECLARE = 'declare it, or correct the name.';
const DECLARE_IN_YAML = 'declare it, correct the name, or list it under "external" if another stack declares it.';

/** Says that a referenced record does not exist, and the remedy. */
export function danglingDetail(target: Address, view: RecordView, suggest: Suggest, inYaml: boolean): string {
  const { kind, path } = splitReference(target);
  const missing = `${titleOf(kind)} "${path}" does not exist`;
  const other = kind === 'subject' ? ENTITIES.find((entity) => view.get(`${entity}/${path}`) !== undefined) : undefined;
  if (other !== undefined) {
    const write = inYaml ? `write "${other}/${path}"` : `the entity_type is "${other}"`;
    return `${missing}, but there is a ${other} of that path: if it is meant, ${write}.`;
  }
  const fits = hasForm(kind, path);
  if (!fits && path.startsWith(`${kind}/`)) {
    return `${missing}: that is an address, write the path alone, "${path.slice(kind.length + 1)}".`;
  }
  const meant = suggest(path, () => pathsOf(view, kind));
  if (meant !== undefined && (isSlip(path, meant) || meant.endsWith(`/${path}`)))
    return `${missing}: did you mean "${meant}"?`;
  if (!fits) return `${missing}: write ${formText(kind)}.`;
  return `${missing}: ${inYaml ? DECLARE_IN_YAML : DECLARE}`;
}

function* pathsOf(view: RecordView, kind: Kind): Generator<string> {
  for (const address of view.addresses?.(kind) ?? []) yield address.slice(kind.length + 1);
}

function expiryFindings({ kind, address, fields }: DeclaredRecord, now: number): RecordFinding[] {
  if (
    'suspended_until' in fields &&
    fields.suspended_until !== undefined &&
    Date.parse(fields.suspended_until) <= now
  ) {
    const detail = `The suspension ended at ${fields.suspended_until}: take it out, or name a moment to come.`;
    return [{ severity: 'warning', address, pointer: '/suspended_until', detail }];
  }
  const end = 'expires_at' in fields ? fields.expires_at : undefined;
  if (end === undefined || Date.parse(end) > now) return [];
  const detail = `The ${nounOf(kind)} expired at ${end} and no longer counts: take it out, or name a moment to come.`;
  return [{ severity: 'warning', address, pointer: '/expires_at', detail }];
}
