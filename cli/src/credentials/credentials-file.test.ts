import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from '@authz-service/core/plan/plan';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCredentialsFile } from './credentials-file.js';

const planOf = (kind: string, action: string): Plan => ({ changes: [{ kind, action }] }) as unknown as Plan;
const MAKES_A_KEY = planOf('api_key', 'create');
const SECRET = { address: 'api_key/ci', id: 'i', secret: 'svc_x' };

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-credentials-'));
  path = join(folder, 'credentials.json');
});
afterEach(() => rm(folder, { recursive: true }));

describe('openCredentialsFile', () => {
  it('keeps the secrets where their owner alone can read them', async () => {
    const file = await openCredentialsFile(path, MAKES_A_KEY);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await file?.write([SECRET]);
    await file?.close();
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ credentials: [SECRET] });
  });

  it('leaves nothing behind where no secret came', async () => {
    await (await openCredentialsFile(path, MAKES_A_KEY))?.close();
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  it('writes over nothing', async () => {
    await writeFile(path, 'precious');
    await expect(openCredentialsFile(path, MAKES_A_KEY)).rejects.toThrow(/exists already/);
    expect(await readFile(path, 'utf8')).toBe('precious');
  });

  it('fails before anything is applied where the folder is missing', async () => {
    await expect(openCredentialsFile(join(folder, 'x/y'), MAKES_A_KEY)).rejects.toThrow('ENOENT');
  });

  it.each([planOf('role', 'create'), planOf('api_key', 'delete')])(
    'makes no file for a plan without new credentials',
    async (plan) => {
      expect(await openCredentialsFile(path, plan)).toBeUndefined();
      await expect(stat(path)).rejects.toThrow('ENOENT');
    },
  );
});
