import { equalValues, meanSame } from './equal.js';
import type { Attribute, Attributes } from './schema.js';
import { isList, isObject, isWhollyKnown, UNKNOWN, type Value, type Values } from './value.js';

/**
 * Finds what Terraform would refuse in an object that a resource returned, in words that name the attribute. Such an object
 * is a fault of the provider. `planned`, if given, fixes every value that it holds as known.
 */
export function faultsOf(attributes: Attributes, result: Values, planned?: Values): string[] {
  const faults: string[] = [];
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = result[name] ?? null;
    if (!isWhollyKnown(value)) faults.push(`"${name}" is still unknown`);
    else if (attribute.writeOnly && value !== null) faults.push(`"${name}" is write-only and came back`);
    else if (planned !== undefined && !conforms(attribute, planned[name] ?? null, value)) {
      faults.push(`"${name}" is not what was planned`);
    }
  }
  return faults;
}

function conforms(attribute: Attribute, planned: Value, result: Value): boolean {
  if (planned === UNKNOWN) return true;
  if (isWhollyKnown(planned)) return equalValues(attribute, planned, result);
  if ('type' in attribute) return isList(planned) === isList(result) && isObject(planned) === isObject(result);
  const object = (before: Value, after: Value): boolean =>
    isObject(before) && isObject(after)
      ? Object.entries(attribute.attributes).every(([name, inner]) =>
          conforms(inner, before[name] ?? null, after[name] ?? null),
        )
      : before === UNKNOWN || before === after;
  if (attribute.nested === 'single') return object(planned, result);
  if (isList(planned) && isList(result)) {
    // While parts of a planned element of a set were unknown, it cannot be told which result element it stands for.
    if (attribute.nested === 'set') return result.length <= planned.length;
    return planned.length === result.length && planned.every((item, index) => object(item, result[index] ?? null));
  }
  if (!isObject(planned) || !isObject(result)) return planned === result;
  return Object.entries(planned).every(([key, item]) => object(item, result[key] ?? null));
}

/**
 * The values as a refresh gives them. A value that means the same as the one in the state keeps the state's spelling.
 */
export function keepSpelling(attributes: Attributes, state: Values, present: Values): Values {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]) => [
      name,
      keptSpelling(attribute, state[name] ?? null, present[name] ?? null),
    ]),
  );
}

/** Absence may mean the same as a value: an absent flag means the same as false. */
function keptSpelling(attribute: Attribute, before: Value, now: Value): Value {
  if (before === null) return now;
  if (meanSame(attribute, before, now)) return before;
  if ('type' in attribute) return now;
  const object = (earlier: Value | undefined, later: Value): Value =>
    isObject(earlier) && isObject(later) ? keepSpelling(attribute.attributes, earlier, later) : later;
  if (attribute.nested === 'single') return object(before, now);
  if (attribute.nested !== 'list' || !isList(before) || !isList(now)) return now;
  return now.map((item, index) => object(before[index], item));
}

/** The values with null in place of every attribute that is not completely known. */
export function withoutUnknown(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isWhollyKnown(value) ? value : null]));
}
