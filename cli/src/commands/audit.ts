import type { AuditEntry } from '@authz-service/sdk/wire';
import { integer } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import { table } from '../output/table.js';
import { out } from '../output/terminal.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

/** What the table shows of a commit; the cloud sends more. */
interface Commit extends AuditEntry {
  at?: string;
  credential?: { name?: string };
  stack?: string;
  counts?: { added: number; changed: number; removed: number };
  changes?: { op: string; address: string }[];
}

const MARKS: Record<string, string> = { create: '+', update: '~', move: '→', delete: '-' };

export default class Audit extends ServiceCommand {
  static override summary = 'Show who changed what, the latest commits first.';
  static override examples = [
    { description: 'The last ten commits', command: 'service audit --limit 10' },
    { description: 'All that each commit changed', command: 'service audit --json' },
  ];
  static override flags = {
    limit: integer({ description: 'Stop after this many commits.', helpValue: 'N', min: 1, default: 50 }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(Audit);
    const client = await connect(flags);
    const items: Commit[] = [];
    for await (const entry of client.audit({ limit: Math.min(flags.limit, 100), signal: this.signal })) {
      if (items.push(entry) === flags.limit) break;
    }
    const headings = ['REVISION', 'AT', 'BY', 'STACK', 'ADDED', 'CHANGED', 'REMOVED', 'CHANGES'];
    return {
      json: { items },
      text: items.length === 0 ? undefined : table(headings, items.map(cells), out.style, out.columns),
    };
  }
}

function cells({ revision, at = '', credential, stack = '', counts, changes = [] }: Commit): string[] {
  const numbers = [counts?.added, counts?.changed, counts?.removed].map((count) => String(count ?? ''));
  const summary = changes.map(({ op, address }) => `${MARKS[op] ?? op} ${address}`).join(', ');
  return [String(revision), at.replace(/\.\d+Z$/, 'Z'), credential?.name ?? '', stack, ...numbers, summary];
}
