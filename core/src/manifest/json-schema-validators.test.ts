/** The YAML's JSON Schema before validators of two languages, by all examples. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { testFileJsonSchema } from '../questions/policy-tests/test-schema.js';
import { environmentJsonSchema, manifestJsonSchema } from './json-schema.js';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
/** The organizations from which an example makes its tenant are no records. */
const documents = readdirSync(examples, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml') && !/node_modules|(^|[\\/])(dist|organizations)[\\/]/.test(file))
  .sort();
const isTest = (file: string) => file.endsWith('.test.yaml');
const files = documents.filter((file) => !isTest(file));
const schema = manifestJsonSchema();
const testsSchema = testFileJsonSchema(schema);
const good = files.map((file) => parse(readFileSync(join(examples, file), 'utf8')) as unknown);
const bad = [
  'version: 2',
  'version: 1\nrolez: {}',
  'version: 1\nsubjects: { alice: {} }',
  'version: 1\napplications: { a: { resource_types: { t: { actions: ["a b"] } } } }',
  'version: 1\napplications: { a: { resource_types: { t: { actions: ["a\\u0085b"] } } } }',
  'version: 1\napi_keys: { k: { scopes: [decisions], expires_at: tomorrow } }',
].map((text) => parse(text) as unknown);

/** The validity of each document to a validator. */
const expected = [...good.map(() => true), ...bad.map(() => false)];

const PYTHON = `
import json, sys
from jsonschema import Draft202012Validator
given = json.load(sys.stdin)
Draft202012Validator.check_schema(given["schema"])
validator = Draft202012Validator(given["schema"])
print(json.dumps([validator.is_valid(document) for document in given["documents"]]))
`;

const hasPython = spawnSync('python3', ['-c', 'import jsonschema']).status === 0;
if (!hasPython)
  console.warn(
    'SKIPPED: python3 with jsonschema is not here (Debian: python3-jsonschema); only JavaScript has judged.',
  );

describe('the JSON Schema of the YAML', () => {
  it('has examples to judge, and a name', () => {
    expect(files.length).toBeGreaterThan(5);
    expect(schema.$id).toBe('urn:authz-service:manifest:1');
  });

  it('means the same to a validator in JavaScript', () => {
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false }).compile(schema);
    expect([...good, ...bad].map((document) => validate(document))).toEqual(expected);
  });

  it.skipIf(!hasPython)('means the same to a validator in Python', () => {
    const input = JSON.stringify({ schema, documents: [...good, ...bad] });
    const { status, stdout, stderr } = spawnSync('python3', ['-c', PYTHON], { input, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(expected);
  });
});

describe('the JSON Schema of environments', () => {
  const page = readFileSync(join(examples, '../docs/environments.md'), 'utf8');
  const block = (name: string) => new RegExp(`\`\`\`yaml\n# ${name}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';
  const validator = (of: object) =>
    new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false }).compile(of);

  it('takes the files of the page, and that of trees its variables', () => {
    expect(validator(environmentJsonSchema())(parse(block('environments/prod.yaml')))).toBe(true);
    expect(validator(schema)(parse(block('billing.yaml')))).toBe(true);
  });

  it.each([
    ['an unknown key', 'patches: {}'],
    ['links as a list', 'change: { groups: { g: { members: [user/ann] } } }'],
    ['an unknown field', 'change: { subjects: { user/ann: { nam: Ann } } }'],
    ['what is no address', 'remove: [5]'],
  ])('refuses %s', (_, text) => {
    expect(validator(environmentJsonSchema())(parse(text))).toBe(false);
  });
});

describe('the examples', () => {
  it('come with the schema of this version', () => {
    const text = `${JSON.stringify(schema, undefined, 2)}\n`;
    expect(readFileSync(join(examples, 'schema.json'), 'utf8'), 'run: servicectl schema > examples/schema.json').toBe(
      text,
    );
  });

  it.each(documents.filter(isTest))('%s is valid as a file of tests', (file) => {
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false }).compile(testsSchema);
    expect([validate(parse(readFileSync(join(examples, file), 'utf8'))), validate.errors]).toEqual([true, null]);
  });

  it('come with the schema of tests of this version', () => {
    const text = `${JSON.stringify(testsSchema, undefined, 2)}\n`;
    const committed = readFileSync(join(examples, 'tests-schema.json'), 'utf8');
    expect(committed, 'run: servicectl schema --tests > examples/tests-schema.json').toBe(text);
  });

  it.each(documents)('%s names it, where an editor looks', (file) => {
    const text = readFileSync(join(examples, file), 'utf8');
    const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? '';
    const at = join(examples, dirname(file), named);
    expect(at).toBe(join(examples, isTest(file) ? 'tests-schema.json' : 'schema.json'));
    expect(existsSync(at)).toBe(true);
  });
});
