import { loadavg } from 'node:os';
import { bar } from '../bars.js';
import { type FleetFigures, measureFleet, measureSpreadFleet } from '../fleet.js';
import { measureSuspensions } from '../suspensions.js';
import { count, fixed, table } from '../table.js';

export async function fleet(): Promise<void> {
  const { fleet: five, returns } = await measureFleet(5000, 20, [2, 12]);
  bar('5,000 agents, a commit a second: enforced, p99', five.enforced.p99, 'at most', 600, ' ms');
  bar('5,000 agents, a commit a second: commit answered, p99', five.committed.p99, 'at most', 50, ' ms');
  const { waiting, afterCommits } = five.bytesPerAgent;
  bar('5,000 agents that wait: resident each', waiting / 1024, 'at most', 40, ' KiB');
  bar('5,000 agents after 20 commits, one a second: resident each', afterCommits / 1024, 'at most', 40, ' KiB');
  for (const { outageSeconds, secondsUntilAllBack, refused } of returns) {
    const outage = `5,000 agents after an outage of ${outageSeconds} s`;
    bar(`${outage}: all are back`, secondsUntilAllBack, 'at most', outageSeconds <= 2 ? 10 : 35, ' s');
    bar(`${outage}: commits refused`, refused, 'at most', 0);
  }
  const twenty = await measureSpreadFleet(20_000, 6);
  bar('20,000 agents at three replicas, a commit in 5 s: enforced, p99', twenty.enforced.p99, 'at most', 3000, ' ms');
  const suspended = await measureSuspensions(1000, 100);
  bar('1,000 agents: a suspension until all enforce it, p99', suspended.enforced.p99, 'at most', 1000, ' ms');
  const rows: [string, FleetFigures][] = [
    ['one cloud on SQLite, a commit a second', five],
    ['three replicas on PostgreSQL, a commit in 5 s', twenty],
  ];
  table(
    'Agents that wait at the cloud (long polls, a connection each)',
    [
      'clouds',
      'agents',
      'enforced p50 ms',
      'p99 ms',
      'max ms',
      'commit answered p50 ms',
      'p99 ms',
      'polls failed',
      'KiB resident an agent: waiting',
      'after the commits',
      "processor ms a commit: clouds'",
      "the agents'",
    ],
    rows.map(([clouds, { agents, enforced, committed, failures, bytesPerAgent, processorMs }]) => [
      clouds,
      count(agents),
      ...[enforced.p50, enforced.p99, enforced.max, committed.p50, committed.p99].map((ms) => fixed(ms, 0)),
      Object.entries(failures)
        .map(([code, times]) => `${code}: ${times}`)
        .join(', ') || '0',
      fixed(bytesPerAgent.waiting / 1024, 1),
      fixed(bytesPerAgent.afterCommits / 1024, 1),
      fixed(processorMs.clouds, 0),
      fixed(processorMs.agents, 0),
    ]),
  );
  table(
    '5,000 agents come back after the cloud was away, commits go on',
    ['outage s', 's until all are back', 'commits', 'refused'],
    returns.map(({ outageSeconds, secondsUntilAllBack, commits, refused }) => [
      `${outageSeconds}`,
      fixed(secondsUntilAllBack, 1),
      `${commits}`,
      `${refused}`,
    ]),
  );
  table(
    '1,000 agents, a suspension a second',
    ['', 'p50 ms', 'p99 ms', 'max ms'],
    [
      [
        'from its sending until the cloud answers that all enforce it',
        ...[suspended.enforced.p50, suspended.enforced.p99, suspended.enforced.max].map((ms) => fixed(ms, 0)),
      ],
      [
        'the same by "servicectl suspend --wait=enforced", with the start of its process',
        ...[fixed(suspended.command.p50, 0), '', fixed(suspended.command.max, 0)],
      ],
    ],
  );
  process.stdout.write(
    `\nThe machine's load afterwards: ${loadavg()
      .map((load) => fixed(load, 1))
      .join(', ')}.\n`,
  );
}
