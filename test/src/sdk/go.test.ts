import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { goEnv } from './go-env.js';
import { installed } from './installed.js';

const run = promisify(execFile);
const sdk = fileURLToPath(new URL('../../../sdk/go', import.meta.url));

async function go(...args: string[]): Promise<string> {
  const { stdout, stderr } = await run('go', args, { cwd: sdk, env: goEnv, maxBuffer: 64 * 1024 * 1024 }).catch(
    (error) => {
      throw new Error(`go ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`);
    },
  );
  return stdout + stderr;
}

describe.runIf(installed('go', 'version', 'all tests of the Go SDK'))('the Go SDK', () => {
  it('is formatted by gofmt', async () => {
    expect((await run('gofmt', ['-l', '.'], { cwd: sdk })).stdout).toBe('');
  });

  it('has no findings of go vet', async () => {
    await go('vet', './...');
  });

  it('passes its own tests with the race detector, the shared vectors among them', async () => {
    const output = await go('test', '-race', '-count=1', '-v', './...');
    expect(output).toContain('--- PASS: TestVectors');
    expect(output).not.toContain('[no tests to run]');
  }, 600_000);

  it('needs no module but itself', async () => {
    expect((await go('list', '-m', 'all')).trim().split('\n')).toEqual(['github.com/authz-service/service/sdk/go']);
  });
});
