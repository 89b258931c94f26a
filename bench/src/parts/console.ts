import { loadavg } from 'node:os';
import { bar } from '../bars.js';
import { share } from '../clouds.js';
import { measureConsole, slowestPlan } from '../console.js';
import { median } from '../random.js';
import { count, fixed, table } from '../table.js';

const RECORDS = 1_000_000;

/** `records` of the large tenant; else a million. */
export async function console(records?: string): Promise<void> {
  const figures = await measureConsole(records === undefined ? RECORDS : Number(records));
  const { firstPage, plans, activities, decisions } = figures;
  bar('console: first page usable, median', median(firstPage) / 1000, 'at most', 1, ' s');
  const slowest = slowestPlan(plans) / 1000;
  bar('console: edit until plan and access delta are shown, slowest median', slowest, 'at most', 2, ' s');
  for (const { what, painted, server } of activities) {
    const shown = painted.map((one) => one.shown);
    bar(`console, ${count(figures.records)} records: ${what}: shown, p95`, share(shown, 0.95), 'at most', 100, ' ms');
    if (server.length > 0) bar(`${what}: server, p95`, share(server, 0.95), 'at most', 30, ' ms');
  }
  const meanwhile = decisions.find(({ when }) => when === 'meanwhile');
  bar('decisions meanwhile, p99', meanwhile?.p99 ?? Number.NaN, 'at most', 20, ' ms');

  const ms = (value: number) => fixed(value, 0);
  table(
    'Console in Chromium: first page in a browser that has just started, and plans of drafts; 10,000 records',
    ['', 'rounds', 'median ms', 'longest ms'],
    [
      ['first page usable', `${firstPage.length}`, ms(median(firstPage)), ms(share(firstPage, 1))],
      ...plans.map((plan) => [
        `${plan.edit}: from the edit until its plan is shown`,
        `${plan.ms.length}`,
        ms(median(plan.ms)),
        ms(share(plan.ms, 1)),
      ]),
    ],
  );
  table(
    `Console in Chromium, ${count(figures.records)} records`,
    [
      '',
      'times',
      'next paint p50 ms',
      'p95 ms',
      'shown p50 ms',
      'p95 ms',
      'longest ms',
      'requests',
      'server p50 ms',
      'p95 ms',
      'longest ms',
    ],
    activities.map(({ what, painted, server }) => {
      const next = painted.map((one) => one.next);
      const shown = painted.map((one) => one.shown);
      return [
        what,
        `${painted.length}`,
        ...[share(next, 0.5), share(next, 0.95), share(shown, 0.5), share(shown, 0.95), share(shown, 1)].map(ms),
        `${server.length}`,
        ...(server.length > 0
          ? [share(server, 0.5), share(server, 0.95), share(server, 1)].map((value) => fixed(value, 1))
          : ['', '', '']),
      ];
    }),
  );
  table(
    'Decisions over HTTP beside it',
    ['', 'requests', 'p50 ms', 'p99 ms', 'longest ms'],
    decisions.map(({ when, count: requests, p50, p99, max }) => [
      when,
      count(requests),
      ...[p50, p99, max].map((value) => fixed(value, 1)),
    ]),
  );
  process.stdout.write(
    `\nThe machine's load afterwards: ${loadavg()
      .map((load) => fixed(load, 1))
      .join(', ')}.\n`,
  );
}
