import * as z from 'zod';
import type { JsonObject } from '../../json/json.js';

const text = z.string().min(1);
const attributes = z.record(z.string(), z.json());
const clock = z.iso.datetime({ offset: true, error: 'is not a time: write one like 2027-01-31T10:00:00Z' }).meta({
  description: 'The moment of the questions; unless given, the present one. In quotes or not.',
});
const context = attributes.meta({ description: 'The context of the questions, over that of the file key by key.' });

const subjectDetail = z.strictObject({
  type: text,
  id: text,
  properties: attributes.optional(),
  roles: z.array(text).optional(),
});
const resourceDetail = z.strictObject({ type: text, name: text, properties: attributes.optional() });

const subject = z.union([text, subjectDetail]).meta({
  description:
    'A recorded subject as TYPE:ID or TYPE/ID, a fixture by its name, or a mapping, which may be of nobody recorded.',
});
const resource = z.union([text, resourceDetail]).meta({
  description:
    'A recorded resource as TYPE:NAME or TYPE/NAME, a fixture by its name, or a mapping, which may be of none recorded.',
});
const actionDetail = z.strictObject({ name: text, properties: attributes });
const action = z.union([text, actionDetail]).meta({
  description: 'An action that the type of the resource declares, a fixture by its name, or a mapping with properties.',
});

const environments = z.array(text).min(1).meta({
  description: 'The environments of the tree in which the questions are asked; unless given, in all and in the base.',
});

const common = {
  name: text.meta({ description: 'The expectation in words, once in each file.' }),
  environments: environments.optional(),
  clock: clock.optional(),
  context: context.optional(),
};
const cause = {
  policy: text.meta({ description: 'The path of the deciding policy: `billing/approve-small`.' }).optional(),
  reason: text.meta({ description: 'A text that the reason of the decision contains.' }).optional(),
};

const questionTest = z.strictObject({
  ...common,
  subject,
  action,
  resource,
  expect: z.enum(['allow', 'deny', 'failure']).meta({
    description: '`failure`: a condition fails, so that no decision can be made.',
  }),
  ...cause,
});

const cells = z.strictObject({
  subjects: z.array(subject).min(1).optional(),
  actions: z.array(action).min(1).optional(),
  resources: z.array(resource).min(1).optional(),
  ...cause,
});

const tableTest = z.strictObject({
  ...common,
  subjects: z.array(subject).min(1),
  actions: z.array(action).min(1),
  resources: z.array(resource).min(1),
  allowed: z.array(cells).default([]).meta({
    description:
      'The cells that are allowed; a mapping that leaves something out means all of that in the table. Everything else must be denied.',
  }),
  denied: z.array(cells).default([]).meta({ description: 'Denials whose policy or reason is expected.' }),
});

const whoCanTest = z.strictObject({
  ...common,
  who_can: z.strictObject({ action, resource, subject_type: text.optional() }),
  exactly: z.array(text).meta({ description: 'All recorded subjects that may, and no other: TYPE:ID or TYPE/ID.' }),
});

const whatCanTest = z.strictObject({
  ...common,
  what_can: z.strictObject({
    subject,
    action: action.optional(),
    resource_type: text.optional(),
    resource: resource.optional(),
  }),
  exactly: z.array(text).meta({
    description: 'With `action`, all recorded resources that the subject may act on; with `resource`, all actions.',
  }),
});

const FORMS = { question: questionTest, table: tableTest, who_can: whoCanTest, what_can: whatCanTest } as const;
type Form = keyof typeof FORMS;

const fixtures = z.strictObject({
  subjects: z.record(text, subjectDetail).default({}),
  resources: z.record(text, resourceDetail).default({}),
  actions: z.record(text, actionDetail).default({}),
});

const head = {
  environments: environments.optional(),
  clock: clock.optional(),
  context: context.optional(),
  fixtures: fixtures.prefault({}),
};

/** A file of tests, in which `tests` and `records` are looked at by themselves. */
export const testFileSchema = z.strictObject({
  ...head,
  records: z.unknown().optional(),
  tests: z.array(z.record(z.string(), z.unknown())).min(1),
});

/** The keys of a file of tests, and those of a test of any form, in the order in which they are written. */
export const TEST_FILE_KEYS = Object.keys(testFileSchema.shape);
const testKeys = new Set(Object.values(FORMS).flatMap((form) => Object.keys(form.shape)));
export const TEST_KEYS = [...[...testKeys].filter((key) => key !== 'exactly'), 'exactly'];

export type TestFile = z.output<typeof testFileSchema>;
export type SubjectDetail = z.output<typeof subjectDetail>;
export type ResourceDetail = z.output<typeof resourceDetail>;
export type ActionDetail = z.output<typeof actionDetail>;
export type Cells = z.output<typeof cells>;
export type Test = { [F in Form]: { form: F } & z.output<(typeof FORMS)[F]> }[Form];

/** Which form a test has, by the keys that only that form has. */
export function formOf(test: Record<string, unknown>): { form: Form; schema: z.ZodType<Omit<Test, 'form'>> } {
  const has = (...keys: string[]) => keys.some((key) => key in test);
  const form: Form = has('who_can')
    ? 'who_can'
    : has('what_can')
      ? 'what_can'
      : has('subjects', 'actions', 'resources', 'allowed', 'denied')
        ? 'table'
        : 'question';
  return { form, schema: FORMS[form] as unknown as z.ZodType<Omit<Test, 'form'>> };
}

/** The JSON Schema (2020-12) of a file of tests, for editors. `records` is the schema of the record notation. */
export function testFileJsonSchema(records: JsonObject): JsonObject {
  const { $schema: _, $id: __, title: ___, $defs, required: ____, ...collections } = records;
  const file = z.strictObject({ ...head, records: z.unknown(), tests: z.array(z.union(Object.values(FORMS))).min(1) });
  const schema = z.toJSONSchema(file, { io: 'input' }) as unknown as JsonObject & { properties: JsonObject };
  const description = 'Records that only these tests have beside those of the tree, in the same notation.';
  return {
    ...schema,
    $id: 'urn:authz-service:tests:1',
    title: 'Tests of a tenant',
    properties: { ...schema.properties, records: { description, ...collections } },
    required: ['tests'],
    $defs: { ...(schema.$defs as JsonObject | undefined), ...($defs as JsonObject) },
  };
}
