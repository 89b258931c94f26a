import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';

/** Accountants read invoices. */
const POLICY = {
  apiVersion: 'api.cerbos.dev/v1',
  resourcePolicy: {
    resource: 'invoice',
    version: 'default',
    rules: [{ actions: ['read'], effect: 'EFFECT_ALLOW', roles: ['accountant'] }],
  },
};

/** Cerbos keeps no subjects: the question brings the roles. */
export const ALICE = { type: 'user', id: 'alice', properties: { 'cerbos.roles': ['accountant'] } };
export const BOB = { type: 'user', id: 'bob', properties: { 'cerbos.roles': ['guest'] } };
export const READ = { name: 'read' };
export const WRITE = { name: 'write' };
export const INVOICE = { type: 'invoice', id: 'INV-1' };

/** Cerbos, as a process that lets accountants read invoices. */
export class CerbosProcess {
  readonly #folder: string;
  readonly #child: ChildProcess;

  private constructor(
    folder: string,
    child: ChildProcess,
    readonly url: string,
  ) {
    this.#folder = folder;
    this.#child = child;
  }

  static async start(program: string): Promise<CerbosProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'cerbos-'));
    mkdirSync(join(folder, 'policies'));
    writeFileSync(join(folder, 'policies/invoice.json'), JSON.stringify(POLICY));
    const [http, grpc] = [await freePort(), await freePort()];
    const config = {
      server: { httpListenAddr: `127.0.0.1:${http}`, grpcListenAddr: `127.0.0.1:${grpc}` },
      storage: { driver: 'disk', disk: { directory: join(folder, 'policies') } },
      telemetry: { disabled: true },
    };
    writeFileSync(join(folder, 'cerbos.json'), JSON.stringify(config));
    const args = ['server', '--config', join(folder, 'cerbos.json')];
    const url = `http://127.0.0.1:${http}`;
    const cerbos = new CerbosProcess(folder, spawn(program, args, { stdio: 'ignore', detached: true }), url);
    const healthy = () =>
      fetch(`${url}/_cerbos/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await vi.waitUntil(healthy, { timeout: 60_000 });
    return cerbos;
  }

  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) {
      // npm's program starts the binary as a child of its own, which a signal to the first alone leaves behind.
      process.kill(-pid, 'SIGKILL');
      await once(this.#child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
