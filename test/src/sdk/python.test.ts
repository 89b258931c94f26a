import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { installed } from './installed.js';
import { PYTHON, pythonHas } from './python.js';

const run = promisify(execFile);
const sdk = fileURLToPath(new URL('../../../sdk/python', import.meta.url));

/** Python packages that tests need: those that need an absent one say so, and are skipped. */
const NEEDED = ['h11', 'httpx', 'pytest', 'mypy'];

async function python(...args: string[]): Promise<string> {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout, stderr } = await run(PYTHON, args, { cwd: sdk, env }).catch((error) => {
    throw new Error(`python3 ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`);
  });
  return stdout + stderr;
}

const here = installed(PYTHON, '--version', 'all tests of the Python SDK') && pythonHas(NEEDED, 'the Python SDK');

describe.runIf(here)('the Python SDK', () => {
  it('has a client for threads that is generated from the one for asyncio', async () => {
    await python('scripts/unasync.py', '--check');
  });

  it('is typed, as mypy --strict sees it', async () => {
    await python('-m', 'mypy', '--no-incremental', '--cache-dir=/dev/null');
  }, 300_000);

  it('passes its own tests, the shared vectors among them', async () => {
    const output = await python('-m', 'pytest', '-p', 'no:cacheprovider', '-rs', '-v', '--ignore=tests/test_live.py');
    expect(output).toContain('test_vectors.py::test_threads');
    expect(output).toContain('test_vectors.py::test_asyncio');
    expect(output).toContain('test_readme.py::test_the_code_blocks_run');
    for (const [line] of output.matchAll(/^SKIPPED.*$/gm)) process.stderr.write(`\n*** ${line} ***\n`);
  }, 600_000);
});

const buildable = here && pythonHas(['build', 'setuptools', 'wheel', 'ensurepip'], 'the wheel of the Python SDK');

describe.runIf(buildable)('the Python package', () => {
  it('is built without the network, and works from its wheel', async () => {
    const { version } = JSON.parse(readFileSync(`${sdk}/../node/package.json`, 'utf8'));
    expect((await python('scripts/build.py')).split('\n')).toContain(version);
  }, 300_000);
});
