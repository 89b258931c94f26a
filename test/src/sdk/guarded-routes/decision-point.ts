import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentProcess, agentEnv } from '../../e2e/agent/agent-process.js';
import { CloudProcess } from '../../e2e/cloud/cloud-process.js';

const READ = { application: 'billing', name: 'read', effect: 'ALLOW', resource_type: 'billing/invoice' };
const OWN = { ...READ, name: 'read-own', condition: 'resource.properties.owner == subject.id' };
const READS_OWN = { policy: 'billing/read-own', entity_type: 'subject', entity: 'user/carol' };
const INVOICE = { application: 'billing', name: 'invoice', actions: ['read'], properties: { owner: 'string' } };
const READS = { policy: 'billing/read', entity_type: 'subject', entity: 'user/alice' };

/** A cloud whose tenant lets alice read invoices and carol her own, and an agent of it, as processes. */
export class DecisionPoint {
  private constructor(
    private readonly home: string,
    readonly cloud: CloudProcess,
    readonly agent: AgentProcess,
  ) {}

  static async start(): Promise<DecisionPoint> {
    const home = mkdtempSync(join(tmpdir(), 'guarded-routes-'));
    const cloud = new CloudProcess(join(home, 'cloud'));
    const admin = await cloud.client();
    const { revision } = await admin.changeset({
      changes: [
        { op: 'create', kind: 'application', fields: { name: 'billing' } },
        { op: 'create', kind: 'resource_type', fields: INVOICE },
        { op: 'create', kind: 'policy', fields: { ...READ, actions: ['read'] } },
        { op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice' } },
        { op: 'create', kind: 'policy_assignment', fields: READS },
        { op: 'create', kind: 'policy', fields: { ...OWN, actions: ['read'] } },
        { op: 'create', kind: 'subject', fields: { type: 'user', id: 'carol' } },
        { op: 'create', kind: 'policy_assignment', fields: READS_OWN },
      ],
    });
    const { secret } = await admin.records('api_key').create({ name: 'agent', scopes: ['bundle'] });
    const agent = new AgentProcess({
      env: agentEnv(home, await cloud.url(), { SERVICE_API_KEY: secret, SERVICE_POLL_INTERVAL: '50ms' }),
    });
    await agent.healthy(({ status, bundle_revision }) => status === 'ok' && bundle_revision >= revision);
    return new DecisionPoint(home, cloud, agent);
  }

  async stop(): Promise<void> {
    this.agent.signal('SIGCONT');
    await Promise.all([this.agent.kill(), this.cloud.kill()]);
    rmSync(this.home, { recursive: true, force: true });
  }
}
