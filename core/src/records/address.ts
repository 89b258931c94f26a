import { ProblemError } from '../problem.js';
import { isKind, type Kind } from './kinds.js';

/**
 * The address of a record: its kind and natural key, as plans, errors, imports and reasons write it.
 * Segments are joined by "/"; a link record joins the paths of its two ends by "//", and after them that of the resource
 * where it counts if it does not count everywhere: `role/billing/accountant`,
 * `role_assignment/billing/accountant//group/finance`, `role_assignment/docs/viewer//subject/user/anne//docs/document/plan`.
 */
export type Address = string;

/** An address without its kind, as a reference whose kind is known writes it: `billing/accountant`. */
export type Path = string;

const ESCAPED = /[%/\s\p{Cc}]/gu;

/** One name as a segment: "%", "/", white space and control characters are percent-encoded as UTF-8. */
export function encodeSegment(name: string): string {
  return name.replace(ESCAPED, (character) => encodeURIComponent(character));
}

/** The name a segment stands for. Throws `invalid_address` where a percent sign starts no valid escape. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ProblemError(
      'invalid_address',
      `"${segment}" has a malformed percent escape: write "%" itself as "%25".`,
    );
  }
}

/** Joins names into a path, leaving out the absent ones: `path(undefined, 'auditor')` is `auditor`. */
export function path(...names: (string | undefined)[]): Path {
  const segments: string[] = [];
  for (const name of names) if (name !== undefined) segments.push(encodeSegment(name));
  return segments.join('/');
}

/** The names of a path, decoded. */
export function names(path: Path): string[] {
  return path.split('/').map(decodeSegment);
}

/** The path of a resource's type: a resource's path is that and its own name. */
export function typeOfResource(resource: Path): Path {
  return resource.slice(0, Math.max(0, resource.lastIndexOf('/')));
}

/** Whether a path is that of a resource: the others that are paths of something below an application are shorter. */
export function isResourcePath(path: Path): boolean {
  return path.split('/').length > 2;
}

export function address(kind: Kind, path: Path): Address {
  return `${kind}/${path}`;
}

/** Splits an address after its kind. Throws `invalid_address` naming the text and the known kinds' form. */
export function splitAddress(text: string): { kind: Kind; path: Path } {
  const slash = text.indexOf('/');
  const kind = text.slice(0, Math.max(slash, 0));
  if (slash < 0 || slash === text.length - 1 || !isKind(kind)) {
    throw new ProblemError(
      'invalid_address',
      `"${text}" is no address: write the kind and the names, like "role/billing/accountant" or "subject/user/alice".`,
    );
  }
  return { kind, path: text.slice(slash + 1) };
}

/** Like `splitAddress`, for targets that references make: their kind is always known, their path may be anything. */
export function splitReference(target: Address): { kind: Kind; path: string } {
  const slash = target.indexOf('/');
  return { kind: target.slice(0, slash) as Kind, path: target.slice(slash + 1) };
}
