import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Change } from '@authz-service/core/state/change';
import type { ServiceClient } from '@authz-service/sdk/client';
import { BenchCloud, share } from './clouds.js';
import { type AnswerTimes, askedUntil } from './neighbours.js';
import { KINDS_OF_COMMITS, rules, ungoverned } from './rules-tenant.js';

export interface ServedCommits {
  readonly kind: string;
  /** Milliseconds until the commit is answered, without and under the rules. */
  readonly bare: number;
  readonly ruled: number;
  /** The longest of those under the rules. */
  readonly longest: number;
  /** Decisions of the same tenant while such commits follow one another. */
  readonly decisions: AnswerTimes;
}

export interface ServedFigures {
  readonly records: number;
  /** Decisions while nobody commits. */
  readonly alone: AnswerTimes;
  readonly commits: readonly ServedCommits[];
}

const ROUNDS = 20;
const CHANGES_PER_COMMIT = 20_000;
const QUESTION = {
  subject: { type: 'user', id: 's0-1' },
  action: { name: 'list' },
  resource: { type: 'a0/doc', id: 'r1' },
};

/** The removal of each kind, and what puts it back. */
const DENIES: Record<string, { kind: 'policy_assignment'; fields: object }> = {
  'a DENY for everyone removed': denied('a0/stop'),
  'a DENY for everyone on homes, removed': denied('home/freeze'),
};

function denied(policy: string): { kind: 'policy_assignment'; fields: object } {
  return { kind: 'policy_assignment', fields: { policy, entity_type: 'everyone', entity: '*' } };
}

/** A built cloud as a process: the worst commits for access rules, and decisions of their tenant meanwhile. */
export async function measureServedRules(): Promise<ServedFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-bench-'));
  const cloud = await BenchCloud.start({ folder });
  try {
    const client = cloud.client();
    const records = [...ungoverned()];
    const isLink = ({ kind }: StoredRecord) => /_(membership|assignment)$/.test(kind);
    await create(client, [...records.filter((record) => !isLink(record)), ...records.filter(isLink)]);
    const key = String((await client.records('api_key').create({ name: 'bench', scopes: ['decisions'] })).secret);
    const asked = (end: Promise<unknown>) => askedUntil(cloud.url, key, QUESTION, end);
    const bare = new Map<string, number[]>();
    for (const kind of Object.keys(DENIES)) bare.set(kind, await commitsOf(client, kind));

    await create(client, [...rules()]);
    const alone = await asked(wait(5000));
    const commits: ServedCommits[] = [];
    for (const kind of Object.keys(DENIES)) {
      const committing = commitsOf(client, kind);
      const decisions = await asked(committing);
      const ruled = await committing;
      commits.push({
        ...{ kind, bare: share(bare.get(kind) ?? [], 0.5), ruled: share(ruled, 0.5) },
        ...{ longest: Math.max(...ruled), decisions },
      });
    }
    return { records: records.length, alone, commits };
  } finally {
    await cloud.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds of each commit that takes the DENY away; it is put back between them. */
async function commitsOf(client: ServiceClient, kind: string): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    await commit(client, [KINDS_OF_COMMITS[kind]?.(0) as Change]).catch((error: { code?: string }) => {
      if (error.code !== 'access_rule_violated') throw error;
    });
    times.push(performance.now() - began);
    await commit(client, [{ op: 'create', ...DENIES[kind] } as unknown as Change]).catch((error: { code?: string }) => {
      // The rules refused to take it away.
      if (error.code !== 'already_exists') throw error;
    });
  }
  return times;
}

async function create(client: ServiceClient, records: readonly StoredRecord[]): Promise<void> {
  for (let at = 0; at < records.length; at += CHANGES_PER_COMMIT) {
    const part = records.slice(at, at + CHANGES_PER_COMMIT);
    await commit(
      client,
      part.map(({ kind, fields }) => ({ op: 'create', kind, fields }) as unknown as Change),
    );
  }
}

async function commit(client: ServiceClient, changes: readonly Change[]): Promise<void> {
  await client.changeset({ changes: changes as Parameters<ServiceClient['changeset']>[0]['changes'] });
}
