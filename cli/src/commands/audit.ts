import { provenanceText } from '@authz-service/core/origin/provenance-text';
import type { AuditFilter, AuditPage, ServiceClient } from '@authz-service/sdk/client';
import type { AuditEntry, TenantEvent } from '@authz-service/sdk/wire';
import { boolean, integer, string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import { UsageError } from '../errors/usage-error.js';
import { table } from '../output/table.js';
import { err, out } from '../output/terminal.js';
import { moment, printable } from '../output/text.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

/** If a commit has more changes than this, the counts beside it say how many. */
const CHANGES_SHOWN = 3;
const MARKS = {
  create: '+',
  update: '~',
  move: '→',
  delete: '-',
  erase: '×',
  retire: '×',
  refuse: '×',
  disable: '○',
  enable: '●',
} as const;

export default class Audit extends ServiceCommand {
  static override summary = 'Show who changed what, latest commits first.';
  static override examples = [
    { description: 'The last ten commits', command: 'servicectl audit --limit 10' },
    { description: 'Everything that each commit changed', command: 'servicectl audit --json' },
    {
      description: 'What happened to the role in February',
      command: 'servicectl audit --record role/billing/clerk --since 2027-02-01 --until 2027-03-01',
    },
    { description: 'What was given to Alice and taken from her', command: 'servicectl audit --subject user/alice' },
    { description: 'What this credential did', command: 'servicectl audit --actor deployment' },
    { description: 'Who created and removed tenants, as an operator', command: 'servicectl audit --tenants' },
  ];
  static override flags = {
    limit: integer({ description: 'Stop after this many entries.', helpValue: 'N', min: 1, default: 50 }),
    tenants: boolean({
      description: 'Show who created, removed and erased from tenants, and retired their agents; for operators.',
      exclusive: ['since', 'until', 'actor', 'record', 'subject'],
    }),
    since: string({ description: 'Only at this time (RFC 3339, or a date) or later.', helpValue: 'TIME' }),
    until: string({ description: 'Only at this time or earlier.', helpValue: 'TIME' }),
    actor: string({ description: 'Only by this credential, by its name or id.', helpValue: 'NAME' }),
    record: string({ description: 'Only what changed this record.', helpValue: 'ADDRESS' }),
    subject: string({
      description: 'Only what changed this subject, or what is given to it directly.',
      helpValue: 'TYPE/ID',
    }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(Audit);
    const client = await connect(flags);
    const page = { limit: Math.min(flags.limit, 100), signal: this.signal };
    if (flags.tenants)
      return shown(
        ['OP', 'TENANT', 'AT', 'BY', 'WHAT'],
        await first(flags.limit, client.tenantAudit(page)),
        eventCells,
      );
    const { since, until, actor, record, subject } = flags;
    let searched: AuditPage['searched_since'];
    const onPage = ({ searched_since }: AuditPage<unknown>) => {
      searched = searched_since;
    };
    const filter = { since, until, actor, record, subject: subject?.replace(/^([^/:]+):/, '$1/') };
    if (since !== undefined && until !== undefined && Date.parse(until) < Date.parse(since))
      throw new UsageError(`--until "${until}" is before --since "${since}": no commit is between them.`);
    const items = await first(flags.limit, client.audit({ ...page, filter, onPage }));
    const outcome = withProvenance(shown(HEADINGS, items, cells), items);
    if (items.length === 0) for (const line of await whyNothing(client, filter, this.signal)) await err.line(line);
    if (searched !== undefined && !searched.revision.startsWith('1.')) {
      const { revision, at } = searched;
      await err.line(
        err.style('dim', `Searched since revision ${revision} of ${moment(at)}; history before is not kept.`),
      );
    }
    return searched === undefined
      ? outcome
      : { ...outcome, json: { ...(outcome.json as object), searched_since: searched } };
  }
}

const UNKNOWN = {
  actor: (name: string) =>
    `is by a credential "${name}": "servicectl clients list" and "servicectl keys list" show them`,
  record: (name: string) => `changed a record "${name}": write its address, like role/billing/clerk`,
  subject: (name: string) => `concerns a subject "${name}": write it as TYPE/ID, like user/alice`,
};

/** Says that no commit matches, and which of the names no commit at all has: they may be misspelt. */
async function whyNothing(client: ServiceClient, filter: AuditFilter, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  for (const name of ['actor', 'record', 'subject'] as const) {
    const value = filter[name];
    if (value === undefined) continue;
    const [any] = await first(1, client.audit({ limit: 1, filter: { [name]: value }, signal }));
    if (any === undefined) lines.push(`No commit ${UNKNOWN[name](value)}.`);
  }
  return lines.length > 0 ? lines : ['No commit matches these filters.'];
}

const HEADINGS = ['REVISION', 'AT', 'BY', 'STACK', 'COUNTS', 'CHANGES'];

async function first<T>(limit: number, entries: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const entry of entries) if (items.push(entry) === limit) break;
  return items;
}

function shown<T>(headings: string[], items: T[], cellsOf: (item: T) => string[]): Outcome {
  return {
    json: { items },
    text: items.length === 0 ? undefined : table(headings, items.map(cellsOf), out.style, out.columns),
  };
}

/** Adds who stands behind the commits, below the table, which has no room for it. */
function withProvenance({ text, ...outcome }: Outcome, items: AuditEntry[]): Outcome {
  const given = items.flatMap(({ revision, source }) => {
    const words = source === undefined ? '' : provenanceText(source);
    return words === '' ? [] : [`  ${revision}  ${printable(words)}`];
  });
  return {
    ...outcome,
    text: given.length === 0 ? text : [text, '', 'Given by, as their pipelines say:', ...given].join('\n'),
  };
}

function eventCells({ op, tenant, at, credential, subject, properties, agent, credentials }: TenantEvent): string[] {
  const what =
    subject === undefined
      ? (agent ?? credentials?.join(', ') ?? '')
      : `${subject}: ${properties?.join(', ') ?? 'everything'}`;
  return [`${MARKS[op]}${op}`, tenant.name, moment(at), who(credential), what];
}

function cells({ revision, at, credential, stack = '', counts, changes }: AuditEntry): string[] {
  const named = changes.slice(0, CHANGES_SHOWN).map(({ op, address }) => `${MARKS[op]}${address}`);
  const summary = `${named.join(', ')}${changes.length > CHANGES_SHOWN ? ', …' : ''}`;
  return [revision, moment(at), who(credential), stack, countsText(counts), summary];
}

/** A person's name is what their provider calls them, which may be anything: issuer and subject stand beside it. */
function who({ kind, id, name }: AuditEntry['credential']): string {
  return kind === 'person' ? `${name} (${id})` : name;
}

/** "+43 ~2": zero counts are omitted. */
function countsText({ added, changed, removed }: AuditEntry['counts']): string {
  const parts = [
    [MARKS.create, added],
    [MARKS.update, changed],
    [MARKS.delete, removed],
  ] as const;
  return parts.flatMap(([mark, count]) => (count === 0 ? [] : [`${mark}${count}`])).join(' ');
}
