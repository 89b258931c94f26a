import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { AgentReport } from '@authz-service/pdp/contract/agent-report';
import { makeFolder } from '../cache/cache.js';
import type { Logger } from '../log.js';
import { VERSION } from '../version.js';
import type { BundleState } from './bundle-state.js';
import { revisionToken } from './served.js';

const FILE = 'agent-id';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The agent's own id, kept beside its cache. If it cannot be kept, each run has another one. */
export async function agentId(cacheDir: string, log: Logger): Promise<string> {
  const path = join(cacheDir, FILE);
  const kept = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (UUID.test(kept)) return kept;
  const id = randomUUID();
  try {
    await makeFolder(cacheDir);
    await writeFile(path, `${id}\n`, { mode: 0o600 });
  } catch (error) {
    const { message } = error as Error;
    log.warn(
      { path, error: message },
      'the id of this agent cannot be kept: the cloud will take its next run for another agent',
    );
  }
  return id;
}

/** Returns what the agent reports with each poll; nothing of decisions. `tenantId` is the tenant that it is to serve. */
export function reportOf(id: string, state: BundleState, tenantId?: string): AgentReport {
  const { served, knownAgeMs, maxAgeMs, consecutiveFailures, syncing } = state;
  const name = hostname();
  return {
    id,
    ...(/^[\x21-\x7e]{1,253}$/.test(name) && { name }),
    ...(VERSION !== undefined && { version: VERSION }),
    ...(tenantId !== undefined && /^[\x21-\x7e]{1,64}$/.test(tenantId) && { tenant: tenantId }),
    ...(served && { tenant: served.tenant.id, revision: revisionToken(served) }),
    ...(Number.isFinite(knownAgeMs) && { age: Math.ceil(knownAgeMs / 1000) }),
    ...(maxAgeMs !== undefined && { max_age: Math.ceil(maxAgeMs / 1000) }),
    ...(consecutiveFailures > 0 && syncing.lastError && { error: syncing.lastError.code }),
  };
}
