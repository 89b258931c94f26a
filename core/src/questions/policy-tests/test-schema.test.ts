import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { manifestJsonSchema } from '../../manifest/json-schema.js';
import { testFileJsonSchema } from './test-schema.js';

const page = readFileSync(new URL('../../../../docs/testing.md', import.meta.url), 'utf8');
const shown = [...page.matchAll(/```yaml\n# \S+\.test\.yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
  testFileJsonSchema(manifestJsonSchema()),
);

describe('the JSON Schema of tests', () => {
  it('takes the files that docs/testing.md shows', () => {
    expect(shown).toHaveLength(2);
    for (const yaml of shown) expect(validate(parse(yaml)), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each([
    ['an unknown key of a test', { tests: [{ name: 'a', subjet: 'user:alice' }] }],
    ['an unknown key of a file', { tests: [], clok: '2027-01-31T10:00:00Z' }],
    ['a record of tests that is none', { tests: [], records: { subjects: { alice: 1 } } }],
    ['a file without tests', {}],
  ])('refuses %s', (_, file) => {
    expect(validate(file)).toBe(false);
  });
});
