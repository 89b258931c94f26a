import type { JsonObject } from '@authz-service/core/json/json';
import { boolean } from '@oclif/core/flags';
import { type Outcome, ServiceCommand } from '../service-command.js';

export default class Schema extends ServiceCommand {
  static override summary = 'Print the JSON Schema of the YAML files, for editors.';
  static override description =
    `Editors that understand JSON Schema complete and check the files as you type. "servicectl init" writes this schema to \
.service/schema.json, and that of tests to .service/tests.json, and names them in each file, in a line that the YAML language server \
reads. Write them again after you update this program.`;
  static override examples = [
    { description: 'Update the schema of a tree', command: 'servicectl schema > .service/schema.json' },
    { description: 'The schema of *.test.yaml', command: 'servicectl schema --tests > .service/tests.json' },
    {
      description: 'The schema of environments/*.yaml',
      command: 'servicectl schema --environments > .service/environment.json',
    },
  ];
  static override flags = {
    tests: boolean({ description: 'The schema of files of tests instead.', exclusive: ['environments'] }),
    environments: boolean({ description: 'The schema of files in "environments" instead.' }),
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(Schema);
    const { environmentJsonSchema, manifestJsonSchema } = await import('@authz-service/core/manifest/json-schema');
    const own = flags.environments ? environmentJsonSchema() : manifestJsonSchema();
    const schema = flags.tests ? await testsSchema(own) : own;
    return { json: schema, text: JSON.stringify(schema, undefined, 2) };
  }
}

async function testsSchema(records: JsonObject): Promise<JsonObject> {
  const { testFileJsonSchema } = await import('@authz-service/core/questions/policy-tests/test-schema');
  return testFileJsonSchema(records);
}
