import { readFile } from 'node:fs/promises';
import { readManifest } from '@authz-service/core/manifest/read';
import { patchDocument, readChangeDocument } from '@authz-service/core/patch/change-document';
import { ProblemError } from '@authz-service/core/problem';
import { environmentsIn, readTree } from '@authz-service/embedded/tree/read-tree';
import { string as stringArgument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import { replaceFiles } from '../output/replace-files.js';
import { err } from '../output/terminal.js';
import { counted } from '../output/text.js';
import { diffOf } from '../patch/diff-of.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { environmentFlag } from '../tree/environment-flag.js';
import { InvalidTree } from '../tree/load-tree.js';
import { relativePath } from '../tree/relative-path.js';

const STDIN = '-';

export default class Patch extends ServiceCommand {
  static override summary = "Write a change document of the console into a tree's files.";
  static override description =
    `Takes what the page "Change" of the console hands out, and changes the YAML files that declare the records; \
comments and all else stay. A rename is written wherever the record is mentioned, with an entry of "moved". "servicectl plan" \
then shows these changes.

Refused, with nothing written, is what the files cannot say: records that the tree does not declare, or that say something \
else than when the change was made, and takeovers. --dry-run shows the difference and writes nothing.

With -e it takes changes that were made in the tenant of that environment, and writes them into the base: the other \
environments get them, too. What the environment's file says itself is left to you.`;
  static override examples = [
    { description: 'What would it write?', command: 'servicectl patch change.json tenant --dry-run' },
    {
      description: 'Write it, and look at the plan',
      command: 'servicectl patch change.json tenant && servicectl plan tenant',
    },
  ];
  static override args = {
    file: stringArgument({
      description: 'The change document; "-" reads it from standard input.',
      required: true,
      ignoreStdin: true,
    }),
    dir: stringArgument({
      description: 'The folder of YAML files, or one file.',
      default: '.',
      ignoreStdin: true,
    }),
  };
  static override flags = {
    environment: environmentFlag,
    'dry-run': boolean({ description: 'Show what it would change in the files, and write nothing.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Patch);
    const text = await textOf(args.file);
    const document = naming(args.file, () => readChangeDocument(text));
    const now = Date.now();
    const files = (await readTree(args.dir, flags.environment)).map((file) => ({
      ...file,
      path: relativePath(file.path),
    }));
    const { manifest, faults } = readManifest(files, { now });
    if (manifest === undefined) throw new InvalidTree(faults, args.dir);
    const base = await (await connect(flags)).state({ signal: this.signal });
    const others = flags.environment === undefined ? [] : await environmentsIn(args.dir);
    const { changed } = naming(args.file, () => patchDocument(files, document, base, now));
    const before = new Map(files.map(({ path, text }) => [path, text]));
    const replacements = changed.map(({ path, text }) => ({ path, text, before: before.get(path) ?? '' }));
    const names = changed.map(({ path }) => path);
    const json = { changes: document.changes.length, files: names, written: !flags['dry-run'] };
    if (flags['dry-run']) {
      const diff = (await Promise.all(replacements.map(diffOf))).join('');
      return { json: { ...json, diff }, text: diff.trimEnd() };
    }
    await replaceFiles(replacements);
    const what = counted(document.changes.length, 'change');
    const reaches = others.filter((name) => name !== flags.environment && names.length > 0);
    if (reaches.length > 0)
      await err.warning(
        `The base has the change now, and so ${reaches.length === 1 ? 'has' : 'have'} ${reaches.join(', ')}.`,
      );
    return { json, text: names.length > 0 ? `Wrote ${what} into ${names.join(', ')}.` : 'The files say all of it.' };
  }
}

/** Names where a faulty document was read. */
function naming<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'invalid_request') throw error;
    const name = file === STDIN ? 'standard input' : relativePath(file);
    throw new ProblemError(error.code, `"${name}": ${error.detail}`, error.errors, { cause: error });
  }
}

async function textOf(file: string): Promise<string> {
  if (file !== STDIN) return await readFile(file, 'utf8');
  const { text } = await import('node:stream/consumers');
  return await text(process.stdin);
}
