import { loadavg } from 'node:os';
import { measureBackup } from '../backup.js';
import { bar } from '../bars.js';
import { median } from '../random.js';
import { count, fixed, table } from '../table.js';

export async function backup(): Promise<void> {
  const { bytes, backups, quiet, restoredAsItWas } = await measureBackup();
  const seconds = median(backups.map((one) => one.seconds));
  bar('backup of 100 MB under commits', seconds, 'at most', 5, ' s');
  bar('the backup restores to a state that was', Number(restoredAsItWas), 'at least', 1);
  table(
    `Backups of ${fixed(bytes / 2 ** 20, 0)} MiB beside writers that commit one record each, at most 270 a second in all`,
    ['', 's', 'commits a second meanwhile', 'commit answered p99 ms'],
    [
      ['before', '', count(quiet.commitsPerSecond), fixed(quiet.p99, 0)],
      ...backups.map((one, turn) => [
        `backup ${turn + 1}`,
        fixed(one.seconds, 1),
        count(one.commitsPerSecond),
        fixed(one.p99, 0),
      ]),
    ],
  );
  process.stdout.write(
    `\nThe machine's load afterwards: ${loadavg()
      .map((load) => fixed(load, 1))
      .join(', ')}.\n`,
  );
}
