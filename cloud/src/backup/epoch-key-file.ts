import { readFile, writeFile } from 'node:fs/promises';
import { type EpochSigner, epochSigner, makeEpochKey } from '@authz-service/core/bundle/epoch';
import { ProblemError } from '@authz-service/core/problem';
import { isInside } from '../config/is-inside.js';

/** Makes a key that signs epochs, in a file that only its owner can read. Returns its id. Throws `conflict` if the file exists. */
export async function makeEpochKeyFile(file: string): Promise<string> {
  const jwk = await makeEpochKey();
  try {
    await writeFile(file, `${JSON.stringify(jwk, undefined, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (cause) {
    const { code = 'error' } = cause as NodeJS.ErrnoException;
    const taken = `"${file}" exists already: name another file; who loses an epoch key loses the agents that know it.`;
    if (code === 'EEXIST') throw new ProblemError('conflict', taken);
    throw new ProblemError('invalid_config', `No key can be written to "${file}" (${code}).`, [], { cause });
  }
  return jwk.kid;
}

/** Reads such a file. Throws `invalid_config`, also if it lies in the folder of the database, whose backups would have it. */
export async function readEpochKeyFile(file: string, place: { dataDir: string } | object): Promise<EpochSigner> {
  if ('dataDir' in place && isInside(file, place.dataDir))
    throw fault(file, `lies in the data directory, and so in its backups: keep it elsewhere`);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw fault(file, `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
  try {
    return await epochSigner(JSON.parse(text));
  } catch {
    // The cause may hold the key.
    throw fault(file, 'holds no epoch key: make one with "servicectl cloud make-epoch-key"');
  }
}

function fault(file: string, detail: string): ProblemError {
  return new ProblemError('invalid_config', `The epoch key file "${file}" ${detail}.`);
}
