import type * as z from 'zod';
import type { Json } from '../../json/json.js';
import { expectedMapping } from '../../manifest/describe.js';
import { documentsOf, sourceOf } from '../../manifest/documents.js';
import { nodeAt, type Origin } from '../../manifest/locate.js';
import type { ManifestFault, ManifestFile, SourcePlace } from '../../manifest/manifest.js';
import { Findings } from '../../manifest/source.js';
import { UNUSABLE, type YamlDocument } from '../../manifest/yaml-document.js';
import { isEmpty } from '../../manifest/yaml-node.js';
import { describe, YAML_WORDS } from '../../records/describe.js';
import { valueAt } from '../../records/issue-faults.js';
import { issueText, unknownKeyText } from '../../records/issue-text.js';
import { keysAt } from '../../records/schema-shape.js';
import { formOf, type Test, type TestFile, testFileSchema } from './test-schema.js';

type Path = readonly PropertyKey[];

/** A file of tests as written, with the place of everything in it. */
export class ReadTestFile {
  readonly tests: { test: Test; path: Path }[] = [];
  head: Pick<TestFile, 'clock' | 'context' | 'environments' | 'fixtures'> = {
    fixtures: { subjects: {}, resources: {}, actions: {} },
  };
  /** The records that only these tests have, as a file of their own with the places of this one. */
  records: ManifestFile | undefined;
  /** Whether the names in its tests can be looked up: what fixtures it has is known. */
  hasHead = false;
  readonly #findings = new Findings();
  #origin: Origin | undefined;

  constructor(readonly path: string) {}

  get faults(): ManifestFault[] {
    return this.#findings.faults;
  }

  get warnings(): ManifestFault[] {
    return this.#findings.warnings;
  }

  /** The place of a value, or of its key. */
  placeOf(path: Path, ofKey = false): SourcePlace {
    if (this.#origin === undefined) return { file: this.path, line: 1, column: 1 };
    const node = nodeAt(this.#origin, path, ofKey);
    return this.#origin.document.place(node);
  }

  fault(path: Path, detail: string, ofKey = false): void {
    this.faults.push({ ...this.placeOf(path, ofKey), detail: labelled(path, detail) });
  }

  static read(written: ManifestFile): ReadTestFile {
    const file = new ReadTestFile(written.path);
    const documents = documentsOf(written, sourceOf(written), file.#findings).filter(({ root }) => !isEmpty(root));
    const [document, second] = documents;
    if (second !== undefined)
      second.fault(second.root, { label: '' }, 'A file of tests is one document: remove "---".');
    if (file.faults.length === 0 && document === undefined) {
      file.fault([], 'The file is empty: write "tests:" and a list of tests.');
    }
    if (document !== undefined && file.faults.length === 0) file.#take(document);
    return file;
  }

  #take(document: YamlDocument): void {
    const { root, source } = document;
    if (root.type !== 'map') {
      document.fault(root, { label: '' }, `The document ${expectedMapping(root)}`);
      return;
    }
    const entries = document.entries(root, () => ({ label: '' }));
    this.#origin = { document, node: root, parts: entries, input: {} };
    const value: { [key: string]: Json } = Object.create(null);
    for (const { key, value: node } of entries) {
      if (key === 'records') {
        this.records = { path: this.path, text: alone(source.text, node.start, node.end) };
        continue;
      }
      const json = document.json(node, () => ({ label: key }), true);
      if (json === UNUSABLE) return;
      value[key] = json;
    }
    const parsed = this.#parse(testFileSchema, value, []);
    const { clock, context, environments, fixtures, tests } = parsed ?? {
      fixtures: this.head.fixtures,
      tests: mappings(value.tests),
    };
    this.hasHead = parsed !== undefined;
    this.head = {
      fixtures,
      ...(clock !== undefined && { clock }),
      ...(context !== undefined && { context }),
      ...(environments !== undefined && { environments }),
    };
    const names = new Map<string, Path>();
    for (const [index, written] of tests.entries()) {
      const path = ['tests', index];
      const { form, schema } = formOf(written);
      const test = this.#parse(schema, written as Json, path);
      if (test === undefined) continue;
      const first = names.get(test.name);
      if (first !== undefined) {
        const { file, line, column } = this.placeOf(first);
        this.fault(
          [...path, 'name'],
          `"${test.name}" is also the name of the test at ${file}:${line}:${column}: choose another.`,
        );
      }
      names.set(test.name, path);
      this.tests.push({ test: { form, ...test } as Test, path });
    }
  }

  /** Leaves out the tests that are not for this environment, or with none not for the base. */
  keepFor(environment: string | undefined): void {
    const isFor = (names: readonly string[] | undefined) =>
      names === undefined || (environment !== undefined && names.includes(environment));
    const kept = isFor(this.head.environments) ? this.tests.filter(({ test }) => isFor(test.environments)) : [];
    this.tests.splice(0, this.tests.length, ...kept);
  }

  #parse<T>(schema: z.ZodType<T>, value: Json, at: Path): T | undefined {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) this.#report(schema, issue, value, at);
    return undefined;
  }

  #report(schema: z.core.$ZodType, issue: z.core.$ZodIssue, value: Json, at: Path): void {
    const found = valueAt(value, issue.path);
    const path = [...at, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      const known = keysAt(schema, issue.path) ?? knownAt(issue.path);
      for (const key of issue.keys) this.fault([...path, key], unknownKeyText(key, known), true);
      return;
    }
    if (issue.code === 'invalid_union') {
      // A subject, resource or action: a text, or a mapping whose own faults say more.
      const [, ofMapping] = issue.errors;
      if (isMapping(found) && ofMapping !== undefined) {
        for (const inner of ofMapping)
          this.#report(schema, { ...inner, path: [...issue.path, ...inner.path] }, value, at);
        return;
      }
      const remedy = isActionAt(path) ? 'a name' : 'TYPE and NAME with a colon';
      this.fault(path, `${describe(found, YAML_WORDS)}: write ${remedy}, the name of a fixture, or a mapping.`);
      return;
    }
    this.fault(path, issueText(issue, found, YAML_WORDS));
  }
}

/** Returns what can be looked at of a list of tests in a file with other faults. */
function mappings(tests: Json | undefined): Record<string, Json>[] {
  return Array.isArray(tests) && tests.every(isMapping) ? (tests as Record<string, Json>[]) : [];
}

function isActionAt(path: Path): boolean {
  return path.some((part) => part === 'action' || part === 'actions');
}

function knownAt(path: Path): string[] {
  if (isActionAt(path)) return ['name', 'properties'];
  const resource = path.some((part) => part === 'resource' || part === 'resources');
  return resource ? ['type', 'name', 'properties'] : ['type', 'id', 'properties', 'roles'];
}

function isMapping(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `tests[2].resource: …`. */
function labelled(path: Path, detail: string): string {
  const label = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return label === '' ? detail : `${label.slice(1)}: ${detail}`;
}

/** The text between two offsets with all before and after it blank, so that everything keeps its line and column. */
function alone(text: string, start: number, end: number): string {
  return text.slice(0, start).replace(/[^\n]/g, ' ') + text.slice(start, end);
}
