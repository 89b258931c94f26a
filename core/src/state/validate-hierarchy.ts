import { jsonPointer } from '../json/json-pointer.js';
import { type Address, typeOfResource } from '../records/address.js';
import { ANCESTORS_MAX, LEVELS_MAX } from '../records/hierarchy.js';
import type { DeclaredRecord } from '../records/registry.js';
import type { RecordFinding, RecordView } from './change.js';

type Resource = DeclaredRecord<'resource'>;

/** A longer circle is named by its start and its end. */
const NAMED_MAX = 20;

/**
 * Judges one by one where resources lie: parents of types that their own type does not declare, circles, hierarchies that
 * are too deep or too wide; and warns of properties that look like parents. A circle is named once, however many of its
 * resources are judged.
 */
export function hierarchyFindings(view: RecordView): (resource: Resource) => RecordFinding[] {
  const circled = new Set<Address>();
  return (resource) => {
    const { parents } = resource.fields;
    const unplaced = propertyFindings(view, resource);
    if (parents === undefined) return unplaced;
    const findings = [...unplaced, ...typeFindings(view, resource, parents)];
    const refuse = (detail: string) =>
      findings.push({ severity: 'error', address: resource.address, pointer: '/parents', detail });
    const above = walkUp(view, resource);
    if ('circle' in above) {
      const { circle } = above;
      if (!circle.some((address) => circled.has(address)))
        refuse(`Resources lie in each other in a circle: ${circleText(circle)}. Take one of these parents out.`);
      for (const address of circle) circled.add(address);
    } else if (above.levels > LEVELS_MAX) {
      refuse(`It lies on level ${above.levels} of its hierarchy: at most ${LEVELS_MAX} are allowed. Move it up.`);
    } else if (above.ancestors > ANCESTORS_MAX) {
      refuse(
        `It has ${above.ancestors} ancestors: at most ${ANCESTORS_MAX} are allowed. Take some of its parents out.`,
      );
    }
    return findings;
  };
}

function typeFindings(view: RecordView, { address, fields }: Resource, parents: readonly string[]): RecordFinding[] {
  const type = view.get(`resource_type/${fields.type}`);
  if (type?.kind !== 'resource_type') return [];
  const declared = new Set(type.fields.parents?.map((parent) => parent.type));
  return parents.flatMap((parent, index): RecordFinding[] => {
    const own = typeOfResource(parent);
    if (declared.has(own)) return [];
    const known = declared.size === 0 ? 'it declares none' : `it declares ${[...declared].sort().join(', ')}`;
    const detail = `The type "${fields.type}" declares no parents of the type "${own}", ${known}: add it there, or take this parent out.`;
    return [{ severity: 'error', address, pointer: jsonPointer('parents', index), detail }];
  });
}

/** A request places a resource without a record by such a property; whoever stores one may think that it does the same. */
function propertyFindings(view: RecordView, { address, fields }: Resource): RecordFinding[] {
  if (fields.properties === undefined) return [];
  const type = view.get(`resource_type/${fields.type}`);
  if (type?.kind !== 'resource_type') return [];
  const { properties, parents = [] } = fields;
  return (type.fields.parents ?? []).flatMap(({ type: above, property }): RecordFinding[] => {
    if (!Object.hasOwn(properties, property)) return [];
    if (parents.some((parent) => parent.startsWith(`${above}/`))) return [];
    const detail = `The property "${property}" does not say where it lies: of a resource with a record only "parents" does. Name its ${above} there, or give the property another name.`;
    return [{ severity: 'warning', address, pointer: jsonPointer('properties', property), detail }];
  });
}

/** The levels up to the farthest ancestor, the resource's own included; or the circle that leads back to the resource. */
function walkUp(view: RecordView, { address: start }: Resource): { levels: number; ancestors: number } | Circle {
  /** The levels of each resource; 0 while it is still on the way. */
  const levels = new Map<Address, number>();
  const way: { address: Address; open: Address[]; levels: number }[] = [];
  const enter = (address: Address) => {
    const record = view.get(address);
    const parents = record?.kind === 'resource' ? (record.fields.parents ?? []) : [];
    levels.set(address, 0);
    way.push({ address, open: parents.map((parent) => `resource/${parent}`), levels: 1 });
  };
  enter(start);
  for (let step = way.at(-1); step !== undefined; step = way.at(-1)) {
    const next = step.open.pop();
    if (next === undefined) {
      way.pop();
      levels.set(step.address, step.levels);
      const below = way.at(-1);
      if (below !== undefined) below.levels = Math.max(below.levels, step.levels + 1);
    } else if (next === start) {
      return { circle: way.map(({ address }) => address) };
    } else if (levels.has(next)) {
      // A resource that is still on the way is part of a circle, which is reported once, at a resource in it.
      step.levels = Math.max(step.levels, (levels.get(next) ?? 0) + 1);
    } else {
      enter(next);
    }
    // What lies above is judged at other resources. So many ancestors are a fault already.
    if (levels.size > 4 * ANCESTORS_MAX) return { levels: 1, ancestors: levels.size - 1 };
  }
  return { levels: levels.get(start) ?? 1, ancestors: levels.size - 1 };
}

interface Circle {
  circle: Address[];
}

function circleText(circle: readonly Address[]): string {
  const names = circle.map((address) => address.slice('resource/'.length));
  const half = NAMED_MAX / 2;
  const shown =
    names.length <= NAMED_MAX
      ? names
      : [...names.slice(0, half), `… (${names.length - NAMED_MAX} more) …`, ...names.slice(-half)];
  return [...shown, names[0]].join(' → ');
}
