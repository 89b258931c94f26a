import { originText } from '@authz-service/core/origin/origin-text';
import { ProblemError } from '@authz-service/core/problem';
import { countOf } from '@authz-service/core/state/kind-words';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { RecordOrigin } from '@authz-service/sdk/wire';
import { string as stringArgument } from '@oclif/core/args';
import { integer, string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import { UsageError } from '../errors/usage-error.js';
import { atFlag, isOfService, treeAt } from '../history/asking.js';
import { table } from '../output/table.js';
import { err, out } from '../output/terminal.js';
import { headings, renderRecord, row } from '../records/columns.js';
import { splitTarget } from '../records/kind-argument.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

/** The credential may not read it, or the service is of a version that does not keep it. */
const UNTOLD: ReadonlySet<string> = new Set(['forbidden', 'not_found']);

export default class Get extends ServiceCommand {
  static override summary = 'List the records of a kind, or show one.';
  static override description =
    `KIND is a kind of record in the singular or plural: application, resource-types, policies, group-memberships … \
NAME is the path of one record (billing/accountant, user/alice) or its id. An address takes the place of both.`;
  static override examples = [
    { description: 'All roles', command: 'servicectl get roles' },
    {
      description: 'The roles of one application, as JSON',
      command: 'servicectl get roles --filter application=billing --json',
    },
    { description: 'One record, by its address', command: 'servicectl get subject/user/alice' },
    { description: 'The roles at the beginning of March', command: 'servicectl get roles --at 2027-03-01' },
    { description: 'Who is in this group?', command: 'servicectl get group-memberships --filter group=finance' },
  ];
  static override args = {
    kind: stringArgument({
      description: 'The kind of record, or the address of one.',
      required: true,
      ignoreStdin: true,
    }),
    name: stringArgument({ description: 'The path or the id of one record.', ignoreStdin: true }),
  };
  static override flags = {
    filter: string({
      char: 'f',
      description: 'Only records whose field has this value; may be repeated.',
      helpValue: 'FIELD=VALUE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    limit: integer({ description: 'Stop after this many records.', helpValue: 'N', min: 1 }),
    ...atFlag,
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Get);
    const { kind, path } = splitTarget(args.kind);
    if (path !== undefined && args.name !== undefined) {
      throw new UsageError(`"${args.kind}" already names a record: leave out "${args.name}".`);
    }
    const name = path ?? args.name;
    const filter = filterOf(flags.filter ?? []);
    if (name !== undefined && Object.keys(filter).length > 0) {
      throw new UsageError(`--filter selects among records, but "${name}" names one: leave one of them out.`);
    }
    const client = flags.at === undefined || isOfService(flags.at) ? await connect(flags) : await treeAt(flags.at);
    const collection = client.records(kind);
    if (name !== undefined) {
      const record = await collection.get(name, { signal: this.signal });
      const origin =
        flags.at === undefined && 'origins' in client ? await this.#origin(client, record.address) : undefined;
      return {
        json: { ...record, ...(origin && { origin }) },
        text: renderRecord({ ...record, ...(origin && { 'declared in': originText(origin) }) }, out.style),
      };
    }
    const items = [];
    try {
      for await (const record of collection.list(filter, { signal: this.signal })) {
        if (items.push(record) === flags.limit) break;
      }
    } catch (error) {
      throw byFilter(error, filter);
    }
    await err.line(err.style('dim', countOf(items.length, kind)));
    const rows = items.map((record) => row(kind, record));
    return {
      json: { items },
      text: items.length === 0 ? undefined : table(headings(kind), rows, out.style, out.columns),
    };
  }

  /** Returns where a record stands now; undefined if that is not known or not shown. */
  async #origin(client: ServiceClient, address: string): Promise<Omit<RecordOrigin, 'address'> | undefined> {
    try {
      const [known] = await client.origins([address], { signal: this.signal });
      if (known === undefined) return undefined;
      const { address: _, ...origin } = known;
      return origin;
    } catch (error) {
      if (error instanceof ProblemError && UNTOLD.has(error.code)) return undefined;
      throw error;
    }
  }
}

/** Names the filter that was refused by the flag that gave it. */
function byFilter(error: unknown, filter: Record<string, string>): unknown {
  if (!(error instanceof ProblemError) || error.code !== 'invalid_request') return error;
  const fault = error.errors.find(({ pointer }) => Object.hasOwn(filter, pointer.slice(1)));
  return fault === undefined ? error : new UsageError(`--filter ${fault.pointer.slice(1)}: ${fault.detail}`);
}

function filterOf(pairs: string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1)
        throw new UsageError(`--filter "${pair}" is not FIELD=VALUE: write it like "application=billing".`);
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}
