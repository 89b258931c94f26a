import { bar } from '../bars.js';
import { measureDirectory } from '../directory.js';
import { count, fixed, table } from '../table.js';

const SIZE = { users: 100_000, groups: 5000, memberships: 1_000_000 };

/** `users` people with as many groups and memberships each as in the whole; else all. */
export async function directory(users = SIZE.users): Promise<void> {
  const part = users / SIZE.users;
  const size = { users, groups: SIZE.groups * part, memberships: SIZE.memberships * part };
  const { parts, seconds, decisions, suspended, residentBytes } = await measureDirectory(size);
  const all = `${count(size.users)} people, ${count(size.groups)} groups, ${count(size.memberships)} memberships`;
  bar(`${all} by SCIM, eight connections`, seconds / 60, 'at most', 15, ' min');
  for (const { where, idleP99, p99 } of decisions)
    bar(`decisions at the ${where} meanwhile, p99, of idle`, p99 / idleP99, 'at most', 2, ' ×');
  bar('suspended by SCIM until denied at the agent, p99', suspended.p99, 'at most', 250, ' ms');
  table(
    `${all}, by SCIM over eight connections`,
    ['', 'requests', 's', 'requests/s'],
    parts.map(({ what, requests, seconds: took }) => [what, count(requests), fixed(took, 0), count(requests / took)]),
  );
  table(
    'Decisions meanwhile, 100 a second at each',
    ['', 'idle p99 ms', 'p50 ms', 'p99 ms', 'max ms'],
    decisions.map(({ where, idleP99, p50, p99, max }) => [
      where,
      ...[idleP99, p50, p99, max].map((ms) => fixed(ms, 1)),
    ]),
  );
  table(
    'The same tenant',
    ['', ''],
    [
      [
        'suspended by SCIM until denied at the agent, p50, p99, max',
        [suspended.p50, suspended.p99, suspended.max].map((ms) => `${fixed(ms, 0)} ms`).join(', '),
      ],
      ['cloud resident', `${count(residentBytes / 2 ** 20)} MiB`],
    ],
  );
}
