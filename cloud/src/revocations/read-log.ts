import { readFile } from 'node:fs/promises';
import { ProblemError } from '@authz-service/core/problem';
import { type LogKey, type LogLine, NO_LINE } from './log-line.js';

/** The state of a tenant at the end of a log. */
export interface LoggedTenant {
  revision: number;
  /** The fingerprints of its good credentials. */
  good: Set<string>;
}

/** The state at the end of a log. */
export interface ReadLog {
  file: string;
  /** When the database was last set back; empty if it never was. */
  setBack: string;
  /** The time of its last line. */
  endsAt: string;
  /** By id; those that were removed are undefined. */
  tenants: Map<string, LoggedTenant | undefined>;
}

/**
 * Reads a log. What a write left behind that broke off is passed over: nobody was told of that. Throws `invalid_config` if a
 * line is missing, changed or made with another key. That lines are missing at its end cannot be seen in it.
 */
export async function readLog(file: string, key: LogKey): Promise<ReadLog> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw fault(file, `cannot be read (${error.code ?? 'error'})`);
  });
  const lines = text.split('\n');
  const unfinished = lines.pop();
  let last: Pick<LogLine, 'line' | 'code'> = NO_LINE;
  let read: ReadLog | undefined;
  let strange: number | undefined;
  for (const [index, one] of lines.entries()) {
    const line = key.read(one);
    if (line === undefined) {
      strange = index + 1;
      continue;
    }
    if (line.line !== last.line + 1 || line.after !== last.code) throw broken(file, index + 1, strange);
    strange = undefined;
    last = line;
    read = followed(read, file, line);
  }
  if (strange !== undefined || read === undefined) {
    if (lines.length === 0 && unfinished === '') throw fault(file, 'is empty');
    throw broken(file, strange ?? 1, strange);
  }
  return read;
}

function followed(before: ReadLog | undefined, file: string, { at, entry }: LogLine): ReadLog {
  if (entry.is === 'open') {
    const said = Object.entries(entry.tenants);
    const tenants = said.map(([id, { revision, good }]) => [id, { revision, good: new Set(good) }] as const);
    return { file, setBack: entry.set_back, endsAt: at, tenants: new Map(tenants) };
  }
  if (before === undefined) throw fault(file, 'does not begin with its first line');
  const { tenants } = before;
  if (entry.is === 'removed') tenants.set(entry.tenant, undefined);
  if (entry.is === 'change') {
    const good = new Set([...(tenants.get(entry.tenant)?.good ?? []), ...entry.good]);
    for (const ended of entry.ended) good.delete(ended);
    tenants.set(entry.tenant, { revision: entry.revision, good });
  }
  if (entry.is === 'alive')
    for (const [id, revision] of Object.entries(entry.revisions)) {
      const tenant = tenants.get(id);
      if (tenant !== undefined) tenant.revision = revision;
    }
  return { ...before, endsAt: at };
}

function broken(file: string, number: number, strange: number | undefined): ProblemError {
  const what = strange === undefined ? 'before it, lines are missing or were changed' : 'it was changed';
  return fault(`${file}:${strange ?? number}`, `is not as the cloud wrote it with this key: ${what}. ${REMEDY}`);
}

const REMEDY =
  'Give the key that the cloud had, and a copy of the log that nobody has changed, or leave the log out: then all ' +
  'credentials but the operators’ stay off until an operator turns them on';

function fault(place: string, detail: string): ProblemError {
  return new ProblemError('invalid_config', `The revocation log ${place} ${detail}.`);
}
