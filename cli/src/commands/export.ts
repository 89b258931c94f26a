import { join } from 'node:path';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { boolean, string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import type { ConnectionFlags } from '../config/connection.js';
import { UsageError } from '../errors/usage-error.js';
import { BY_HAND, chooseStacks } from '../export/choose-stacks.js';
import { writeTree } from '../export/write-tree.js';
import { atFlag, isOfService, treeAt } from '../history/asking.js';
import { err, out } from '../output/terminal.js';
import { counted } from '../output/text.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { relativePath } from '../tree/relative-path.js';

type Snapshot = { tenant?: string; revision: string; records: StoredRecord[] };

type Write = (records: StoredRecord[], options: { tenant?: string; stack: string }) => { path: string; text: string }[];

/** The formats of an export; `files` matches the files of each. */
const FORMATS: { [F in 'yaml' | 'hcl' | 'cdktf']: { files: RegExp; takeOver: string; load(): Promise<Write> } } = {
  yaml: {
    files: /\.ya?ml$/,
    takeOver: '"servicectl apply --take-ownership"',
    load: async () => (await import('@authz-service/core/manifest/write')).writeManifest,
  },
  hcl: {
    files: /\.tf$/,
    takeOver: 'take_ownership = true in the provider block',
    load: async () => (await import('@authz-service/provider/terraform/notation/write-hcl')).writeHcl,
  },
  cdktf: {
    files: /^main\.js$/,
    takeOver: 'takeOwnership: true of the ServiceProvider',
    load: async () => (await import('@authz-service/provider/terraform/notation/write-cdktf')).writeCdktf,
  },
};

export default class Export extends ServiceCommand {
  static override summary = 'Write the tenant as YAML, HCL or CDKTF that plans to "no changes".';
  static override description =
    `Writes a tree for each stack: a single stack goes to the folder itself, several go to a folder each, because a \
tree has one owner. Exports contain no secrets; the service does not know them.

Records created by single API calls have the owner "api". They are left out unless --stack api asks for them or \
there is nothing else. --as names the stack of their tree, and "servicectl apply --take-ownership" then takes them \
over.

With --format hcl it writes Terraform configuration, with an import block for each record: the first apply imports, and \
the plan after it is empty. To change records owned by "api", set take_ownership = true in the provider block. --format \
cdktf writes the same as a CDKTF app, main.js.`;
  static override examples = [
    { description: 'All stacks', command: 'servicectl export --out tenant' },
    { description: 'Again, to see the difference in Git', command: 'servicectl export --out tenant --replace' },
    { description: 'As it was', command: 'servicectl export --out before --at 2027-03-01T12:00:00Z' },
    { description: 'As Terraform configuration', command: 'servicectl export --out tenant --format hcl' },
    {
      description: 'Records created by hand, to bring them under Git',
      command: 'servicectl export --out adopted --stack api --as adopted',
    },
  ];
  static override flags = {
    out: string({ char: 'o', description: 'The folder to write to.', helpValue: 'DIR', required: true }),
    format: string({ description: 'The format to write.', options: Object.keys(FORMATS), default: 'yaml' }),
    stack: string({ description: "Only this stack's records.", helpValue: 'NAME' }),
    as: string({
      description: 'The stack of the tree for records that "api" owns.',
      default: 'default',
      helpValue: 'NAME',
    }),
    replace: boolean({ description: 'Remove existing files of this format from the folder.' }),
    ...atFlag,
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(Export);
    if (flags.as === BY_HAND)
      throw new UsageError(`--as "${BY_HAND}" is the owner of records created by hand: name another stack.`);
    const format = flags.format as keyof typeof FORMATS;
    const [write, state] = await Promise.all([FORMATS[format].load(), this.#state(flags)]);
    const tenant = state.tenant === undefined ? {} : { tenant: state.tenant };
    const { trees, leftOut } = chooseStacks(state.records, flags.stack);
    if (trees.length === 0 && flags.stack !== undefined) {
      throw new UsageError(
        `${state.tenant === undefined ? `"${state.revision}"` : `The tenant "${state.tenant}"`} holds no records of the stack "${flags.stack}": nothing was written.`,
      );
    }
    const written = trees.flatMap(({ owner, folder, records }) =>
      write(records, { ...tenant, stack: owner === BY_HAND ? flags.as : owner }).map(({ path, text }) => ({
        path: trees.length === 1 ? path : join(folder, path),
        text,
      })),
    );
    const { files: ofFormat } = FORMATS[format];
    const paths = await writeTree(flags.out, written, { replace: flags.replace, format: ofFormat });
    const files = paths.map((path) => relativePath(path));
    const owners = trees.map(({ owner }) => owner);
    const folders = trees.map(({ folder }) => relativePath(join(flags.out, folder)));
    for (const note of notes(owners, folders, leftOut, format)) await err.line(err.style('dim', note));
    const records = trees.reduce((sum, tree) => sum + tree.records.length, 0);
    return {
      json: { ...tenant, revision: state.revision, stacks: owners, records, files },
      text: `${out.style('green', 'Exported')} ${counted(records, 'record')} at revision ${state.revision}: ${counted(files.length, 'file')} in ${flags.out}.`,
    };
  }

  /** The records to write: the service's, or those that the tree of a Git revision declares. */
  async #state(flags: ConnectionFlags & { at?: string | undefined }): Promise<Snapshot> {
    const { at } = flags;
    if (at === undefined || isOfService(at)) return await (await connect(flags)).state({ signal: this.signal });
    const tree = await treeAt(at);
    const { tenant } = tree.manifest;
    return { ...(tenant !== undefined && { tenant }), revision: at, records: tree.stored() };
  }
}

function notes(owners: string[], folders: string[], leftOut: number, format: keyof typeof FORMATS): string[] {
  const found: string[] = [];
  if (owners.length > 1)
    found.push(
      `Each stack has its own tree. Validate, plan and apply these folders one by one: ${folders.join(', ')}.`,
    );
  if (owners.includes(BY_HAND))
    found.push(
      `Records created by hand: ${FORMATS[format].takeOver} brings them under the ${format === 'yaml' ? 'tree' : 'configuration'}.`,
    );
  if (leftOut > 0) found.push(`Left out: ${counted(leftOut, 'record')} created by hand (--stack api writes them).`);
  return found;
}
