import { ProblemError } from '@authz-service/core/problem';
import { BundleState } from '@authz-service/embedded/bundle/bundle-state';
import { SyncLog } from '@authz-service/embedded/bundle/sync-log';
import { expect, it } from 'vitest';
import type { Logger } from './log.js';
import { AgentMetrics } from './metrics.js';

it('logs a cause when it first appears, again when its status is another one, and not when its seconds are', () => {
  const lines: string[] = [];
  const log = { warn: ({ error }: { error: string }) => lines.push(error), error: () => {} };
  const sync = new SyncLog(new BundleState(new AgentMetrics()), log as unknown as Logger);
  const causes = [
    'is 7 s old',
    'is 8 s old',
    'silent for 9 seconds',
    'silent for 1 second',
    'status 502',
    'status 503',
  ];
  for (const cause of causes) sync.failed(new ProblemError('network', cause));
  expect(lines).toEqual(['is 7 s old', 'silent for 9 seconds', 'silent for 1 second', 'status 502', 'status 503']);
});
