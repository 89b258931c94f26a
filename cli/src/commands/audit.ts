import type { AuditEntry } from '@authz-service/sdk/wire';
import { integer } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import { table } from '../output/table.js';
import { out } from '../output/terminal.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

/** The numbers beside it say how many there are. */
const CHANGES_SHOWN = 3;
const MARKS = { create: '+', update: '~', move: '→', delete: '-' } as const;

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
    const items: AuditEntry[] = [];
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

function cells({ revision, at, credential, stack = '', counts, changes }: AuditEntry): string[] {
  const numbers = [counts.added, counts.changed, counts.removed].map(String);
  const named = changes.slice(0, CHANGES_SHOWN).map(({ op, address }) => `${MARKS[op]} ${address}`);
  const summary = `${named.join(', ')}${changes.length > CHANGES_SHOWN ? ', …' : ''}`;
  return [revision, at.replace(/\.\d+Z$/, 'Z'), credential.name, stack, ...numbers, summary];
}
