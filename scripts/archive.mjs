/** Archives of a release: equal contents give equal archives. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';

/** Zips files, each given by name as its bytes and its mode: regular files of Unix, with the earliest time of zip archives. */
export function zipped(files) {
  const entry = (data, mode) => [data, { os: 3, attrs: ((0o100000 | mode) << 16) >>> 0, mtime: new Date(1980, 0, 1) }];
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, [data, mode]]) => [name, entry(data, mode)])));
}

/** Writes the digests of the files of one program in a folder, `servicectl_0.1.0_*`, beside them. */
export function writeSums(folder, prefix) {
  const name = `${prefix}_SHA256SUMS`;
  const names = readdirSync(folder).filter((one) => one.startsWith(`${prefix}_`) && !one.startsWith(name));
  const digest = (one) =>
    createHash('sha256')
      .update(readFileSync(join(folder, one)))
      .digest('hex');
  writeFileSync(
    join(folder, name),
    names
      .sort()
      .map((one) => `${digest(one)}  ${one}\n`)
      .join(''),
  );
  return name;
}
