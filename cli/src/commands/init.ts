import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { string as stringArgument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { UsageError } from '../errors/usage-error.js';
import { out } from '../output/terminal.js';
import { SCHEMA_PATH, scaffold, scaffoldTests, TESTS_SCHEMA_PATH } from '../scaffold/files.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { relativePath } from '../tree/relative-path.js';

export default class Init extends ServiceCommand {
  static override summary = 'Write a small, commented tree to start from.';
  static override description =
    `Writes tenant.yaml, people.yaml, applications/helpdesk.yaml and tests of them, and the JSON Schemas that \
editors use to complete and check them. Existing files are never overwritten.`;
  static override examples = [
    { description: 'In this folder', command: 'servicectl init' },
    {
      description: 'In a new folder, for one tenant only',
      command: 'servicectl init access --stack access --tenant acme',
    },
  ];
  static override args = {
    dir: stringArgument({
      description: 'The folder to write to; created if it does not exist.',
      default: '.',
      ignoreStdin: true,
    }),
  };
  static override flags = {
    stack: string({
      description: 'The owner of the records that the tree declares.',
      default: 'default',
      helpValue: 'NAME',
    }),
    tenant: string({ description: 'The only tenant the tree may be applied to.', helpValue: 'NAME' }),
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Init);
    const [{ manifestJsonSchema }, { testFileJsonSchema }] = await Promise.all([
      import('@authz-service/core/manifest/json-schema'),
      import('@authz-service/core/questions/policy-tests/test-schema'),
    ]);
    const schema = manifestJsonSchema();
    const files = [
      ...scaffold(flags),
      scaffoldTests,
      { path: SCHEMA_PATH, text: `${JSON.stringify(schema, undefined, 2)}\n` },
      { path: TESTS_SCHEMA_PATH, text: `${JSON.stringify(testFileJsonSchema(schema), undefined, 2)}\n` },
    ].map((file) => ({ ...file, path: join(args.dir, file.path) }));

    const present = (await Promise.all(files.map(async ({ path }) => ((await exists(path)) ? [path] : [])))).flat();
    if (present.length > 0) {
      const names = present.map((path) => relativePath(path)).join(', ');
      throw new UsageError(`Nothing was written, because these exist already: ${names}. Give another folder.`);
    }
    for (const { path, text } of files) {
      await mkdir(dirname(path), { recursive: true });
      // A file that appears in between is not overwritten, either.
      await writeFile(path, text, { flag: 'wx' });
    }
    const paths = files.map(({ path }) => relativePath(path));
    const where = args.dir === '.' ? '' : ` ${args.dir}`;
    const next = out.style(
      'dim',
      `Next: servicectl validate${where} and servicectl test${where}, then servicectl plan${where}`,
    );
    return {
      json: { files: paths },
      text: [...paths.map((path) => `${out.style('green', '+')} ${path}`), '', next].join('\n'),
    };
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
