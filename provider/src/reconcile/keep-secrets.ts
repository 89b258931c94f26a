import { ProblemError } from '@authz-service/core/problem';
import type { ChangesetResult, IssuedSecret } from '@authz-service/sdk/wire';

export type CredentialsSink = (secrets: IssuedSecret[]) => Promise<void>;

/**
 * Passes the secrets of new credentials to the sink. The changes are made by then, so every error names the credentials
 * that nobody can use: `network` if the answer with their secrets was lost, `invalid_config` if the sink failed.
 */
export async function keepSecrets(
  { revision, secrets }: Pick<ChangesetResult, 'revision' | 'secrets'>,
  sink: CredentialsSink | undefined,
): Promise<void> {
  const issued = secrets.filter(isIssued);
  const made = `The changes are made, as revision ${revision}, but the secrets of`;
  const remedy = 'They are not shown again: delete these credentials and apply again to make new ones.';
  if (issued.length > 0) {
    try {
      await sink?.(issued);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new ProblemError('invalid_config', `${made} ${named(issued)} could not be kept: ${why}. ${remedy}`, [], {
        cause: error,
      });
    }
  }
  const lost = secrets.filter((secret) => !isIssued(secret));
  if (lost.length > 0) {
    throw new ProblemError('network', `${made} ${named(lost)} were lost with the first answer. ${remedy}`);
  }
}

function isIssued(secret: ChangesetResult['secrets'][number]): secret is IssuedSecret {
  return ('secret' in secret ? secret.secret : secret.client_secret) !== null;
}

function named(secrets: readonly { address: string }[]): string {
  return secrets.map(({ address }) => address).join(', ');
}
