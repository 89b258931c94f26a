import { randomUUID } from 'node:crypto';
import { hashGeneratedSecret, newClientSecret } from '../auth/secrets.js';
import type { Cloud } from '../cloud.js';
import { createTenant } from '../commands/create-tenant.js';
import type { GivenClient } from '../commands/mint-secrets.js';
import { restoreOperator } from '../commands/restore-operator.js';
import type { CloudConfig } from '../config/config.js';

/**
 * Creates the first tenant of an empty store, and its administrator, who is also an operator. A generated secret is
 * passed to `announce` before it is stored, so that no crash in between can lose it. If the store has tenants but no
 * operator any more, or the operators have lost their secrets (`recover`), the configured client becomes an operator.
 */
export async function bootstrap(
  cloud: Pick<Cloud, 'store' | 'tenants' | 'credentials' | 'clientSecrets' | 'now' | 'log'>,
  config: CloudConfig['bootstrap'],
  announce: (text: string) => void,
): Promise<void> {
  const now = cloud.now();
  if (cloud.tenants.size > 0) {
    const hasOperator = [...cloud.credentials.operators()].some(({ expiresAt }) => expiresAt > now);
    const isOperator = cloud.credentials.client(config.client?.id ?? '')?.operator ?? false;
    const kept = hasOperator && (isOperator || !config.recover);
    if (kept) await warnOfIgnored(cloud, config.client);
    if (kept || !config.client) return;
    const reason = hasOperator ? 'SERVICE_BOOTSTRAP_RECOVER asks for an operator' : 'no operator is left';
    cloud.log.warn({ tenant_name: config.tenant, credential: config.client.id }, `${reason}: making one`);
  }
  const given = await administratorOf(cloud, config.client);
  if (!config.client) {
    announce(
      `First administrator of the tenant "${config.tenant}", shown only once:\n` +
        `  SERVICE_CLIENT_ID=${given.clientId}\n  SERVICE_CLIENT_SECRET=${given.secret}\n`,
    );
  }
  const by = { kind: 'bootstrap', id: 'bootstrap', name: 'bootstrap' } as const;
  const command = { name: config.tenant, by, requestId: randomUUID(), now, operator: true, given };
  if (cloud.tenants.named(config.tenant)) await restoreOperator(cloud, command);
  else await createTenant(cloud, command);
}

/** The configured or generated id and secret of the new administrator. */
async function administratorOf(
  { clientSecrets }: Pick<Cloud, 'clientSecrets'>,
  client: CloudConfig['bootstrap']['client'],
): Promise<GivenClient> {
  if (client) {
    const secret = client.secret.reveal();
    return { clientId: client.id, secret, hash: await clientSecrets.hashChosen(secret, 'bootstrap') };
  }
  const secret = newClientSecret();
  return { clientId: randomUUID(), secret, hash: hashGeneratedSecret(secret) };
}

/** Warns that the configured client will be refused: most likely the folder was first used with another secret. */
async function warnOfIgnored(
  { credentials, clientSecrets, log }: Pick<Cloud, 'credentials' | 'clientSecrets' | 'log'>,
  client: CloudConfig['bootstrap']['client'],
): Promise<void> {
  if (!client) return;
  const stored = credentials.client(client.id)?.hash;
  const attempt = { address: 'bootstrap', clientId: client.id };
  if (await clientSecrets.verify([client.secret.reveal()], stored === undefined ? [] : [stored], attempt)) return;
  log.warn(
    { credential: client.id },
    'SERVICE_BOOTSTRAP_CLIENT_ID and its secret are ignored: the database has another administrator, or this one with another secret: use that one, or start once with the id of a new client and SERVICE_BOOTSTRAP_RECOVER=true, which makes that an operator',
  );
}
