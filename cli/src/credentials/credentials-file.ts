import { open, unlink } from 'node:fs/promises';
import type { Plan } from '@authz-service/core/plan/plan';
import { isCredential } from '@authz-service/core/records/kinds';
import type { IssuedSecret } from '@authz-service/sdk/wire';
import { UsageError } from '../errors/usage-error.js';

/** A file that waits for secrets. */
export interface CredentialsFile {
  path: string;
  write(secrets: IssuedSecret[]): Promise<void>;
  /** Removes the file again if no secrets were written. */
  close(): Promise<void>;
}

/**
 * Opens the file before anything is applied: a full disk or a missing folder must not lose a secret that is shown only
 * once. Only its owner can read it from the start, and existing files are never overwritten. Undefined if the plan
 * creates no credential.
 */
export async function openCredentialsFile(path: string, plan: Plan): Promise<CredentialsFile | undefined> {
  if (!plan.changes.some(({ action, kind }) => action === 'create' && isCredential(kind))) return undefined;
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new UsageError(`--credentials-out "${path}" exists already and is not overwritten: name a new file.`);
  });
  let written = false;
  return {
    path,
    async write(secrets) {
      await file.writeFile(`${JSON.stringify({ credentials: secrets }, undefined, 2)}\n`);
      await file.sync();
      written = true;
    },
    async close() {
      await file.close();
      if (!written) await unlink(path);
    },
  };
}
