import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMINISTRATOR } from '../e2e/cloud/cloud-process.js';
import { DecisionPoint } from './guarded-routes/decision-point.js';
import { PYTHON, pythonHas } from './python.js';

const sdk = fileURLToPath(new URL('../../../sdk/python', import.meta.url));

describe.runIf(pythonHas(['h11', 'pytest'], 'the Python SDK against cloud and agent'))('the Python SDK', () => {
  let point: DecisionPoint;
  beforeAll(async () => {
    point = await DecisionPoint.start();
  });
  afterAll(() => point?.stop());

  it('asks and manages a real cloud and a real agent', async () => {
    const env = {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      AUTHZ_LIVE_CLOUD: await point.cloud.url(),
      AUTHZ_LIVE_CLIENT_ID: ADMINISTRATOR.clientId,
      AUTHZ_LIVE_CLIENT_SECRET: ADMINISTRATOR.clientSecret,
      AUTHZ_LIVE_AGENT: await point.agent.url(),
    };
    const args = ['-m', 'pytest', '-p', 'no:cacheprovider', '-s', '-q', 'tests/test_live.py'];
    const { stdout } = await promisify(execFile)(PYTHON, args, { cwd: sdk, env }).catch((error) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    });
    expect(stdout).toContain('9 passed');
  }, 600_000);
});
