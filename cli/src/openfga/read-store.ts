import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { inexactText } from '@authz-service/core/json/exact-number';
import type { Json, JsonObject } from '@authz-service/core/json/json';
import { parseJson } from '@authz-service/core/json/parse-json';
import type { SourcePlace } from '@authz-service/core/manifest/manifest';
import { ProblemError } from '@authz-service/core/problem';
import { isMap, isSeq, LineCounter, type Node, parseDocument, type Scalar, visit } from 'yaml';
import * as z from 'zod';
import { systemReason } from '../errors/failure.js';
import { UsageError } from '../errors/usage-error.js';
import { relativePath } from '../tree/relative-path.js';
import type { ModelJson, PlaceOf } from './model.js';
import type { WrittenTuple } from './tuple.js';

const text = z.string().min(1);
const context = z.record(z.string(), z.json());
const tupleSchema = z.looseObject({
  user: text,
  relation: text,
  object: text,
  condition: z.looseObject({ name: text, context: context.nullish() }).optional(),
});
const checkSchema = z.strictObject({
  user: text.optional(),
  users: z.array(text).optional(),
  object: text.optional(),
  objects: z.array(text).optional(),
  context: context.optional(),
  assertions: z.record(text, z.boolean()),
});
const testSchema = z.strictObject({
  name: text.optional(),
  description: z.string().optional(),
  tuples: z.array(tupleSchema).nullish(),
  tuple_file: text.optional(),
  tuple_files: z.array(text).optional(),
  check: z.array(checkSchema).nullish(),
  list_objects: z
    .array(
      z.strictObject({
        user: text,
        type: text,
        context: context.optional(),
        assertions: z.record(text, z.array(text).nullable()),
      }),
    )
    .nullish(),
  list_users: z
    .array(
      z.strictObject({
        object: text,
        user_filter: z.array(z.strictObject({ type: text, relation: text.optional() })).min(1),
        context: context.optional(),
        assertions: z.record(text, z.strictObject({ users: z.array(text).nullable() })),
      }),
    )
    .nullish(),
});
const storeSchema = z.strictObject({
  name: text.optional(),
  model: text.optional(),
  model_file: text.optional(),
  tuples: z.array(tupleSchema).nullish(),
  tuple_file: text.optional(),
  tuple_files: z.array(text).optional(),
  tests: z.array(testSchema).nullish(),
});

/** The schema that tells a model in JSON from any other JSON. */
const modelSchema = z.looseObject({
  type_definitions: z
    .array(z.looseObject({ type: text, relations: z.record(text, z.looseObject({})).nullish() }))
    .min(1),
});

export type StoreTest = Omit<z.output<typeof testSchema>, 'tuples'> & { tuples: WrittenTuple[]; place: SourcePlace };

/** A store file with everything that it names. */
export interface Store {
  name: string | undefined;
  model: ModelJson;
  placeOf: PlaceOf;
  tuples: WrittenTuple[];
  tests: StoreTest[];
}

/** Reads `STORE.fga.yaml`, its model and its tuples. Throws `UsageError` with file and line. */
export async function readStore(file: string): Promise<Store> {
  const source = new YamlSource(file, await readText(file));
  const store = source.parse(storeSchema);
  const beside = (name: string) => join(dirname(file), name);
  const { model, placeOf } = await readModelText(store, source, beside);
  const tests: StoreTest[] = [];
  for (const [index, test] of (store.tests ?? []).entries()) {
    tests.push({
      ...test,
      tuples: await tuplesOf(test, source, ['tests', index], beside),
      place: source.place(['tests', index]),
    });
  }
  return { name: store.name, model, placeOf, tuples: await tuplesOf(store, source, [], beside), tests };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`"${relativePath(file)}" cannot be read: ${systemReason(error as NodeJS.ErrnoException)}.`);
  }
}

/** A YAML document that knows where its values are. */
class YamlSource {
  readonly #lines = new LineCounter();
  readonly #document;

