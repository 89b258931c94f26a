import { randomUUID } from 'node:crypto';
import { newClientSecret } from './auth/secrets.js';
import type { Cloud } from './cloud.js';
import { createTenant } from './commands/create-tenant.js';
import type { CloudConfig } from './config.js';

/**
 * Makes the first tenant of an empty store, and its administrator, who is also an operator. A secret that is made here
 * is given to `announce` before it is stored, so that no crash between the two can lose it.
 */
export async function bootstrap(
  cloud: Pick<Cloud, 'store' | 'tenants' | 'credentials' | 'now'>,
  config: CloudConfig['bootstrap'],
  announce: (text: string) => void,
): Promise<void> {
  if (cloud.tenants.size > 0) return;
  const given = config.client
    ? { clientId: config.client.id, secret: config.client.secret.reveal() }
    : { clientId: randomUUID(), secret: newClientSecret() };
  if (!config.client) {
    announce(
      `First administrator of the tenant "${config.tenant}", shown this once:\n` +
        `  SERVICE_CLIENT_ID=${given.clientId}\n  SERVICE_CLIENT_SECRET=${given.secret}\n`,
    );
  }
  await createTenant(cloud, {
    name: config.tenant,
    by: { kind: 'bootstrap', id: 'bootstrap', name: 'bootstrap' },
    requestId: randomUUID(),
    now: cloud.now(),
    operator: true,
    given,
  });
}
