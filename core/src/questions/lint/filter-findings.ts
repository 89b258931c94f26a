import type { EngineRecord } from '../../access/api/engine.js';
import { compileEngine } from '../../access/engine/compile-engine.js';
import { type Path, typeOfResource } from '../../records/address.js';
import type { DeclaredRecord } from '../../records/registry.js';
import { RefusedBeforehand } from '../filter/refused-beforehand.js';
import { coveredTypes } from './any-request.js';
import type { LintFinding } from './lint-finding.js';

type Policy = DeclaredRecord<'policy'>;

/** Clauses for which filters are refused, of policies that cover types that are declared as filterable. */
export function filterFindings(records: readonly DeclaredRecord[], now: number): LintFinding[] {
  const types = records.filter((record) => record.kind === 'resource_type');
  if (!types.some(({ fields }) => fields.filterable === true)) return [];
  const engine = compileEngine(records.map((record) => ({ ...record, id: record.address }) as EngineRecord));
  const parents = new Map(
    types.map((type) => [pathOf(type), (type.fields.parents ?? []).map((parent) => parent.type)]),
  );
  return types.flatMap((record) => {
    const path = pathOf(record);
    const type = engine.types.get(path);
    if (record.fields.filterable !== true || type === undefined) return [];
    const refused = new RefusedBeforehand(type, now);
    const findings: LintFinding[] = [];
    if (refused.whole !== undefined)
      findings.push({ rule: 'not-filterable', certainty: 'proven', address: record.address, detail: refused.whole });
    const above = withAll(path, parents);
    for (const policy of records) {
      if (policy.kind !== 'policy' || !covers(policy, path, above)) continue;
      const { condition, modifiers, unless } = policy.fields;
      for (const { clause, why, remedy, place } of refused.of({ condition, modifiers, unless }))
        findings.push({
          ...{ rule: 'not-filterable', certainty: 'proven', address: policy.address },
          ...(condition !== undefined && { pointer: '/condition', offset: place?.[0] ?? 0 }),
          detail: `filters of resource_type/${path} are refused for the clause ${place === undefined ? clause : textAt(condition, place)}: ${why}. ${remedy}.`,
        });
    }
    return findings;
  });
}

function pathOf({ address }: DeclaredRecord): Path {
  return address.slice('resource_type/'.length);
}

function textAt(condition = '', [from, end]: readonly [number, number]): string {
  // A comparison begins with its left side, without the parentheses around that.
  const text = condition.slice(from, end);
  let start = from;
  for (let open = text.split(')').length - text.split('(').length; open > 0 && start > 0; start--)
    if (condition[start - 1] === '(') open--;
  return condition.slice(start, end).replace(/\s+/g, ' ');
}

/** A type and all below whose resources its own may lie. */
function withAll(path: Path, parents: ReadonlyMap<Path, readonly Path[]>): ReadonlySet<Path> {
  const found = new Set([path]);
  for (const one of found) for (const parent of parents.get(one) ?? []) found.add(parent);
  return found;
}

/** Whether a policy covers a resource of a type, which may lie below those of the types `above`. */
function covers({ fields }: Policy, path: Path, above: ReadonlySet<Path>): boolean {
  const { resources } = fields;
  if (resources === undefined) return coveredTypes(fields, [path]).includes(path);
  return resources.some(({ resource, below }) => {
    const type = typeOfResource(resource);
    return below ? above.has(type) : type === path;
  });
}
