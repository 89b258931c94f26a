import type { Knex } from 'knex';
import * as initial from './0001-initial.js';
import * as bundleKeys from './0002-bundle-keys.js';
import * as history from './0003-history.js';
import * as erasures from './0004-erasures.js';
import * as consoleSessions from './0005-console-sessions.js';
import * as many from './0006-many-processes.js';
import * as recordOrigins from './0007-record-origins.js';
import * as agents from './0008-agents.js';
import * as credentialsOff from './0009-credentials-off.js';
import * as signOffs from './0010-sign-offs.js';
import * as credentialUses from './0012-credential-uses.js';
import * as tenantUse from './0013-tenant-use.js';
import * as epochs from './0014-epochs.js';
import * as newCommits from './0015-new-commits.js';
import * as rotations from './0016-rotations.js';
import * as commitSources from './0017-commit-sources.js';
import * as agentIds from './0018-agent-ids.js';
import * as directoryBrakes from './0019-directory-brakes.js';
import * as directoryLosses from './0020-directory-losses.js';
import * as syncLeases from './0021-sync-leases.js';

type Named = Knex.Migration & { name: string };

/** All migrations in order, listed in code because built programs keep no folder to scan. */
const MIGRATIONS: Named[] = [
  { name: '0001-initial', ...initial },
  { name: '0002-bundle-keys', ...bundleKeys },
  { name: '0003-history', ...history },
  { name: '0004-erasures', ...erasures },
  { name: '0005-console-sessions', ...consoleSessions },
  { name: '0006-many-processes', ...many },
  { name: '0007-record-origins', ...recordOrigins },
  { name: '0008-agents', ...agents },
  { name: '0009-credentials-off', ...credentialsOff },
  { name: '0010-sign-offs', ...signOffs },
  { name: '0012-credential-uses', ...credentialUses },
  { name: '0013-tenant-use', ...tenantUse },
  { name: '0014-epochs', ...epochs },
  { name: '0015-new-commits', ...newCommits },
  { name: '0016-rotations', ...rotations },
  { name: '0017-commit-sources', ...commitSources },
  { name: '0018-agent-ids', ...agentIds },
  { name: '0019-directory-brakes', ...directoryBrakes },
  { name: '0020-directory-losses', ...directoryLosses },
  { name: '0021-sync-leases', ...syncLeases },
];

export const migrations: Knex.MigrationSource<Named> = {
  getMigrations: async () => MIGRATIONS,
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => migration,
};