  constructor(
    readonly file: string,
    yaml: string,
  ) {
    this.#document = parseDocument(yaml, { lineCounter: this.#lines });
    const [error] = this.#document.errors;
    if (error !== undefined) {
      const { line, col } = this.#lines.linePos(error.pos[0]);
      throw new UsageError(`${relativePath(file)}:${line}:${col}: ${error.message.split('\n')[0]}`);
    }
    visit(this.#document, { Scalar: (_, node) => this.#checkNumber(node) });
  }

  /** Refuses a number that is not kept as it is written, as trees of records do. */
  #checkNumber({ value, source = String(value), range }: Scalar): void {
    if (typeof value !== 'number' && typeof value !== 'bigint') return;
    const inexact = inexactText(source, Number(value));
    if (inexact === undefined) return;
    const { line, col } = this.#lines.linePos(range?.[0] ?? 0);
    throw new UsageError(
      `${relativePath(this.file)}:${line}:${col}: ${source} ${inexact}: write "${source}" in quotes.`,
    );
  }

  parse<T>(schema: z.ZodType<T>): T {
    const parsed = schema.safeParse(this.#document.toJS({ maxAliasCount: 1000 }));
    if (parsed.success) return parsed.data;
    const faults = parsed.error.issues.map((issue) => {
      const { file, line, column } = this.place(issue.path);
      const what = issue.path.length === 0 ? 'the file' : issue.path.join('.');
      return `${file}:${line}:${column}: ${what}: ${issue.message}`;
    });
    if (faults.length === 1) throw new UsageError(faults[0] ?? '');
    throw new UsageError(`"${this.file}" is no store file that is understood.`, undefined, faults);
  }

  /** The place of a value, or of the nearest one around it. */
  place(path: readonly PropertyKey[]): SourcePlace {
    let node: unknown = this.#document.contents;
    for (const key of path) {
      const inner: unknown = isMap(node) || isSeq(node) ? node.get(key as string | number, true) : undefined;
      if (inner === undefined || inner === null) break;
      node = inner;
    }
    const { line, col } = this.#lines.linePos((node as Node | null)?.range?.[0] ?? 0);
    return { file: relativePath(this.file), line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}

interface TupleSources {
  tuples?: z.output<typeof tupleSchema>[] | null | undefined;
  tuple_file?: string | undefined;
  tuple_files?: string[] | undefined;
}

async function tuplesOf(
  { tuples, tuple_file, tuple_files = [] }: TupleSources,
  source: YamlSource,
  path: readonly PropertyKey[],
  beside: (name: string) => string,
): Promise<WrittenTuple[]> {
  const found = (tuples ?? []).map((tuple, at) => written(tuple, source.place([...path, 'tuples', at])));
  for (const name of [...(tuple_file === undefined ? [] : [tuple_file]), ...tuple_files]) {
    found.push(...(await readTupleFile(beside(name))));
  }
  return found;
}

function written(
  { user, relation, object, condition }: z.output<typeof tupleSchema>,
  place: SourcePlace,
): WrittenTuple {
  const given = condition && { name: condition.name, context: (condition.context ?? {}) as Record<string, Json> };
  return { user, relation, object, place, ...(given && { condition: given }) };
}

async function readTupleFile(file: string): Promise<WrittenTuple[]> {
  const content = await readText(file);
  if (file.endsWith('.csv')) return csvTuples(content, file);
  // JSON is YAML, which knows its lines.
  const source = new YamlSource(file, content);
  return source.parse(z.array(tupleSchema)).map((tuple, at) => written(tuple, source.place([at])));
}

/** The format of `fga tuple write --file tuples.csv`. */
function csvTuples(content: string, file: string): WrittenTuple[] {
  const [heading, ...rows] = csvRows(content);
  const columns = heading?.cells ?? [];
  for (const name of ['user_type', 'user_id', 'relation', 'object_type', 'object_id']) {
    if (!columns.includes(name)) throw new UsageError(`${relativePath(file)}:1:1: the column "${name}" is missing.`);
  }
  return rows.map(({ cells, line }) => {
    const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
    const place = { file: relativePath(file), line, column: 1 };
    const context = cell('condition_context');
    const parsed = context === '' ? {} : contextOf(context, `${place.file}:${line}:1: the condition_context`);
    const relation = cell('user_relation') === '' ? '' : `#${cell('user_relation')}`;
    return {
      user: `${cell('user_type')}:${cell('user_id')}${relation}`,
      relation: cell('relation'),
      object: `${cell('object_type')}:${cell('object_id')}`,
      place,
      ...(cell('condition_name') !== '' && { condition: { name: cell('condition_name'), context: parsed } }),
    };
  });
}

function contextOf(text: string, subject: string): JsonObject {
  try {
    const given = parseJson(text, subject);
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  } catch (error) {
    if (error instanceof ProblemError) throw new UsageError(error.message);
    throw error;
  }
  throw new UsageError(`${subject} is no JSON object.`);
}

/** Rows of RFC 4180 that are not empty, with the lines they begin in. */
function csvRows(content: string): { cells: string[]; line: number }[] {
  const rows: { cells: string[]; line: number }[] = [];
  let line = 1;
  let cells: string[] = [];
  let begun = line;
  for (const [, quoted, plain = '', end] of content.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    line += quoted?.split('\n').length ? quoted.split('\n').length - 1 : 0;
    if (end === ',') continue;
    if (cells.some((cell) => cell !== '')) rows.push({ cells, line: begun });
    line++;
    begun = line;
    cells = [];
  }
  return rows;
}

/** Reads the model by OpenFGA's own parser, which is loaded for this alone. */
async function readModelText(
  { model, model_file }: z.output<typeof storeSchema>,
  source: YamlSource,
  beside: (name: string) => string,
): Promise<Pick<Store, 'model' | 'placeOf'>> {
  const { transformer, errors } = (await import('@openfga/syntax-transformer')).default;
  const files: { name: string; contents: string; offset: number }[] = [];
  try {
    if (model !== undefined) {
      const start = source.place(['model']).line;
      files.push({ name: source.file, contents: model, offset: start });
      return { model: transformer.transformDSLToJSONObject(model) as ModelJson, placeOf: placesIn(files) };
    }
    if (model_file === undefined) {
      throw new UsageError(`${relativePath(source.file)}:1:1: there is no model: write "model:" or "model_file:".`);
    }
    const file = beside(model_file);
    const contents = await readText(file);
    if (!file.endsWith('.mod')) {
      files.push({ name: file, contents, offset: 0 });
      if (file.endsWith('.json')) {
        new YamlSource(file, contents).parse(modelSchema);
        return { model: JSON.parse(contents) as ModelJson, placeOf: placesIn(files) };
      }
      return { model: transformer.transformDSLToJSONObject(contents) as ModelJson, placeOf: placesIn(files) };
    }
    const module = transformer.transformModFileToJSON(contents);
    const folder = dirname(file);
    for (const { value } of module.contents.value) {
      const inside = resolve(folder, value);
      if (relative(folder, inside).split(sep)[0] === '..')
        throw new UsageError(`"${value}" leads out of the folder of ${model_file}.`);
      files.push({ name: inside, contents: await readText(inside), offset: 0 });
    }
    const json = transformer.transformModuleFilesToModel(files, module.schema.value);
    return { model: json as ModelJson, placeOf: placesIn(files) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const inner = (error as InstanceType<typeof errors.DSLSyntaxError>).errors;
    if (!Array.isArray(inner)) throw new UsageError(`The model cannot be read: ${(error as Error).message}.`);
    const faults = inner.map((one) => {
      const { file = files[0]?.name ?? source.file, line } = one as { file?: string; line?: { start: number } };
      const offset = files.find(({ name }) => name === file)?.offset ?? 0;
      return `${relativePath(file)}:${(line?.start ?? 0) + 1 + offset}: ${one.message}`;
    });
    throw new UsageError(`The model is not valid.`, undefined, faults);
  }
}

/** Returns where the model's text defines a relation or a condition. Its grammar begins each on a line of its own. */
function placesIn(files: readonly { name: string; contents: string; offset: number }[]): PlaceOf {
  const found = new Map<string, SourcePlace>();
  for (const { name, contents, offset } of files) {
    let type = '';
    for (const [index, line] of contents.split('\n').entries()) {
      const [, typeName] = /^\s*(?:extend\s+)?type\s+([^\s#]+)/.exec(line) ?? [];
      if (typeName !== undefined) type = typeName;
      const [, relation] = /^\s*define\s+([^\s:]+)\s*:/.exec(line) ?? [];
      const [, condition] = /^\s*condition\s+([^\s(]+)\s*\(/.exec(line) ?? [];
      const place = { file: relativePath(name), line: index + 1 + offset, column: line.search(/\S/) + 1 };
      if (relation !== undefined) found.set(`${type}#${relation}`, place);
      if (condition !== undefined) found.set(condition, place);
    }
  }
  return (what) => {
    const key = 'condition' in what ? what.condition : `${what.type}#${what.relation}`;
    return found.get(key) ?? { file: relativePath(files[0]?.name ?? ''), line: 1, column: 1 };
  };
}
