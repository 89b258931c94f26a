import { OTHER_ACTION } from '../../../access/delta/column-groups.js';
import type { CompiledEngine } from '../../../access/engine/compiled-engine.js';
import { placedUnit, type ResourceUnit, unrecordedUnit } from '../../../access/universe/resource-places.js';
import { OTHER_TYPE } from '../../../access/universe/subject-classes.js';
import type { JsonObject } from '../../../json/json.js';
import { ProblemError } from '../../../problem.js';
import { splitAddress } from '../../../records/address.js';
import type { DecisionRequest } from '../../../request.js';
import type { Sample, Statement } from './rectangles.js';

/** A request and an instant at which it is made. */
export interface AskedAt {
  readonly request: DecisionRequest;
  readonly now: number;
}

/** Names for what has no record. */
export interface FreshNames {
  readonly type: string;
  subject(type: string): string;
  resource(type: string): string;
  action(type: string): string;
  /** The properties by which a request says where a resource without a record lies. */
  placing(unit: ResourceUnit): JsonObject;
}

/** The resource of a sample, lying in what the comparison found besides. */
export function askedUnit({ cell: { unit }, span }: Sample, statement: Statement): ResourceUnit {
  const { places = [] } = shownWitness(span, statement) ?? {};
  const { type, name, place } = unit;
  if (places.length === 0 || typeof place !== 'object' || place.unsaid !== undefined) return unit;
  const more = { ...place, below: [...new Set([...place.below, ...places])].sort() };
  return name === undefined ? unrecordedUnit(type, more) : placedUnit(type, name, more);
}

function shownWitness({ comparison: { gained, lost } }: Sample['span'], { change }: Statement) {
  return change === 'lost' || change === 'narrowed' ? lost : (gained ?? lost);
}

/** A request that shows what is said of a sample, as far as the comparison found one. */
export function requestOf(sample: Sample, statement: Statement, fresh: FreshNames): AskedAt | undefined {
  const { block, member, cell, span } = sample;
  const witness = shownWitness(span, statement);
  if (witness === undefined) return undefined;
  const [{ one }, { unit, action }] = [block, cell];
  const type = one.type === OTHER_TYPE ? (witness.subjectType ?? fresh.type) : one.type;
  const id = member.id !== '' ? member.id : (witness.subjectId ?? fresh.subject(type));
  const roles = [...witness.roles, ...(one.role === undefined ? [] : [splitAddress(one.role).path])];
  const named = unit.name ?? witness.resourceName;
  const ids = witness.resourceId === undefined ? {} : { id: witness.resourceId };
  const names =
    named !== undefined
      ? { ...ids, name: named }
      : witness.resourceId === undefined
        ? { name: fresh.resource(unit.type) }
        : ids;
  const properties = { ...witness.resourceProperties, ...fresh.placing(askedUnit(sample, statement)) };
  const sent = (name: string, value: JsonObject) => (Object.keys(value).length > 0 ? { [name]: value } : {});
  return {
    request: {
      subject: { type, id, ...sent('properties', witness.subjectProperties), ...(roles.length > 0 && { roles }) },
      resource: { type: unit.type, ...names, ...sent('properties', properties) },
      action: {
        name: action === OTHER_ACTION ? (witness.actionName ?? fresh.action(unit.type)) : action,
        ...sent('properties', witness.actionProperties),
      },
      ...sent('context', witness.context),
    },
    now: witness.now ?? span.from,
  };
}

/** Whether the engine allows a request; one that it refuses or that fails is not allowed. */
export function isAllowed(engine: CompiledEngine, { request, now }: AskedAt): boolean {
  try {
    return engine.decide(request, now).decision;
  } catch (error) {
    if (error instanceof ProblemError) return false;
    throw error;
  }
}
