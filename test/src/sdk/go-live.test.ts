import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMINISTRATOR } from '../e2e/cloud/cloud-process.js';
import { goEnv } from './go-env.js';
import { DecisionPoint } from './guarded-routes/decision-point.js';
import { installed } from './installed.js';

const sdk = fileURLToPath(new URL('../../../sdk/go', import.meta.url));

describe.runIf(installed('go', 'version', 'the Go SDK against cloud and agent'))('the Go SDK', () => {
  let point: DecisionPoint;
  beforeAll(async () => {
    point = await DecisionPoint.start();
  });
  afterAll(() => point?.stop());

  it('asks and manages a real cloud and a real agent', async () => {
    const env = {
      ...goEnv,
      AUTHZ_LIVE_CLOUD: await point.cloud.url(),
      AUTHZ_LIVE_CLIENT_ID: ADMINISTRATOR.clientId,
      AUTHZ_LIVE_CLIENT_SECRET: ADMINISTRATOR.clientSecret,
      AUTHZ_LIVE_AGENT: await point.agent.url(),
    };
    const args = ['test', '-race', '-count=1', '-v', '-run', 'Live', '.'];
    const { stdout } = await promisify(execFile)('go', args, { cwd: sdk, env }).catch((error) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    });
    expect(stdout.match(/^--- PASS: TestLive/gm)).toHaveLength(3);
    expect(stdout).not.toContain('--- SKIP');
  }, 600_000);
});
