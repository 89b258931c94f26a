import { nounOf } from '@authz-service/core/state/kind-words';
import type { ServiceClient } from '@authz-service/sdk/client';
import { boolean } from '@oclif/core/flags';
import { Declined, UsageError } from '../errors/usage-error.js';
import { ask, canAsk } from '../output/ask.js';
import { err } from '../output/terminal.js';
import type { Outcome } from '../service-command.js';

export const yesFlag = boolean({ char: 'y', description: 'Do not ask for confirmation.' });

/** Deletes a credential by its name or id, after a person has typed it again or `yes` was given. */
export async function deleteCredential(
  connect: () => Promise<ServiceClient>,
  kind: 'api_key' | 'oauth_client',
  name: string,
  { yes, stack, signal }: { yes: boolean; stack: string | undefined; signal: AbortSignal },
): Promise<Outcome> {
  const what = `the ${nounOf(kind)} "${name}"`;
  if (!yes && !canAsk()) throw new UsageError(`Deleting ${what} cannot be undone: without a terminal, pass --yes.`);
  const records = (await connect()).records(kind);
  if (!yes) {
    // No confirmation is asked for something that does not exist.
    await records.get(name, { signal });
    await confirm(what, name);
  }
  await records.delete(name, { signal, stack });
  return { json: { deleted: name }, text: `Deleted ${what}.` };
}

async function confirm(what: string, name: string): Promise<void> {
  const typed = await ask(
    err.style('bold', `Every program that uses ${what} will be refused. Type "${name}" to continue: `),
  );
  if (typed.trim() !== name) throw new Declined('That is another name: nothing was deleted.');
}
