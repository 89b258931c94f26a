import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { PYTHON } from './python.js';

const sdk = fileURLToPath(new URL('../../../sdk/python', import.meta.url));

/** Its own packages need not be there: those of the other Python are of no version, but for what is compiled. */
const OLDEST = 'python3.9';
const where = 'import os, pytest; print(os.path.dirname(os.path.dirname(pytest.__file__)))';
const packages = spawnSync(PYTHON, ['-c', where], { encoding: 'utf8' }).stdout?.trim();
const env = { ...process.env, PYENV_VERSION: '3.9', PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: packages };
const here = spawnSync(OLDEST, ['-c', 'import pytest, h11'], { env }).status === 0;
if (!here)
  process.stderr.write(
    `\n*** SKIPPED: the Python SDK on its oldest Python: there is no ${OLDEST} with pytest. ***\n\n`,
  );

it.runIf(here)(
  `passes its own tests on ${OLDEST}, the shared vectors among them`,
  async () => {
    const args = ['-m', 'pytest', '-p', 'no:cacheprovider', '-q', 'tests/test_vectors.py', 'tests/test_client.py'];
    const { stdout } = await promisify(execFile)(OLDEST, args, { cwd: sdk, env }).catch((error) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    });
    expect(stdout).toMatch(/\d+ passed/);
  },
  600_000,
);
