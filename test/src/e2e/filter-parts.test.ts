import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPdp } from '@authz-service/embedded';
import { type DecisionPoint, ServiceClient } from '@authz-service/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { CloudProcess } from './cloud/cloud-process.js';

const INVOICES = 10_500;
const QUESTION = { subject: { type: 'user', id: 'alice' }, action: { name: 'read' }, resource: { type: 'invoice' } };

describe('a filter that lists more than 10,000 names', () => {
  const home = mkdtempSync(join(tmpdir(), 'filter-parts-'));
  let cloud: CloudProcess;
  let agent: AgentProcess;
  let embedded: EmbeddedPdp;
  let points: Record<string, DecisionPoint>;

  beforeAll(async () => {
    cloud = new CloudProcess(join(home, 'cloud'));
    const admin = await cloud.client();
    const create = (kind: string, fields: object) => ({ op: 'create', kind, fields }) as never;
    const policy = { application: 'billing', name: 'own', effect: 'ALLOW', resource_type: 'billing/invoice' };
    const condition = 'resource.properties.owner == subject.id';
    await admin.changeset({
      changes: [
        create('application', { name: 'billing' }),
        create('resource_type', {
          ...{ application: 'billing', name: 'invoice', actions: ['read'] },
          ...{ properties: { owner: 'string' }, from_requests: [] },
        }),
        create('policy', { ...policy, actions: ['read'], condition }),
        create('subject', { type: 'user', id: 'alice' }),
        create('policy_assignment', { policy: 'billing/own', entity_type: 'subject', entity: 'user/alice' }),
      ],
    });
    for (let from = 0; from < INVOICES; from += 3_500) {
      const names = Array.from({ length: 3_500 }, (_, at) => `INV-${from + at}`);
      const properties = { owner: 'alice' };
      await admin.changeset({
        changes: names.map((name) => create('resource', { type: 'billing/invoice', name, properties })),
      });
    }
    const { revision } = await admin.changeset({ changes: [create('subject', { type: 'user', id: 'bob' })] });
    const { secret } = await admin.records('api_key').create({ name: 'agent', scopes: ['bundle'] });
    const url = await cloud.url();
    agent = new AgentProcess({
      env: agentEnv(home, url, { SERVICE_API_KEY: secret, SERVICE_POLL_INTERVAL: '50ms' }),
    });
    await agent.healthy(({ status, bundle_revision }) => status === 'ok' && bundle_revision >= revision);
    embedded = await EmbeddedPdp.start({ cloudUrl: url, apiKey: secret, cacheDir: join(home, 'embedded') });
    points = { cloud: admin, agent: new ServiceClient({ url: await agent.url() }), embedded };
  });
  afterAll(async () => {
    await embedded?.stop();
    await Promise.all([agent?.kill(), cloud?.kill()]);
    rmSync(home, { recursive: true, force: true });
  });

  it.each(['cloud', 'agent', 'embedded'])('is refused as a whole and had in parts: %s', async (name) => {
    const point = points[name] as DecisionPoint;
    await expect(point.filterRows(QUESTION)).rejects.toMatchObject({ code: 'filter_too_large' });
    const listed: unknown[] = [];
    let parts = 0;
    for await (const { kind, condition } of point.filterParts(QUESTION)) {
      parts++;
      expect([kind, condition?.op]).toEqual(['some', 'in']);
      if (condition?.op === 'in') listed.push(...condition.values);
    }
    expect(parts).toBe(2);
    expect([listed.length, new Set(listed).size]).toEqual([INVOICES, INVOICES]);
  });
});
