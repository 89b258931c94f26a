import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { type Address, encodeSegment } from '@authz-service/core/records/address';
import type { Fields } from '@authz-service/core/records/registry';
import { ServiceClient } from '@authz-service/sdk/client';
import type { DecisionQuestion } from '@authz-service/sdk/question';
import type { ServiceError } from '@authz-service/sdk/service-error';
import { expect, it } from 'vitest';
import type { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { ADMIN } from '../../../cloud/testing/test-cloud.js';
import { type ConformanceCase, type ConformanceTenant, withIds } from './load.js';

/** A tenant of conformance cases, held by a running cloud. */
export interface HeldTenant {
  /** With the credential of the tenant's administrator. */
  client: ServiceClient;
  idOf(address: Address): string;
}

export function operatorOf(cloud: TestCloud): ServiceClient {
  return new ServiceClient({ url: cloud.url, credentials: { clientId: ADMIN.id, clientSecret: ADMIN.secret } });
}

/** Creates a tenant for the cases' records, with one change-set. */
export async function holdTenant(
  cloud: TestCloud,
  name: string,
  { records }: Pick<ConformanceTenant, 'records'>,
): Promise<HeldTenant> {
  const made = await operatorOf(cloud).tenants.create({ name });
  const credentials = { clientId: made.client_id, clientSecret: made.client_secret };
  const client = new ServiceClient({ url: cloud.url, credentials });
  const { created } = await client.changeset({
    changes: withActions(records).map(({ kind, fields }) => ({ op: 'create', kind, fields: { ...fields } })),
  });
  const ids = new Map(created.map(({ address, id }) => [address, id]));
  return {
    client,
    idOf: (address) => ids.get(address) ?? expect.fail(`the tenant has no record ${address}`),
  };
}

/**
 * Cases do not declare actions that only a policy names, because decisions do not check that, but the cloud requires
 * all of them.
 */
function withActions(records: readonly EngineRecord[]): EngineRecord[] {
  const named = new Map<string, string[]>();
  const name = (type: string, actions: readonly string[]) =>
    named.set(type, [...(named.get(type) ?? []), ...actions.filter((action) => action !== '*')]);
  for (const { kind, fields } of records) {
    if (kind !== 'policy') continue;
    const policy = fields as Fields<'policy'>;
    if (policy.resource_type !== undefined) name(policy.resource_type, policy.actions ?? []);
    for (const { resource, actions } of policy.resources ?? [])
      name(resource.split('/').slice(0, 2).join('/'), actions);
  }
  return records.map((record) => {
    if (record.kind !== 'resource_type') return record;
    const type = record.fields as Fields<'resource_type'>;
    const actions = [...type.actions, ...(named.get(`${type.application}/${encodeSegment(type.name)}`) ?? [])];
    return { ...record, fields: { ...type, actions } };
  });
}

/** One test for each case; those with a fixed time cannot be sent to a running service and are skipped. */
export function askCases(tenant: ConformanceTenant, held: () => HeldTenant & { asked: ServiceClient }): void {
  for (const one of tenant.cases) {
    it.skipIf(one.now !== undefined)(one.name, async () => {
      const { asked, idOf } = held();
      await check(asked, one, idOf);
    });
  }
}

async function check(client: ServiceClient, one: ConformanceCase, idOf: (address: Address) => string): Promise<void> {
  const question = withIds(one.request, idOf) as DecisionQuestion;
  const wanted = one.expect;
  if ('error' in wanted) {
    const problem = await client.decide(question).then(
      (answer) => expect.fail(`it was answered: ${JSON.stringify(answer)}`),
      (error: ServiceError) => error,
    );
    expect(problem).toMatchObject({ name: 'ServiceError', code: wanted.error });
    for (const part of wanted.detail ?? []) expect(problem.detail).toContain(part);
    const pointers = problem.errors.map((item) => item.pointer).sort();
    if (wanted.pointers !== undefined) expect(pointers).toEqual([...wanted.pointers].sort());
    return;
  }
  const { allowed, context } = await client.decide(question);
  expect({ decision: allowed, context }).toEqual({
    decision: wanted.decision,
    context: {
      access_path: wanted.access_path,
      reason: wanted.reason ?? expect.any(String),
      ...(wanted.policy !== undefined && { policy_id: idOf(wanted.policy) }),
    },
  });
}

/** Logs what ran and what did not. */
export function tally(tenants: readonly ConformanceTenant[], where: string): string {
  const cases = tenants.flatMap((tenant) => tenant.cases);
  const skipped = cases.filter((one) => one.now !== undefined).length;
  return `conformance over HTTP, ${where}: ${cases.length - skipped} cases asked, ${skipped} skipped that fix the clock`;
}
