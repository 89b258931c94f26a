import { jsonPointer } from '../json/json-pointer.js';
import { ConsoleJudge, type ConsoleWriter, PROTECTED_APPLICATION } from '../limits/judge-console.js';
import type { Writer } from '../limits/writer.js';
import { isCredential } from '../records/kinds.js';
import type { StoredRecord } from '../records/registry.js';
import { Faults } from './faults.js';
import type { BaseView, Overlay } from './overlay.js';

/** A record that a change-set writes or removes, and the change that does so. */
interface Touched {
  record: StoredRecord;
  previous?: StoredRecord;
  index: number;
  follows?: true;
}

/** Who must not decide over the console; undefined for who may. */
export function consoleWriter({ writer, session }: { writer?: Writer; session?: boolean }): ConsoleWriter | undefined {
  const applications = writer?.limits.applications;
  if (session) return applications?.includes(PROTECTED_APPLICATION) ? undefined : 'session';
  return applications === undefined ? writer : undefined;
}

/**
 * Refuses what decides over the console, before a change-set or after it, whoever owns it. Credentials and access rules are
 * guarded by scopes.
 */
export function* spareConsole(
  { removed, put }: { removed: Iterable<Touched>; put: Iterable<Touched> },
  { base, overlay }: { base: BaseView; overlay: Overlay },
  writer: ConsoleWriter,
): Generator<undefined, void> {
  const outside = new Faults(writer === 'session' ? 'not_owner' : 'outside_limits');
  const [before, after] = [new ConsoleJudge(base), new ConsoleJudge(overlay)];
  const judge = function* (by: ConsoleJudge, record: StoredRecord, at: string, other?: StoredRecord) {
    if (writer === 'session' && (isCredential(record.kind) || record.kind === 'access_rule')) return;
    for (const { pointer, detail } of yield* by.judge(record, writer, other))
      outside.add(at + pointer, detail, record.address);
  };
  for (const { record, index } of removed) yield* judge(before, record, jsonPointer('changes', index));
  for (const { record, previous, index, follows } of put) {
    if (follows) continue;
    const found = outside.count;
    if (previous) yield* judge(before, previous, jsonPointer('changes', index), record);
    if (outside.count === found) yield* judge(after, record, jsonPointer('changes', index, 'fields'), previous);
  }
  outside.raise();
}
