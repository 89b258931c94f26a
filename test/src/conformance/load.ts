import { readdirSync, readFileSync } from 'node:fs';
import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { KINDS, type Kind } from '@authz-service/core/records/kinds';
import { addressOf, definitionOf } from '@authz-service/core/records/registry';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

const FOLDER = new URL('../../conformance/', import.meta.url);

/** The time for cases that give none: a Thursday. */
const NOW = '2026-01-15T12:00:00Z';

const expectation = z.union([
  z.strictObject({
    decision: z.boolean(),
    access_path: z.enum(['direct', 'role', 'group', 'none']),
    /** The address of the deciding policy; absent if none applied. */
    policy: z.string().optional(),
    /** The whole text. */
    reason: z.string().optional(),
  }),
  z.strictObject({
    error: z.enum(['ambiguous_name', 'evaluation_failed', 'invalid_request']),
    /** Each occurs somewhere in the detail. */
    detail: z.array(z.string()).optional(),
    /** The pointers of all faults of `invalid_request`, in any order. */
    pointers: z.array(z.string()).optional(),
  }),
]);

/** Each a map of one kind to the fields of a record. */
export const recordList = z.array(z.partialRecord(z.enum(KINDS), z.record(z.string(), z.unknown())));

const conformanceCase = z.strictObject({
  name: z.string(),
  /**
   * The records of the case; the tenant holds them together with those that all its cases share and those of the other
   * cases.
   */
  records: recordList.default([]),
  /** Set if the answer depends on the clock: such a case cannot be sent to a running service. */
  now: z.iso.datetime({ offset: true }).optional(),
  /** The body of the request. A string `id of ADDRESS` stands for the id of that record. */
  request: z.unknown(),
  expect: expectation,
});

type CaseSchema = z.ZodType<{ records: z.output<typeof recordList> }>;

const tenantOf = <C extends CaseSchema>(oneCase: C) =>
  z.strictObject({
    about: z.string(),
    /** The rules of docs/semantics.md that the cases test. */
    rules: z.array(z.string()).min(1),
    /** The records that the cases share. */
    records: recordList,
    cases: z.array(oneCase).min(1),
  });

export type ConformanceCase = z.infer<typeof conformanceCase>;

/** A small tenant with the requests to send to it. */
export interface ConformanceTenant<C = ConformanceCase> {
  file: string;
  about: string;
  rules: string[];
  records: EngineRecord[];
  cases: C[];
}

/** Reads every tenant of `test/conformance`; throws if a file is malformed. */
export function loadConformance(): ConformanceTenant[] {
  return loadTenants(FOLDER, conformanceCase);
}

/** Reads every tenant of a folder, whose cases are such. */
export function loadTenants<C extends CaseSchema>(folder: URL, oneCase: C): ConformanceTenant<z.infer<C>>[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return files.sort().flatMap((file) => readTenants(file, readFileSync(new URL(file, folder), 'utf8'), oneCase));
}

function readTenants<C extends CaseSchema>(file: string, text: string, oneCase: C): ConformanceTenant<z.infer<C>>[] {
  const tenant = tenantOf(oneCase);
  return parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`${file}: ${error.message}`);
    const read = tenant.safeParse(document.toJS());
    if (!read.success) throw new Error(`${file}: ${z.prettifyError(read.error)}`);
    const { about, rules, records, cases } = read.data;
    const all = [...records, ...cases.flatMap((one) => one.records)];
    return { file, about, rules, records: all.map((record, at) => recordOf(file, record, at)), cases };
  });
}

function recordOf(file: string, record: Partial<Record<Kind, Record<string, unknown>>>, at: number): EngineRecord {
  const [kind, ...others] = Object.keys(record) as Kind[];
  if (kind === undefined || others.length > 0) throw new Error(`${file}: record ${at} must have one kind`);
  const fields = definitionOf(kind).schema.safeParse(record[kind]);
  if (!fields.success) throw new Error(`${file}: record ${at}: ${z.prettifyError(fields.error)}`);
  const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
  return { kind, id, fields: fields.data } as unknown as EngineRecord;
}

/** The body with ids in the place of `id of ADDRESS`. */
export function withIds(body: unknown, idOf: (address: string) => string): unknown {
  return JSON.parse(JSON.stringify(body ?? null), (_, value) =>
    typeof value === 'string' && value.startsWith('id of ') ? idOf(value.slice('id of '.length)) : value,
  );
}

export function momentOf(one: ConformanceCase): number {
  return Date.parse(one.now ?? NOW);
}

export function idsOf(records: readonly EngineRecord[]): (address: string) => string {
  const ids = new Map(records.map((record) => [addressOf(record.kind, { ...record.fields }), record.id]));
  return (address) => {
    const id = ids.get(address);
    if (id === undefined) throw new Error(`no record "${address}"`);
    return id;
  };
}
