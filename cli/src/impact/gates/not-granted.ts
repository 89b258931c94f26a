import { readFile } from 'node:fs/promises';
import type { Json } from '@authz-service/core/json/json';
import { YAML_WORDS } from '@authz-service/core/records/describe';
import { type EntityKind, entityText } from '@authz-service/core/records/entity-text';
import { issueText } from '@authz-service/core/records/issue-text';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import * as z from 'zod';
import { UsageError } from '../../errors/usage-error.js';
import { counted } from '../../output/text.js';
import type { KnownNames } from './known-names.js';
import { actionPart, type Pattern, PatternFault, resourcePart, subjectPart, type WrittenPart } from './pattern.js';

const text = z.string().min(1);
const subject = z.union([text, z.strictObject({ type: text, id: text })]);
const resource = z.union([text, z.strictObject({ type: text, name: text })]);
const entrySchema = z.strictObject({
  name: text.optional(),
  subject: subject.optional(),
  subjects: z.array(subject).min(1).optional(),
  action: text.optional(),
  actions: z.array(text).min(1).optional(),
  resource: resource.optional(),
  resources: z.array(resource).min(1).optional(),
});
const fileSchema = z.strictObject({ not_granted: z.array(entrySchema).min(1) });

/** One entry of the file: no triple of any of its patterns may become possible. */
export interface NotGranted {
  name: string;
  file: string;
  line: number;
  patterns: Pattern[];
}

type Path = readonly (string | number)[];

/**
 * The file of `--not-granted`, in the words of tests of access. Throws one `UsageError` with all faults, each with its
 * place: a pattern that names nothing would let everything pass.
 */
export async function readNotGranted(file: string, names: KnownNames): Promise<NotGranted[]> {
  const lines = new LineCounter();
  const document = parseDocument(await readFile(file, 'utf8'), { lineCounter: lines });
  const faults: string[] = document.errors.map(({ message, linePos: [at] = [] as never }) => {
    return `${file}:${at?.line ?? 1}:${at?.col ?? 1}: ${message.split('\n')[0]?.replace(/ at line .*/, '')}.`;
  });
  const place = (path: Path) => placeOf(document, lines, path);
  const fault = (path: Path, detail: string) => {
    const { line, col } = place(path);
    faults.push(`${file}:${line}:${col}: ${detail}`);
  };
  const value: unknown = faults.length === 0 ? document.toJS({ maxAliasCount: 100 }) : undefined;
  const parsed = fileSchema.safeParse(value);
  if (faults.length === 0 && !parsed.success) {
    for (const issue of parsed.error.issues) {
      const path = issue.path.filter((key) => typeof key !== 'symbol');
      const key = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
      const detail = key === undefined ? issueText(issue, valueAt(value, path), YAML_WORDS) : `unknown key "${key}"`;
      fault(key === undefined ? path : [...path, key], `${path.join('.') || 'the file'}: ${detail}`);
    }
  }
  const entries = (parsed.data?.not_granted ?? []).map((entry, index): NotGranted => {
    const at = ['not_granted', index];
    const subjects = either(entry, 'subject', at, fault);
    const actions = either(entry, 'action', at, fault);
    const resources = either(entry, 'resource', at, fault);
    const patterns = product(subjects, actions, resources, names, fault);
    return { name: entry.name ?? patterns[0]?.text ?? `entry ${index + 1}`, file, line: place(at).line, patterns };
  });
  if (faults.length === 0) return entries;
  const [first = ''] = faults;
  if (faults.length === 1) throw new UsageError(first);
  throw new UsageError(`${file} has ${counted(faults.length, 'fault')}; nothing was judged.`, undefined, faults);
}

type Entry = z.output<typeof entrySchema>;
type Written<P extends 'subject' | 'action' | 'resource'> = { value: NonNullable<Entry[P]>; path: Path };

/** Says an entry in the singular or the plural, each with its place. */
function either<P extends 'subject' | 'action' | 'resource'>(
  entry: Entry,
  part: P,
  at: Path,
  fault: (path: Path, detail: string) => void,
): Written<P>[] {
  const one = entry[part];
  const many = entry[`${part}s`] as NonNullable<Entry[P]>[] | undefined;
  if ((one === undefined) === (many === undefined)) fault(at, `write one of "${part}" and "${part}s".`);
  if (one !== undefined) return [{ value: one as NonNullable<Entry[P]>, path: [...at, part] }];
  return (many ?? []).map((value, index) => ({ value, path: [...at, `${part}s`, index] }));
}

function product(
  subjects: readonly Written<'subject'>[],
  actions: readonly Written<'action'>[],
  resources: readonly Written<'resource'>[],
  names: KnownNames,
  fault: (path: Path, detail: string) => void,
): Pattern[] {
  const told = new Set<string>();
  const tried = <T>(path: Path, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      const key = JSON.stringify(path);
      if (!told.has(key)) fault(path, error.message);
      told.add(key);
      return undefined;
    }
  };
  const who = subjects.flatMap(({ value, path }) => {
    const part = tried(path, () => subjectPart(value as WrittenPart, names));
    return part === undefined ? [] : [{ part, said: saidOf('subject', value as WrittenPart) }];
  });
  const what = resources.flatMap(({ value, path }) => {
    const part = tried(path, () => resourcePart(value as WrittenPart, names));
    return part === undefined ? [] : [{ part, said: saidOf('resource', value as WrittenPart) }];
  });
  return what.flatMap(({ part: resource, said: resourceSaid }) =>
    actions.flatMap(({ value: written, path }) => {
      const found = tried(path, () => ({ action: actionPart(written, resource, names) }));
      if (found === undefined) return [];
      const { action } = found;
      return who.map(({ part: subject, said }): Pattern => {
        const text = `${said} ${written} ${resourceSaid}`;
        return { text, subject, resource, ...(action !== undefined && { action }) };
      });
    }),
  );
}

function saidOf(kind: EntityKind, written: WrittenPart): string {
  if (typeof written === 'string') return written;
  return entityText(kind, { type: written.type, name: written.id ?? written.name ?? '' });
}

function valueAt(value: unknown, path: Path): Json | undefined {
  return path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], value) as Json;
}

function placeOf(document: Document, lines: LineCounter, path: Path): { line: number; col: number } {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]);
  }
  return { line: 1, col: 1 };
}
