import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { DecisionRequest } from '@authz-service/core/request';
import { answering, type Running, root } from './processes.js';
import { partsOfPolicy, roleName, rolesOfSubject, type Size, typeName } from './tenant.js';

/** The Cerbos PDP with policies of its own for the same rules: a resource policy per type, a rule per policy. */
export async function startCerbos(size: Size, folder: string): Promise<Running> {
  const policies = join(folder, 'policies');
  mkdirSync(policies, { recursive: true });
  const rules = new Map<number, object[]>();
  for (let index = 0; index < size.policies; index += 1) {
    const { role, type, action } = partsOfPolicy(size, index);
    const list = rules.get(type) ?? [];
    list.push({ actions: [action], effect: 'EFFECT_ALLOW', roles: [roleName(role)] });
    rules.set(type, list);
  }
  for (const [type, list] of rules) {
    const policy = {
      apiVersion: 'api.cerbos.dev/v1',
      resourcePolicy: { resource: typeName(type), version: 'default', rules: list },
    };
    writeFileSync(join(policies, `${typeName(type)}.json`), JSON.stringify(policy));
  }
  const [http, grpc] = [await freePort(), await freePort()];
  const config = {
    server: { httpListenAddr: `127.0.0.1:${http}`, grpcListenAddr: `127.0.0.1:${grpc}`, logRequestPayloads: false },
    storage: { driver: 'disk', disk: { directory: policies } },
    telemetry: { disabled: true },
    audit: { enabled: false },
  };
  writeFileSync(join(folder, 'cerbos.json'), JSON.stringify(config));
  const binary = join(
    root,
    `bench/node_modules/@cerbos/cerbos-${process.platform}-${process.arch}/cerbos-${process.platform}-${process.arch}`,
  );
  const child = spawn(binary, ['server', '--log-level', 'error', '--config', join(folder, 'cerbos.json')], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${http}`;
  await answering(`${url}/_cerbos/health`);
  return { child, url };
}

/** Cerbos keeps no subjects: the request brings the roles. */
export function cerbosQuestion(size: Size, { subject, action, resource }: DecisionRequest): object {
  const roles = rolesOfSubject(size, Number(/\d+/.exec(subject.id)?.[0])).map(roleName);
  return {
    subject: { ...subject, properties: { 'cerbos.roles': roles } },
    action,
    resource: { type: resource.type, id: resource.name },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
