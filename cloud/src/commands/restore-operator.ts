import { ProblemError } from '@authz-service/core/problem';
import type { Cloud } from '../cloud.js';
import { ADMINISTRATOR, administrator, type NewTenant } from './create-tenant.js';
import type { GivenClient } from './mint-secrets.js';
import { prepareCommit } from './prepare-commit.js';

/** Creates a new operator client in an existing tenant. Throws `invalid_config` if its id is in use. */
export async function restoreOperator(
  cloud: Pick<Cloud, 'store' | 'tenants' | 'credentials'>,
  command: Omit<NewTenant, 'given'> & { given: GivenClient },
): Promise<void> {
  if (cloud.credentials.client(command.given.clientId)) {
    throw new ProblemError(
      'invalid_config',
      `SERVICE_BOOTSTRAP_CLIENT_ID "${command.given.clientId}" is a client that is not an operator: ` +
        'choose another id for the new operator.',
    );
  }
  const tenant = await cloud.tenants.get(cloud.tenants.named(command.name)?.id ?? '');
  await tenant.exclusive(async () => {
    let name = ADMINISTRATOR;
    for (let number = 2; tenant.state.get(`oauth_client/${name}`); number += 1) name = `${ADMINISTRATOR}-${number}`;
    const fields = administrator(name, 'Created at a start, to recover an installation without an operator.');
    const prepared = await prepareCommit(tenant, {
      ...command,
      changes: [{ op: 'create', kind: 'oauth_client', fields }],
    });
    if (prepared === undefined) throw new Error('no client was made');
    await cloud.store.commit(prepared.commit);
    await tenant.follow(prepared.staged, prepared.commit.audit, () =>
      cloud.credentials.follow(tenant.id, prepared.commit.revision, prepared.staged, prepared.commit.secrets),
    );
  });
}
