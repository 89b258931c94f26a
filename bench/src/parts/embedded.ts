import { bar } from '../bars.js';
import { measureEmbedded } from '../embedded.js';
import { count, fixed, table } from '../table.js';

export async function embedded(): Promise<void> {
  const { records, turns } = await measureEmbedded();
  table(
    `Turns of the event loop around an embedded decision point of ${count(records)} records, by processor time`,
    ['', 'takes, s', 'longest turns without garbage, ms', 'longest with it, ms'],
    turns.map(({ phase, seconds, longest, withGarbage }) => [
      ...[phase, fixed(seconds), longest.map((one) => fixed(one, 1)).join(', '), fixed(withGarbage, 1)],
    ]),
  );
  bar('longest turn of the event loop, ms', Math.max(...turns.flatMap(({ longest }) => longest)), 'at most', 5);
}
