import type { ManifestFile } from '@authz-service/core/manifest/manifest';
import { readManifest } from '@authz-service/core/manifest/read';
import { patchTree } from '@authz-service/core/patch/patch-tree';
import { ProblemError } from '@authz-service/core/problem';
import { asking } from '@authz-service/core/questions/why-not/other-requests';
import { type VerifiedProposal, whyNot } from '@authz-service/core/questions/why-not/why-not';
import { splitAddress } from '@authz-service/core/records/address';
import type { DeclaredRecord } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import { readTree } from '@authz-service/embedded/tree/read-tree';
import { string as stringArgument } from '@oclif/core/args';
import { boolean, integer, string } from '@oclif/core/flags';
import { members, resourceOf, subjectOf } from '../authorize/question.js';
import { contextFlag, roleFlag } from '../authorize/question-flags.js';
import { connect, connectionFlags } from '../config/connect.js';
import { UsageError } from '../errors/usage-error.js';
import { replaceFiles } from '../output/replace-files.js';
import { out } from '../output/terminal.js';
import { wrapped } from '../output/wrap.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { InvalidTree } from '../tree/load-tree.js';
import { parsedAhead } from '../tree/parsing/parse-ahead.js';
import { relativePath } from '../tree/relative-path.js';
import { renderWhyNot } from '../why-not/render-why-not.js';

interface Source {
  records: readonly (DeclaredRecord & { id?: string })[];
  files: ManifestFile[];
}

export default class WhyNot extends ServiceCommand {
  static override summary = 'Find the smallest changes that would allow a denied request.';
  static override description =
    `Says first what the caller could send that is allowed as the records are: a second factor, another address. Then it \
proposes a membership, a role (on the resource alone, or everywhere), an assignment, a property or a clause less, \
or two of them where one does not do; against a DENY also that a link to it, or the policy, is removed. Each is confirmed \
by the engine on the changed records, and ranked by what else it would grant: its access delta. What takes away a protection \
is marked and comes after all others; what an access rule would refuse comes last and names the rule. Nothing is changed, unless --patch writes one into the folder that --against names.`;
  static override examples = [
    {
      description: 'What would let Alice approve this?',
      command: 'servicectl why-not user:alice approve invoice:INV-1',
    },
    {
      description: 'Write the second proposal into the tree',
      command: 'servicectl why-not user:alice approve invoice:INV-1 --against tenant --patch --choose 2',
    },
    { description: 'As Terraform', command: 'servicectl why-not user:alice approve invoice:INV-1 --hcl' },
  ];
  static override args = {
    subject: stringArgument({ description: 'The subject, as TYPE:ID or TYPE/ID.', required: true, ignoreStdin: true }),
    action: stringArgument({ description: 'The action.', required: true, ignoreStdin: true }),
    resource: stringArgument({
      description: 'The resource, as TYPE:NAME or TYPE/NAME.',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    role: roleFlag,
    context: contextFlag,
    against: string({ description: 'The folder of YAML files that decides, instead of the tenant.', helpValue: 'DIR' }),
    choose: integer({
      description:
        'The proposal that --patch or --hcl is about; without it the first, unless that takes away a protection.',
      min: 1,
      helpValue: 'N',
    }),
    patch: boolean({ description: 'Write the proposal into the files of --against.', dependsOn: ['against'] }),
    hcl: boolean({
      description: 'Print the proposal as Terraform configuration: blocks to add, to change and to remove.',
      exclusive: ['patch'],
    }),
    limit: integer({ description: 'Show so many proposals.', default: 5, min: 1, helpValue: 'N' }),
    weigh: integer({
      description: 'Compute what so many proposals grant besides; by default as many as take some seconds.',
      min: 1,
      helpValue: 'N',
    }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(WhyNot);
    const context = members('context', flags.context);
    const subject = subjectOf(args.subject, 'SUBJECT');
    const source = flags.against === undefined ? await this.#live(flags) : await treeOf(flags.against);
    const request: DecisionRequest = {
      subject: { ...subject, ...(flags.role && { roles: flags.role }) },
      action: { name: args.action },
      resource: resourceOf(args.resource, undefined, 'RESOURCE', typesOf(source.records)),
      ...(context && { context }),
    };
    const now = Date.now();
    const answer = whyNot(source.records, request, { now, weigh: flags.weigh });
    const { choose = 1 } = flags;
    const chosen = answer.proposals[choose - 1];
    if ((flags.patch || flags.hcl) && chosen === undefined) {
      const what = answer.allowed ? 'the request is allowed already' : `there are ${answer.proposals.length} proposals`;
      throw new UsageError(`There is no proposal ${choose}: ${what}.`);
    }
    if ((flags.patch || flags.hcl) && flags.choose === undefined && chosen?.removes_protection) {
      throw new UsageError(
        `Each proposal takes away a protection, the first: ${chosen.summary}. Choose it with --choose 1 if you mean it.`,
      );
    }
    const files = flags.patch && chosen ? await patched(source, chosen, request, now) : undefined;
    const hcl =
      flags.hcl && chosen ? await (await import('../why-not/changes-hcl.js')).changesHcl(chosen.changes) : undefined;
    const proposals = answer.proposals
      .slice(0, flags.limit)
      .map((one) => ({ ...one, changes: one.changes.map(shown) }));
    const json = { ...answer, proposals, ...(files && { files }), ...(hcl !== undefined && { hcl }) };
    const shownText = wrapped(renderWhyNot(answer, flags.limit, out.style), out.columns);
    const text = hcl ?? shownText + (files ? `\n\nWrote ${files.join(', ')}.` : '');
    return { json, text };
  }

  async #live(flags: { url?: string | undefined; profile?: string | undefined }): Promise<Source> {
    const { records } = await (await connect(flags)).state({ signal: this.signal });
    return { records: records as Source['records'], files: [] };
  }
}

/** The names and paths of all resource types. */
function typesOf(records: Source['records']): ReadonlySet<string> {
  return new Set(
    records.flatMap(({ kind, address, fields }) =>
      kind === 'resource_type' ? [fields.name, splitAddress(address).path] : [],
    ),
  );
}

async function treeOf(folder: string): Promise<Source> {
  const files = await parsedAhead(await readTree(folder));
  const { manifest, faults } = readManifest(files, { now: Date.now() });
  if (manifest === undefined) throw new InvalidTree(faults, folder);
  return { records: manifest.records, files };
}

/** Writes a proposal into the files, once the changed tree is valid and allows the request. */
async function patched(
  source: Source,
  proposal: VerifiedProposal,
  request: DecisionRequest,
  now: number,
): Promise<string[]> {
  const { changed, records } = patchTree(source.files, proposal, now);
  const asked = proposal.then_ask === undefined ? request : asking(request, proposal.then_ask);
  if (!whyNot(records, asked, { now }).allowed) {
    throw new ProblemError('conflict', 'The files with the proposal do not allow the request: nothing was written.');
  }
  const before = new Map(source.files.map(({ path, text }) => [path, text]));
  await replaceFiles(changed.map(({ path, text }) => ({ path, text, before: before.get(path) ?? '' })));
  return changed.map(({ path }) => relativePath(path));
}

function shown({ before, after }: VerifiedProposal['changes'][number]): object {
  const op = before === undefined ? 'create' : after === undefined ? 'delete' : 'update';
  return { op, address: (after ?? before)?.address, ...(after && { fields: after.fields }) };
}
