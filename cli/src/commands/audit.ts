import type { AuditEntry, TenantEvent } from '@authz-service/sdk/wire';
import { boolean, integer } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import { table } from '../output/table.js';
import { out } from '../output/terminal.js';
import { moment } from '../output/text.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

/** If a commit has more changes than this, the counts beside it say how many. */
const CHANGES_SHOWN = 3;
const MARKS = { create: '+', update: '~', move: '→', delete: '-' } as const;

export default class Audit extends ServiceCommand {
  static override summary = 'Show who changed what, latest commits first.';
  static override examples = [
    { description: 'The last ten commits', command: 'service audit --limit 10' },
    { description: 'Everything that each commit changed', command: 'service audit --json' },
    { description: 'Who created and removed tenants, as an operator', command: 'service audit --tenants' },
  ];
  static override flags = {
    limit: integer({ description: 'Stop after this many entries.', helpValue: 'N', min: 1, default: 50 }),
    tenants: boolean({ description: 'Show who created and removed tenants instead; for operators.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(Audit);
    const client = await connect(flags);
    const page = { limit: Math.min(flags.limit, 100), signal: this.signal };
    return flags.tenants
      ? shown(['OP', 'TENANT', 'AT', 'BY'], await first(flags.limit, client.tenantAudit(page)), eventCells)
      : shown(HEADINGS, await first(flags.limit, client.audit(page)), cells);
  }
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

function eventCells({ op, tenant, at, credential }: TenantEvent): string[] {
  return [`${MARKS[op]}${op}`, tenant.name, moment(at), credential.name];
}

function cells({ revision, at, credential, stack = '', counts, changes }: AuditEntry): string[] {
  const named = changes.slice(0, CHANGES_SHOWN).map(({ op, address }) => `${MARKS[op]}${address}`);
  const summary = `${named.join(', ')}${changes.length > CHANGES_SHOWN ? ', …' : ''}`;
  return [revision, moment(at), credential.name, stack, countsText(counts), summary];
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
