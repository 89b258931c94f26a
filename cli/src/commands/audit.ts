import type { AuditEntry } from '@authz-service/sdk/wire';
import { integer } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import { table } from '../output/table.js';
import { out } from '../output/terminal.js';
import { moment } from '../output/text.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

/** The counts beside it say how many there are. */
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
    const headings = ['REVISION', 'AT', 'BY', 'STACK', 'COUNTS', 'CHANGES'];
    return {
      json: { items },
      text: items.length === 0 ? undefined : table(headings, items.map(cells), out.style, out.columns),
    };
  }
}

function cells({ revision, at, credential, stack = '', counts, changes }: AuditEntry): string[] {
  const named = changes.slice(0, CHANGES_SHOWN).map(({ op, address }) => `${MARKS[op]}${address}`);
  const summary = `${named.join(', ')}${changes.length > CHANGES_SHOWN ? ', …' : ''}`;
  return [revision, moment(at), credential.name, stack, countsText(counts), summary];
}

/** "+43 ~2": what there is none of is not said. */
function countsText({ added, changed, removed }: AuditEntry['counts']): string {
  const parts = [
    [MARKS.create, added],
    [MARKS.update, changed],
    [MARKS.delete, removed],
  ] as const;
  return parts.flatMap(([mark, count]) => (count === 0 ? [] : [`${mark}${count}`])).join(' ');
}
