import { ProblemError } from '../problem.js';
import { decodeSegment, encodeSegment } from './address.js';
import { quote } from './describe.js';

/** The entity that a text names: a subject by type and id, or a resource by type and name. A resource's type may be a path. */
export interface EntityName {
  type: string;
  name: string;
}

export type EntityKind = 'subject' | 'resource';

/** A text that names nothing, or may name several. The message is the end of a sentence that begins with the text. */
export class EntityTextError extends Error {}

/**
 * Lists the readings of a text. `TYPE/NAME` is written as in addresses, `/` and `%` within a name as `%2F` and `%25`, and so may
 * be a `:`, as `%3A`. `TYPE:NAME` is taken as it stands, at each colon that has no other beside it. The type of a resource
 * may be `APPLICATION/TYPE` in both.
 */
export function readingsOf(kind: EntityKind, text: string): EntityName[] {
  const segmentsMax = kind === 'subject' ? 2 : 3;
  const found: EntityName[] = [];
  const segments = text.split('/');
  const names = segments.map(decoded);
  if (
    segments.length > 1 &&
    segments.length <= segmentsMax &&
    names.every((name) => name !== undefined && name !== '')
  ) {
    const [first = '', second = '', third] = names as string[];
    if (third === undefined) found.push({ type: first, name: second });
    else found.push({ type: `${encodeSegment(first)}/${encodeSegment(second)}`, name: third });
  }
  for (const { index } of text.matchAll(/(?<!:):(?!:)/g)) {
    const type = text.slice(0, index);
    const name = text.slice(index + 1);
    const parts = type.split('/');
    if (name !== '' && parts.length < segmentsMax && parts.every((part) => part !== '')) found.push({ type, name });
  }
  return found;
}

/**
 * Reads a text. Of several readings the one that `isKnown` says there is. Throws `EntityTextError` where there is
 * none, or more than one.
 */
export function readEntityText(
  kind: EntityKind,
  text: string,
  isKnown: (reading: EntityName) => boolean = () => true,
): EntityName {
  const readings = readingsOf(kind, text);
  const known = readings.length > 1 ? readings.filter(isKnown) : readings;
  const [only, other] = known;
  if (only !== undefined && other === undefined) return only;
  if (readings.length > 0) {
    const texts = (known.length > 0 ? known : readings).map((reading) => quote(entityPath(kind, reading)));
    throw new EntityTextError(`may mean ${texts.join(' or ')}: write one of them`);
  }
  const example = kind === 'subject' ? 'user:alice" or "user/alice' : 'invoice:INV-1" or "invoice/INV-1';
  throw new EntityTextError(`is not TYPE:${kind === 'subject' ? 'ID' : 'NAME'}: write it like "${example}"`);
}

/** The text that means this and nothing else: `user:alice` where it can mean nothing else, or else `service/a:b`. */
export function entityText(kind: EntityKind, { type, name }: EntityName): string {
  const text = `${type}:${name}`;
  return isOnly(readingsOf(kind, text), { type, name }) ? text : entityPath(kind, { type, name });
}

/** The text as segments between slashes, which means this and nothing else: `service/a%3Ab`. */
export function entityPath(kind: EntityKind, { type, name }: EntityName): string {
  const types = kind === 'subject' ? [type] : type.split('/');
  const segments = types.map((part) => encodeSegment(decoded(part) ?? part));
  const text = [...segments, encodeSegment(name)].join('/');
  return readingsOf(kind, text).length === 1 ? text : text.replaceAll(':', '%3A');
}

function isOnly([first, second]: readonly EntityName[], { type, name }: EntityName): boolean {
  return second === undefined && first?.type === type && first.name === name;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeSegment(segment);
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
