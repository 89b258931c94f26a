/**
 * The rules that every resource's plan follows. Terraform enforces them: a value from the configuration is planned as
 * given (or as in the state, if both mean the same), and apply must produce every value that was planned as known.
 */
import type { Path } from './diagnostics.js';
import { equalObjects, equalValues, meanSame } from './equal.js';
import type { Attribute, Attributes } from './schema.js';
import { isList, isObject, UNKNOWN, type Value, type Values } from './value.js';

/**
 * The values after the change. Computed values stay while nothing changes; any change makes them unknown, except the
 * stable ones. Computed attributes inside sets need a default, because their elements have no former value.
 */
export function planValues(attributes: Attributes, prior: Values | null, config: Values): Values {
  const planned = planObject(attributes, prior, config);
  if (prior === null || equalObjects(attributes, planned, prior)) return planned;
  return Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]) => [
      name,
      isMade(attribute, config[name]) && !attribute.stable ? UNKNOWN : (planned[name] ?? null),
    ]),
  );
}

/** The attributes whose change replaces the object. */
export function replacedBy(attributes: Attributes, prior: Values, planned: Values): Path[] {
  return Object.entries(attributes)
    .filter(
      ([name, attribute]) => attribute.replace && !equalValues(attribute, prior[name] ?? null, planned[name] ?? null),
    )
    .map(([name]) => [name]);
}

/** Whether the provider computes the value, because neither the configuration nor a default gives one. */
function isMade(attribute: Attribute, config: Value | undefined): boolean {
  return attribute.computed === true && attribute.default === undefined && (config ?? null) === null;
}

function planObject(attributes: Attributes, prior: Values | null, config: Values): Values {
  const planned: { [name: string]: Value } = {};
  for (const name in attributes) {
    const attribute = attributes[name] as Attribute;
    const before = prior?.[name] ?? null;
    const given = config[name] ?? null;
    if (attribute.writeOnly) planned[name] = null;
    else if (isMade(attribute, given)) planned[name] = prior === null ? UNKNOWN : before;
    else planned[name] = planGiven(attribute, before, given ?? attribute.default ?? null);
  }
  return planned;
}

function planGiven(attribute: Attribute, prior: Value, config: Value): Value {
  if (config === UNKNOWN || (config === null && attribute.default === undefined)) return config;
  if (prior !== null && meanSame(attribute, prior, config)) return prior;
  if (config === null) return null;
  if ('type' in attribute) return config;
  const item = (given: Value, before: Value | undefined): Value =>
    isObject(given) ? planObject(attribute.attributes, isObject(before) ? before : null, given) : given;
  if (attribute.nested === 'single') return item(config, prior);
  if (isList(config)) {
    const before = attribute.nested === 'list' && isList(prior) ? prior : [];
    return config.map((given, index) => item(given, before[index]));
  }
  if (!isObject(config)) return config;
  const before = isObject(prior) ? prior : {};
  return Object.fromEntries(Object.entries(config).map(([key, given]) => [key, item(given, before[key])]));
}
