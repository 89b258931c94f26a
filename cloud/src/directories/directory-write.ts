import type { Credential } from '../auth/credential.js';
import type { Committed } from '../commands/commit.js';
import type { Tenant } from '../tenants/tenant.js';
import type { Plan, PlannedWrite } from './planned-write.js';

export interface DirectoryWrite {
  credential: Credential & { directory: string };
  plan: Plan;
  requestId: string;
  now: number;
  charge: (changes: number) => void;
}

export interface WriteResult {
  tenant: Tenant;
  planned: PlannedWrite;
  revision: Committed['revision'];
}

/** A write that no commit has taken yet. */
export interface Waiting extends DirectoryWrite {
  charged: boolean;
  resolve(result: WriteResult): void;
  reject(error: unknown): void;
}
