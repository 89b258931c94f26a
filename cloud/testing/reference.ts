import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { TestAnswer } from './test-cloud.js';

interface Response {
  content?: Record<string, { schema?: object }>;
}

/** One operation of an OpenAPI document. */
export interface Operation {
  method: string;
  /** As in the document: `/v1/roles/{id}`. */
  path: string;
  operationId: string;
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, Response>;
  security: object[];
}

export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

const COMPONENTS = 'components';
const known = new Map<string, Reference>();

/** The reference for this document; clouds whose documents differ only in the address share it. */
export function referenceOf(text: string): Reference {
  const { servers: _, ...document } = JSON.parse(text);
  const name = JSON.stringify(document);
  const reference = known.get(name) ?? new Reference(document);
  known.set(name, reference);
  return reference;
}

/** An OpenAPI document that checks answers. */
export class Reference {
  readonly operations: readonly Operation[];
  /** The answers checked so far: `listRole 200`. */
  readonly seen = new Set<string>();
  readonly #ajv = new Ajv2020({ allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(readonly document: Document) {
    this.operations = Object.entries(document.paths).flatMap(([path, own]) =>
      Object.entries(own).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
    );
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(local({ $id: COMPONENTS, $defs: document.components.schemas }));
  }

  /**
   * Throws if the document does not list the status of this answer, or lists another content type or body. Answers to
   * paths that are not operations are not checked.
   */
  assertDocumented(method: string, path: string, answer: TestAnswer): void {
    const operation = this.#operationOf(method === 'HEAD' ? 'GET' : method, path);
    if (operation === undefined) return;
    const name = `${operation.operationId} ${answer.status}`;
    const response = operation.responses[answer.status];
    if (response === undefined) throw new Error(`not documented: ${name}: ${JSON.stringify(answer.body)}`);
    this.seen.add(name);
    const type = answer.headers.get('content-type')?.split(';')[0];
    const types = Object.keys(response.content ?? {});
    if (types.length === 0 ? type !== undefined : !types.includes(type ?? ''))
      throw new Error(`documented with ${types.join(', ') || 'no content'}, not with ${type}: ${name}`);
    const schema = response.content?.[type ?? '']?.schema;
    if (schema === undefined || method === 'HEAD') return;
    const validate = this.#validatorOf(schema);
    if (!validate(answer.body)) throw new Error(`not as documented: ${name}: ${this.#ajv.errorsText(validate.errors)}`);
  }

  #validatorOf(schema: object): ValidateFunction {
    // Most answers share a few schemas, above all that of problems.
    const text = JSON.stringify(schema);
    const validate = this.#validators.get(text) ?? this.#ajv.compile(local(schema));
    this.#validators.set(text, validate);
    return validate;
  }

  /** A path without parameters takes precedence over one with parameters. */
  #operationOf(method: string, url: string): Operation | undefined {
    const [path = ''] = url.split('?');
    const fits = (pattern: string) => new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
    const pattern = this.document.paths[path] ? path : Object.keys(this.document.paths).find(fits);
    return this.operations.find((one) => one.path === pattern && one.method === method);
  }
}

/** The components become a schema of their own instead of a part of the document. */
function local(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', `"${COMPONENTS}#/$defs/`));
}
