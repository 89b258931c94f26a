import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMINISTRATOR } from '../e2e/cloud/cloud-process.js';
import { DecisionPoint } from './guarded-routes/decision-point.js';
import { guardsRoutes } from './guarded-routes/guards-routes.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const examples = join(root, 'examples/guarded-routes');

describe.each([
  ['Express', 'express/main.mjs', {}],
  ['Express, with a list', 'express/list.mjs', { lists: true }],
  ['Fastify', 'fastify/main.mjs', { lists: true }],
  ['Nest', 'nest/dist/main.js', { lists: true }],
] as const)('routes guarded in %s', (_, program, more) => {
  guardsRoutes(async () => ({ command: process.execPath, args: [join(examples, program)], cwd: examples }), more);
});

/** Files in the README of the SDK, each named in the line before its block. */
const files = new Map(
  [
    ...readFileSync(join(root, 'sdk/node/README.md'), 'utf8').matchAll(
      /`([\w.]+\.\w+)`[^\n]*:\n\n```[jt]s\n(.*?)```/gs,
    ),
  ].map(([, name, text]) => [name ?? '', text ?? '']),
);

describe('the README of the Node SDK', () => {
  let folder: string;
  let point: DecisionPoint;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'node-readme-'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    point = await DecisionPoint.start();
  });
  afterAll(async () => {
    await point?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const node = (args: string[], env: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, args, { cwd: folder, env: { PATH: process.env.PATH, ...env } }).catch(
      (error) => {
        throw new Error(`${error.stdout}${error.stderr}`);
      },
    );

  it('has no block that is not tried here', () => {
    const blocks = readFileSync(join(root, 'sdk/node/README.md'), 'utf8').match(/^```[jt]s$/gm);
    expect([...files.keys()]).toEqual(['ask.ts', 'main.mjs', 'main.test.mjs', 'manage.ts']);
    expect(blocks).toHaveLength(files.size);
  });

  it('has the Express example', () => {
    expect(files.get('main.mjs')).toBe(readFileSync(join(examples, 'express/main.mjs'), 'utf8'));
  });

  it('has a test that passes', async () => {
    expect((await node(['--test', 'main.test.mjs'])).stdout).toMatch(/^# pass [1-9]/m);
  });

  it('has programs that compile strictly and do what it says', async () => {
    const options = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--types', 'node'];
    const form = ['--module', 'nodenext', '--target', 'es2023', '--skipLibCheck', 'false'];
    await node([join(root, 'node_modules/typescript/bin/tsc'), ...options, ...form, 'ask.ts', 'manage.ts']);
    expect((await node(['ask.js'], { AUTHZ_URL: await point.agent.url() })).stdout).toMatch(
      /^alice may\nbob false \S.*\nINV-1 true\nINV-2 true\nmay read: alice\n$/,
    );
    const cloud = {
      AUTHZ_CLOUD_URL: await point.cloud.url(),
      AUTHZ_CLIENT_ID: ADMINISTRATOR.clientId,
      AUTHZ_CLIENT_SECRET: ADMINISTRATOR.clientSecret,
    };
    expect((await node(['manage.js'], cloud)).stdout).toBe('created billing/clerk\nbilling/clerk\n');
  });
});
