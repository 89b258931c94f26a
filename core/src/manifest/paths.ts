import { ProblemError } from '../problem.js';
import { type Address, address, decodeSegment, encodeSegment, type Path, splitAddress } from '../records/address.js';
import { quote } from '../records/describe.js';
import { EVERY_TYPE, EVERYONE } from '../records/everyone.js';
import { KINDS, type Kind } from '../records/kinds.js';
import { formText, PATH_FORMS } from '../records/path-form.js';
import { nounOf } from '../state/kind-words.js';
import { nearest } from '../text/nearest.js';

/** A text that cannot be read. The message is the end of a fault's text, remedy included. */
export class NotationError extends Error {}

/** Reads what may throw a `NotationError`, and tells its text instead of throwing. */
export function attempt<T>(read: () => T, refuse: (text: string) => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof NotationError)) throw error;
    refuse(error.message);
    return undefined;
  }
}

/** A path as the text says it, and where the text fits both, the path of the tenant's record of that name. */
export interface ReadPath {
  path: Path;
  tenantPath?: Path;
}

/**
 * Reads the path of a record of `kind`. Inside an application (`application` is its path) its own name may be left
 * out; there a path that begins with `/` starts from the tenant, so that `/NAME` is never the application's. Names are
 * percent-decoded and encoded again, so that `my role` and `my%20role` are one.
 */
export function readPath(kind: Kind, text: string, application?: Path): ReadPath {
  const form = PATH_FORMS[kind];
  const optional = form[0] === '[application]';
  if (optional && application !== undefined && text.startsWith('/')) return readPath(kind, text.slice(1));
  const segments = normalSegments(text);
  if (segments.length === form.length) return { path: segments.join('/') };
  if (segments.length === form.length - 1 && (optional || form[0] === 'application') && form.length > 1) {
    const path = segments.join('/');
    if (application !== undefined) return { path: `${application}/${path}`, ...(optional && { tenantPath: path }) };
    if (optional) return { path };
  }
  const prefixed = segments[0] === kind && segments.length > 1;
  const hint = segments.length > form.length ? ', with "/" in a name as "%2F"' : '';
  const remedy = prefixed ? `leave out "${kind}/"` : `write ${colonless(kind, text) ?? formText(kind) + hint}`;
  throw new NotationError(`${quote(text)} is no path of ${oneOf(kind)}: ${remedy}.`);
}

/** A subject as the command line writes it, `user:alice`, as a path. */
function colonless(kind: Kind, text: string): string | undefined {
  const [type, id, ...more] = text.split(':');
  return kind === 'subject' && type && id && more.length === 0 ? quote(`${type}/${id}`) : undefined;
}

/** `a role`, `an API key`. */
export function oneOf(kind: Kind | typeof EVERYONE): string {
  if (kind === EVERYONE) return 'everyone';
  const noun = nounOf(kind);
  return /^[aeiouAO]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}

/** Paths that nothing needs to be decoded or encoded in: nearly all. */
const NORMAL = /^[\w.@+:-]+(?:\/[\w.@+:-]+)*$/;

function normalSegments(text: string): string[] {
  if (NORMAL.test(text)) return text.split('/');
  return text.split('/').map((segment) => {
    if (segment === '') throw new NotationError(`${quote(text)} has an empty name: write no "/" at an end, nor two.`);
    return normalSegment(segment);
  });
}

function normalSegment(segment: string): string {
  try {
    return encodeSegment(decodeSegment(segment));
  } catch (error) {
    throw error instanceof ProblemError ? new NotationError(error.detail) : error;
  }
}

/** The names in a path, decoded. */
export function readNames(path: string): string[] {
  return normalSegments(path).map(decodeSegment);
}

/** The two ends of a path that names a subject, a group or a role by `entity_type` and `entity`. */
export interface ReadEntity extends ReadPath {
  kind: 'subject' | 'group' | 'role' | typeof EVERYONE;
}

/**
 * Reads `role/PATH`, `group/NAME`, `subject/TYPE/ID`, `everyone`, `everyone/TYPE`, or `TYPE/ID` for a subject of any other
 * type; all but `everyone` hold a slash.
 */
export function readEntity(text: string, application?: Path): ReadEntity {
  const slash = text.indexOf('/');
  const kind = text.slice(0, Math.max(slash, 0));
  if (kind === 'role' || kind === 'group' || kind === 'subject') {
    return { kind, ...readPath(kind, text.slice(slash + 1), application) };
  }
  if (text === EVERYONE) return { kind: EVERYONE, path: EVERY_TYPE };
  if (kind === EVERYONE) return { kind, path: readType(text.slice(slash + 1)) };
  if (text === '*' || /^[^/]+\/\*$/.test(text))
    throw new NotationError(
      `${quote(text)} names no subject: write ${quote(text === '*' ? EVERYONE : `${EVERYONE}/${kind}`)}.`,
    );
  return { kind: 'subject', ...readPath('subject', text) };
}

function readType(text: string): Path {
  const [type = '', ...more] = normalSegments(text);
  if (more.length === 0) return type;
  throw new NotationError(
    `${quote(`${EVERYONE}/${text}`)} names no type of subjects: write ${quote(`${EVERYONE}/TYPE`)}, or ${quote(EVERYONE)} for all.`,
  );
}

const entityAddress = ({ kind, path }: ReadEntity, text: string) => {
  if (kind === EVERYONE) throw new NotationError(`${quote(text)} is no record: everyone has none.`);
  return { kind, address: address(kind, path) };
};

/**
 * Reads the address of a record of any kind, names normalized as in `readPath`. As wherever the notation names whom a link
 * leads to, a subject may be written without its kind: `user/alice`.
 */
export function readAddress(text: string): { kind: Kind; address: Address } {
  const slash = text.indexOf('/');
  const word = slash < 0 ? text : text.slice(0, slash);
  let kind: Kind;
  let rest: string;
  try {
    ({ kind, path: rest } = splitAddress(text));
  } catch (error) {
    const near = nearest(word, KINDS);
    if (near === undefined && slash > 0 && !KINDS.some((known) => known === word))
      return entityAddress(readEntity(text), text);
    const detail = error instanceof ProblemError ? error.detail : String(error);
    throw new NotationError(
      near === undefined ? detail : `${detail} Did you mean ${quote(near + text.slice(word.length))}?`,
    );
  }
  const ends = rest.split('//');
  const link = PATH_FORMS[kind].length === 3 && PATH_FORMS[kind][1] === '';
  if (!link) return { kind, address: address(kind, readPath(kind, rest).path) };
  const [from, to, place] = ends;
  if (from === undefined || to === undefined || ends.length > (kind === 'role_assignment' ? 3 : 2)) {
    throw new NotationError(`${quote(text)} is no address of ${oneOf(kind)}: join its two ends by "//".`);
  }
  const entity = readEntity(to);
  const reference = PATH_FORMS[kind][0] as 'role' | 'policy' | 'group';
  const on = place === undefined ? '' : `//${readPath('resource', place).path}`;
  return { kind, address: `${kind}/${readPath(reference, from).path}//${entity.kind}/${entity.path}${on}` };
}
