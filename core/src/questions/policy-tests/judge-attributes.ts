import type { JsonObject } from '../../json/json.js';
import { quote } from '../../records/describe.js';
import type { PropertyType } from '../../records/fields.js';
import type { Schemas } from '../../state/schemas.js';
import { propertyTypeOf } from '../../state/validate-properties.js';
import { nearest, slipOf } from '../../text/nearest.js';
import type { ReadTestFile } from './read-test-file.js';
import type { SubjectDetail, Test } from './test-schema.js';

type Path = readonly PropertyKey[];

/**
 * Reports what a file of tests says of subjects and contexts and no schema knows: otherwise the question would be another
 * one than is meant. Values of other types than declared are what a test of a failure is about.
 */
export function judgeAttributes(file: ReadTestFile, schemas: Schemas): void {
  const judge = new AttributeJudge(file, schemas);
  judge.context(file.head.context, ['context']);
  for (const [name, detail] of Object.entries(file.head.fixtures.subjects))
    judge.subject(detail, ['fixtures', 'subjects', name]);
  for (const { test, path } of file.tests) {
    const anyValue = test.form === 'question' && test.expect === 'failure';
    judge.context(test.context, [...path, 'context'], anyValue);
    for (const [subject, at] of subjectsOf(test)) judge.subject(subject, [...path, ...at], anyValue);
  }
}

/** The subjects that a test asks about, and where they stand in it. */
function subjectsOf(test: Test): [subject: string | SubjectDetail, path: Path][] {
  if (test.form === 'question') return [[test.subject, ['subject']]];
  if (test.form === 'table') return test.subjects.map((subject, index) => [subject, ['subjects', index]]);
  return test.form === 'what_can' ? [[test.what_can.subject, ['what_can', 'subject']]] : [];
}

class AttributeJudge {
  constructor(
    private readonly file: ReadTestFile,
    private readonly schemas: Schemas,
  ) {}

  context(attributes: JsonObject | undefined, path: Path, anyValue = false): void {
    const { contextAttributes: declared } = this.schemas;
    for (const [name, value] of Object.entries(attributes ?? {})) {
      const wanted = declared.get(name);
      const meant = wanted === undefined && !READ.has(name) ? slipOf(name, declared.keys()) : undefined;
      if (meant !== undefined) {
        const text = `nobody declares a context attribute ${quote(name)}: did you mean ${quote(meant)}? If not, declare it, too.`;
        this.file.fault([...path, name], text, true);
      } else if (wanted !== undefined && !anyValue) {
        this.#value(value, wanted, `the context attribute ${quote(name)} is declared`, [...path, name]);
      }
    }
  }

  subject(written: string | SubjectDetail, path: Path, anyValue = false): void {
    if (typeof written === 'string') return;
    const { type, properties = {} } = written;
    const { subjectTypes } = this.schemas;
    const meant = subjectTypes.has(type) ? undefined : slipOf(type, subjectTypes.keys());
    if (meant !== undefined) {
      const text = `nobody declares a subject type ${quote(type)}: did you mean ${quote(meant)}? If not, declare it, too.`;
      this.file.fault([...path, 'type'], text);
    }
    const declared = subjectTypes.get(type);
    if (declared === undefined) return;
    for (const [name, value] of Object.entries(properties)) {
      const at = [...path, 'properties', name];
      const wanted = Object.hasOwn(declared, name) ? declared[name] : undefined;
      if (wanted === undefined) {
        const near = nearest(name, Object.keys(declared));
        const remedy = near === undefined ? 'declare it there, or take it out.' : `did you mean ${quote(near)}?`;
        this.file.fault(at, `the subject type ${quote(type)} declares no property ${quote(name)}: ${remedy}`, true);
      } else if (!anyValue) {
        this.#value(value, wanted, `the subject type ${quote(type)} declares it`, at);
      }
    }
  }

  #value(value: unknown, wanted: PropertyType, who: string, path: Path): void {
    const found = propertyTypeOf(value);
    if (wanted === 'any' || found === wanted) return;
    const remedy = 'write one, or expect a failure in a question of its own';
    this.file.fault(path, `the value is a ${found}, but ${who} as ${wanted}: ${remedy}.`);
  }
}

/** Context attributes that modifiers read, which everybody knows. */
const READ: ReadonlySet<string> = new Set(['ip', 'mfa', 'time']);
