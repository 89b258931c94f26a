/**
 * Tries the packed Node SDK as its only user would: alone in an empty folder, compiled strictly with every declaration file
 * of it checked, once with a browser's library and once with Node's, and run against an agent.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const PROGRAM = `
import { type NewRecord, ServiceClient, type TenantSnapshot } from '@authz-service/sdk';
import { guard } from '@authz-service/sdk/express';
import { FakeDecisionPoint } from '@authz-service/sdk/testing';

const question = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'invoice', id: 'INV-1' },
};
const url = process.env['AUTHZ_URL'];
if (url === undefined) throw new Error('AUTHZ_URL is not set');

export const role: NewRecord<'role'> = { name: 'clerk', application_id: 'a', description: undefined };
export const names = ({ records }: TenantSnapshot): string[] =>
  records.map((record) => (record.kind === 'subject' ? record.fields.id : record.address));
export const mayRead = guard(new ServiceClient({ url }), (_request: { path: string }) => question);

const fake = new FakeDecisionPoint([{ subject: 'user:alice', answer: 'allow' }]);
const decisions = await Promise.all([fake.client(), new ServiceClient({ url })].map((client) => client.decide(question)));
if (!decisions.every(({ allowed }) => allowed)) throw new Error('alice is not allowed');
`;

const STRICT = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
};

const PLATFORMS = {
  browser: { lib: ['es2023', 'dom'], types: [], noEmit: true },
  node: { lib: ['es2023'], types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
};

export function tryAlone(archive, folder, agentUrl) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  run('npm', ['install', '--no-audit', '--no-fund', '--offline', archive], folder);
  const installed = readdirSync(join(folder, 'node_modules'), { recursive: true })
    .filter((path) => path.endsWith('/package.json'))
    .map((path) => path.slice(0, -'/package.json'.length));
  if (installed.join() !== '@authz-service/sdk') throw new Error(`The SDK alone brings ${installed.join(', ')}`);

  const { version, exports } = JSON.parse(
    readFileSync(join(folder, 'node_modules/@authz-service/sdk/package.json'), 'utf8'),
  );
  const modules = Object.keys(exports).map((path) => `import type {} from '@authz-service/sdk${path.slice(1)}';\n`);
  const browser = PROGRAM.replace('import {', 'declare const process: { env: Record<string, string> };\nimport {');
  for (const [platform, options] of Object.entries(PLATFORMS)) {
    writeFileSync(join(folder, 'main.ts'), modules.join('') + (platform === 'browser' ? browser : PROGRAM));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...STRICT, ...options } }));
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], folder);
  }
  run(process.execPath, ['main.js'], folder, { PATH: process.env.PATH, AUTHZ_URL: agentUrl });
  process.stdout.write(`The SDK ${version} compiles and runs alone, each of its ${modules.length} exports checked\n`);
}

function run(command, args, cwd, env = process.env) {
  try {
    execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw new Error(`"${command} ${args.join(' ')}" failed:\n${error.stdout}${error.stderr}`);
  }
}
