import { randomUUID } from 'node:crypto';
import { ProblemError } from '@authz-service/core/problem';
import { SCOPES } from '@authz-service/core/records/scopes';
import { TenantState } from '@authz-service/core/state/tenant-state';
import type { Credential } from '../auth/credential.js';
import { CredentialIndex } from '../auth/credential-index.js';
import type { Cloud } from '../cloud.js';
import { type AuditRow, type JudgeOperators, TakenNameError, type TenantRow } from '../store/store.js';
import { assertOperator } from './assert-operator.js';
import type { GivenClient } from './mint-secrets.js';
import { prepareCommit } from './prepare-commit.js';

/** The name of the client that administers a tenant from its first revision on. */
export const ADMINISTRATOR = 'administrator';

export interface NewTenant {
  name: string;
  by: AuditRow['credential'];
  requestId: string;
  now: number;
  /** The operator who asks for it; absent at a start. */
  credential?: Credential;
  operator?: boolean;
  given?: GivenClient;
}

/** Creates a tenant and its administrator client in one transaction. Throws `conflict` if the name is taken. */
export async function createTenant(
  cloud: Pick<Cloud, 'store' | 'tenants' | 'credentials' | 'revocationLog'>,
  command: NewTenant,
): Promise<{ tenant: TenantRow; client: { client_id: string; client_secret: string } }> {
  return await cloud.tenants.exclusive(async () => {
    if (cloud.tenants.named(command.name)) throw taken(command.name);
    const tenant: TenantRow = { id: randomUUID(), name: command.name, created_at: new Date(command.now).toISOString() };
    const prepared = await prepareCommit(
      { id: tenant.id, state: new TenantState([]), revisionNumber: 0, committedAt: 0 },
      {
        ...command,
        changes: [
          { op: 'create', kind: 'oauth_client', fields: administrator(ADMINISTRATOR, 'Created with the tenant.') },
        ],
      },
    );
    const [made] = prepared?.secrets ?? [];
    if (prepared === undefined || made === undefined || !('client_secret' in made))
      throw new Error('no client was made');
    const { commit, staged } = prepared;
    await cloud.revocationLog?.assertWritable();
    await cloud.store.createTenant(tenant, commit, stillOperator(command)).catch((error: unknown) => {
      throw error instanceof TakenNameError ? taken(command.name) : error;
    });
    cloud.tenants.add(tenant);
    cloud.credentials.follow(tenant.id, commit.revision, staged, commit.secrets);
    await cloud.revocationLog?.settle(tenant.id);
    return { tenant, client: { client_id: made.client_id, client_secret: made.client_secret } };
  });
}

/** Judges whether who asks still is an operator. */
export function stillOperator({
  credential,
  now,
}: {
  credential?: Credential | undefined;
  now: number;
}): JudgeOperators | undefined {
  return credential && ((operators) => assertOperator(new CredentialIndex(operators), credential, now));
}

/** The fields of a client that has every scope. */
export function administrator(
  name: string,
  description: string,
): { name: string; scopes: string[]; description: string } {
  return { name, scopes: [...SCOPES], description };
}

function taken(name: string): ProblemError {
  return new ProblemError('conflict', `There is already a tenant "${name}": choose another name.`);
}
