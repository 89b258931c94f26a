import type { PairLine } from '@authz-service/core/questions/impact/api/access-delta';
import type { Finding } from '@authz-service/core/questions/impact/api/finding';
import type { Impact } from '@authz-service/core/questions/impact/api/impact';
import { encodeSegment, path as pathOf } from '@authz-service/core/records/address';
import {
  type EntityKind,
  type EntityName,
  EntityTextError,
  entityText,
  readEntityText,
} from '@authz-service/core/records/entity-text';
import { nearest } from '@authz-service/core/text/nearest';
import { UsageError } from '../../errors/usage-error.js';
import type { KnownNames } from './known-names.js';

/** Who or what one part of a pattern is about. A part without `path` is about all of `type`, without `type` about all. */
interface Part {
  type?: string;
  /** `user/alice`, `billing/invoice/INV-1`. */
  path?: string;
  /** Whether `path` has a record in either state. */
  recorded?: boolean;
}

/** A set of triples, as a file of patterns or `--for` describes it. */
export interface Pattern {
  /** As it is written. */
  text: string;
  subject: Part;
  /** Undefined for every action. */
  action?: string;
  resource: Part;
}

/** A fault of one part of a pattern, for the user. */
export class PatternFault extends Error {}

/** A part of a pattern as it is written: `user:alice`, `user:*`, `*`, or a mapping, which may be of nobody recorded. */
export type WrittenPart = string | { type: string; id?: string; name?: string };

/** Throws `PatternFault` naming a subject that has no record and is not written as a mapping. */
export function subjectPart(written: WrittenPart, names: KnownNames): Part {
  if (written === '*') return {};
  const isKnown = ({ type, name }: EntityName) =>
    name === '*' ? names.subjectTypes.has(type) : names.has('subject', pathOf(type, name));
  const { type, name: id } =
    typeof written === 'string' ? split('subject', written, isKnown) : { type: written.type, name: written.id ?? '' };
  const mapped = typeof written !== 'string';
  if (!mapped && id === '*') {
    if (!names.subjectTypes.has(type)) throw unknown('No subject of the type', type, names.subjectTypes, 'is recorded');
    return { type };
  }
  const path = pathOf(type, id);
  const recorded = names.has('subject', path);
  if (!recorded && !mapped) {
    throw new PatternFault(
      `No subject "${entityText('subject', { type, name: id })}" is recorded: correct it, or write { type: ${type}, id: ${id} } for one without a record.`,
    );
  }
  return { type, path, recorded };
}

/** Throws `PatternFault` naming a type or resource that there is not, or that may be two. */
export function resourcePart(written: WrittenPart, names: KnownNames): Part {
  if (written === '*') return {};
  const isKnown = ({ type }: EntityName) => names.typePaths(type).length > 0;
  const { type: typeName, name } =
    typeof written === 'string'
      ? split('resource', written, isKnown)
      : { type: written.type, name: written.name ?? '' };
  const mapped = typeof written !== 'string';
  const [type, other] = names.typePaths(typeName);
  if (type === undefined) throw unknown('There is no resource type', typeName, names.typeNames, '');
  if (other !== undefined)
    throw new PatternFault(
      `The resource type "${typeName}" may mean ${names.typePaths(typeName).join(' or ')}: write one of them.`,
    );
  if (!mapped && name === '*') return { type };
  const path = `${type}/${encodeSegment(name)}`;
  const recorded = names.has('resource', path);
  if (!recorded && !mapped) {
    throw new PatternFault(
      `No resource "${entityText('resource', { type: typeName, name })}" is recorded: correct it, or write { type: ${typeName}, name: ${name} } for one without a record.`,
    );
  }
  return { type, path, recorded };
}

/** Throws `PatternFault` for an action that none of the types in question declares. */
export function actionPart(written: string, { type }: Part, names: KnownNames): string | undefined {
  if (written === '*') return undefined;
  const declared = type === undefined ? names.actions : (names.types.get(type) ?? new Set());
  if (!declared.has(written))
    throw unknown(type === undefined ? 'No type has the action' : `"${type}" has no action`, written, declared, '');
  return written;
}

function split(kind: EntityKind, text: string, isKnown: (reading: EntityName) => boolean): EntityName {
  try {
    return readEntityText(kind, text, isKnown);
  } catch (error) {
    if (!(error instanceof EntityTextError)) throw error;
    throw new PatternFault(`"${text}" ${error.message}, or "*".`);
  }
}

function unknown(what: string, written: string, known: Iterable<string>, is: string): PatternFault {
  const near = nearest(written, known);
  const remedy = near === undefined ? 'declare it, or correct the name' : `did you mean "${near}"?`;
  return new PatternFault(
    `${what} "${written}"${is === '' ? '' : ` ${is}`}: ${remedy}${near === undefined ? '.' : ''}`,
  );
}

/** Whether a finding may be about a triple of the pattern; of what has no record, and of roles named in requests, it may. */
export function meets({ subject, action, resource }: Pattern, finding: Finding, impact: Impact): boolean {
  return (
    meetsAction(action, finding) && meetsSubject(subject, finding, impact) && meetsResource(resource, finding, impact)
  );
}

function meetsAction(action: string | undefined, { actions, actions_except: except = [] }: Finding): boolean {
  if (action === undefined || actions.includes(action)) return true;
  return actions.includes('*') && !except.includes(action);
}

function meetsSubject({ type, path, recorded }: Part, finding: Finding, impact: Impact): boolean {
  const { unrecorded, recorded: known, named_role: role } = finding.subjects;
  if (type === undefined || (role !== undefined && known === 0)) return true;
  if (recorded !== true && (unrecorded.includes(type) || unrecorded.includes('*'))) return true;
  const among = (member: string) =>
    path === undefined ? member.startsWith(`${encodeSegment(type)}/`) : member === path;
  return impact.subjectsOf(finding).some(among);
}

function meetsResource({ type, path, recorded }: Part, finding: Finding, impact: Impact): boolean {
  if (type === undefined) return true;
  const ofType = finding.resources.filter((resources) => resources.type === type);
  if (path === undefined) return ofType.length > 0;
  if (recorded !== true) return ofType.some(({ which }) => which !== 'recorded' && which !== 'named');
  return ofType.length > 0 && impact.resourcesOf(finding).includes(path);
}

/** Whether a recorded triple is one of the pattern. */
export function covers({ subject, action, resource }: Pattern, pair: PairLine): boolean {
  const within = ({ type, path }: Part, of: string, prefix: string) =>
    path === undefined ? type === undefined || of.startsWith(prefix) : of === path;
  return (
    (action === undefined || pair.action === action) &&
    within(subject, pair.subject, `${encodeSegment(subject.type ?? '')}/`) &&
    within(resource, pair.resource, `${resource.type}/`)
  );
}

/** The pattern of one `--for`. Throws `UsageError`. */
export function forPattern(text: string, names: KnownNames): Pattern {
  const words = text.trim().split(/\s+/);
  const [subject, action, resource] = words;
  if (subject === undefined || action === undefined || resource === undefined || words.length > 3) {
    throw new UsageError(`--for "${text}" is not "SUBJECT ACTION RESOURCE": write it like "user:* approve invoice:*".`);
  }
  try {
    const part = resourcePart(resource, names);
    const wanted = actionPart(action, part, names);
    return {
      text,
      subject: subjectPart(subject, names),
      resource: part,
      ...(wanted !== undefined && { action: wanted }),
    };
  } catch (error) {
    if (error instanceof PatternFault) throw new UsageError(`--for "${text}": ${error.message}`);
    throw error;
  }
}
