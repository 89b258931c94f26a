import { bar } from '../bars.js';
import { measureSync } from '../sync.js';
import { fixed, table } from '../table.js';

export async function sync(): Promise<void> {
  const { poll, webhook } = await measureSync(1000, 50);
  bar('a commit in Git until 1,000 agents enforce it, poll of 1 s, p99', poll.p99, 'at most', 4000, ' ms');
  bar('a commit in Git until 1,000 agents enforce it, webhook, p99', webhook.p99, 'at most', 2500, ' ms');
  table(
    'From a commit in Git until 1,000 agents enforce it',
    ['', 'p50 ms', 'p99 ms'],
    [
      ['poll of 1 s', fixed(poll.p50, 0), fixed(poll.p99, 0)],
      ['webhook', fixed(webhook.p50, 0), fixed(webhook.p99, 0)],
    ],
  );
}
