import { loadavg } from 'node:os';
import { bar } from '../bars.js';
import { median } from '../random.js';
import { measureReplicas } from '../replicas.js';
import { fixed, table } from '../table.js';

export async function replicas(): Promise<void> {
  const { commits, decisions, following } = await measureReplicas();
  const ratios = ({ sqlite, replicas: three }: { sqlite: number[]; replicas: number[] }): number[] =>
    three.map((value, turn) => value / (sqlite[turn] ?? Number.NaN));
  const perSecond = ({ sqlite, replicas: three }: (typeof commits)[number]) => ({
    sqlite: sqlite.map((turn) => turn.perSecond),
    replicas: three.map((turn) => turn.perSecond),
  });
  const processor = ({ sqlite, replicas: three }: (typeof commits)[number]) => ({
    sqlite: sqlite.map((turn) => turn.processorMs),
    replicas: three.map((turn) => turn.processorMs),
  });
  for (const row of commits) {
    const tenants = row.tenants === 1 ? 'one tenant' : `${row.tenants} tenants`;
    const what = `commits at three replicas on PostgreSQL, of one cloud on SQLite, ${tenants}`;
    bar(what, median(ratios(perSecond(row))), 'at least', row.tenants === 1 ? 0.3 : 0.7, ' ×');
  }
  bar('processor of a decision at a replica, of one on SQLite', median(ratios(decisions)), 'at most', 1.1, ' ×');
  for (const { how, p99 } of following)
    bar(
      `commit at one replica until another decides by it, p99, ${how}`,
      p99,
      'at most',
      how === 'with NOTIFY' ? 100 : 700,
      ' ms',
    );
  const listed = (values: number[], digits: number) => values.map((value) => fixed(value, digits)).join(' ');
  const line = (what: string, figures: { sqlite: number[]; replicas: number[] }, digits: number) => [
    what,
    listed(figures.sqlite, digits),
    listed(figures.replicas, digits),
    fixed(median(ratios(figures))),
    listed(ratios(figures), 2),
  ];
  table(
    'Three replicas on one PostgreSQL beside one cloud on SQLite, in turns',
    ['', 'SQLite', 'replicas', 'ratio, median', 'of the turns'],
    [
      ...commits.flatMap((row) => {
        const tenants = row.tenants === 1 ? 'one tenant' : `${row.tenants} tenants`;
        return [
          line(`commits a second, ${tenants}`, perSecond(row), 0),
          line(`ms of processors a commit, ${tenants}`, processor(row), 1),
        ];
      }),
      line('µs of processor a decision', decisions, 0),
    ],
  );
  table(
    'From the sending of a commit to one replica until another decides by it',
    ['', 'rounds', 'p50 ms', 'p99 ms', 'max ms'],
    following.map(({ how, rounds, p50, p99, max }) => [how, `${rounds}`, ...[p50, p99, max].map((ms) => fixed(ms, 0))]),
  );
  process.stdout.write(
    `\nThe machine's load afterwards: ${loadavg()
      .map((load) => fixed(load, 1))
      .join(', ')}.\n`,
  );
}
