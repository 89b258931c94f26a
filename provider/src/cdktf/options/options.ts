import { nearest } from '@authz-service/core/text/nearest';
import { isComplexElement, Token } from 'cdktf';
import type { Construct } from 'constructs';

/** The options of a construct or a method, by name. */
export type KnownOptions<T> = { readonly [K in keyof Required<T>]: true };

/** Options by name; those that hold options of their own come with these. */
export interface OptionNames {
  readonly [name: string]: true | OptionNames;
}

/** Options that every resource and data source takes. */
export const META_ARGUMENTS = {
  connection: true,
  count: true,
  dependsOn: true,
  forEach: true,
  lifecycle: true,
  provider: true,
  provisioners: true,
} as const;

/** The construct's place in the program. */
export const placeOf = (scope: Construct, id: string) => `${scope.node.path}/${id}`;

/**
 * Returns the options after refusing unknown ones, because a misspelled `condition` would mean no condition at all.
 * `at` is the construct that they are for.
 */
export function options<T extends object>(at: string, given: T, known: KnownOptions<T>): T {
  refuseOthers(at, given, known);
  return given;
}

/** Refuses unknown options of a generated construct, at any depth. */
export function knownOptions(at: string, given: unknown, known: OptionNames): void {
  // A part of another construct is refused by cdktf itself.
  if (given === undefined || given === null || isComplexElement(given)) return;
  if (Array.isArray(given)) {
    for (const item of given) knownOptions(at, item, known);
    return;
  }
  refuseOthers(at, given, known);
  if (Token.isUnresolved(given)) return;
  for (const [name, inner] of Object.entries(known)) {
    if (inner !== true) knownOptions(`${at}: ${name}`, (given as Record<string, unknown>)[name], inner);
  }
}

/** The place in the program of an option inside a construct. */
export function placeOfPart(part: object): string {
  let at = part as { node?: { path: string }; terraformResource?: object };
  while (at.node === undefined && at.terraformResource !== undefined) at = at.terraformResource;
  return at.node?.path ?? '';
}

function refuseOthers(at: string, given: unknown, known: OptionNames): void {
  if (Token.isUnresolved(given)) return;
  if (typeof given !== 'object' || given === null)
    throw new Error(`${at}: the options are ${shown(given)}: give an object with ${listed(Object.keys(known))}.`);
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const meant = nearest(name, Object.keys(known));
    const remedy = meant === undefined ? `there are ${listed(Object.keys(known))}.` : `did you mean "${meant}"?`;
    throw new Error(`${at}: there is no option "${name}": ${remedy}`);
  }
}

const listed = (names: string[]) => names.map((name) => `"${name}"`).join(', ');

/** The given value, for an error text. */
export const shown = (given: unknown) => (typeof given === 'string' ? `"${given}"` : String(given));
