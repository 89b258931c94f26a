import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import { answering, type Running, root, start } from './processes.js';

/** An agent of a cloud whose tenant lets alice read invoices; what is started is added to `running`. */
export async function startDecisionPoint(folder: string, running: Running[]): Promise<string> {
  const secret = randomBytes(24).toString('base64url');
  const cloud = await start(
    join(root, 'node_modules/.bin/service'),
    ['cloud', 'start', '--data-dir', join(folder, 'cloud'), '--listen-addr', '127.0.0.1:0'],
    { HOME: folder, SERVICE_BOOTSTRAP_CLIENT_ID: 'bench', SERVICE_BOOTSTRAP_CLIENT_SECRET: secret },
  );
  running.push(cloud);
  const client = new ServiceClient({ url: cloud.url, credentials: { clientId: 'bench', clientSecret: secret } });
  await client.changeset({
    changes: [
      { op: 'create', kind: 'application', fields: { name: 'billing' } },
      { op: 'create', kind: 'resource_type', fields: { application: 'billing', name: 'invoice', actions: ['read'] } },
      {
        op: 'create',
        kind: 'policy',
        fields: {
          application: 'billing',
          name: 'read',
          effect: 'ALLOW',
          resource_type: 'billing/invoice',
          actions: ['read'],
        },
      },
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice' } },
      {
        op: 'create',
        kind: 'policy_assignment',
        fields: { policy: 'billing/read', entity_type: 'subject', entity: 'user/alice' },
      },
    ],
  });
  const { secret: key } = await client.records('api_key').create({ name: 'agent', scopes: ['bundle'] });
  const agent = await start(join(root, 'node_modules/.bin/service-agent'), [], {
    HOME: folder,
    SERVICE_API_KEY: String(key),
    SERVICE_CLOUD_URL: cloud.url,
    SERVICE_LISTEN_ADDR: '127.0.0.1:0',
    SERVICE_CACHE_DIR: join(folder, 'cache'),
  });
  running.push(agent);
  await answering(`${agent.url}/readyz`);
  return agent.url;
}
