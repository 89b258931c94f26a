/** The plugin as a process, seen from where Terraform stands: cookie, handshake, mutual TLS, and its end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, type SecureClientSessionOptions } from 'node:http2';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import { makeCertificate } from '@authz-service/provider/terraform/protocol/certificate';
import { METHODS } from '@authz-service/provider/terraform/protocol/messages';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleFixture } from './terraform/bundle-fixture.js';

const COOKIE = { TF_PLUGIN_MAGIC_COOKIE: 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2' };
const terraform = makeCertificate(Date.now());
const stranger = makeCertificate(Date.now());

interface Plugin {
  child: ChildProcess;
  line: string;
  network: string;
  address: string;
  certificate: string;
}

describe('the plugin process', () => {
  let executable: string;
  let folder: string;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    executable = await bundleFixture();
    folder = mkdtempSync(join(tmpdir(), 'plugin-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => {
    rmSync(dirname(executable), { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });

  function launch(env: Record<string, string>, command = [process.execPath, executable]): ChildProcess {
    const [file = '', ...args] = command;
    const child = spawn(file, args, {
      env: { PATH: process.env.PATH, TMPDIR: folder, FIXTURE_DIR: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    return child;
  }

  async function started(child: ChildProcess): Promise<Plugin> {
    const line = await new Promise<string>((resolve, reject) => {
      if (child.stdout !== null) createInterface(child.stdout).once('line', resolve);
      child.once('exit', (status) => reject(new Error(`the plugin ended with ${status} before the handshake`)));
    });
    const [, , network = '', address = '', , certificate = ''] = line.split('|');
    return { child, line, network, address, certificate };
  }

  const ended = (child: ChildProcess) =>
    new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));

  const dial = ({ network, address }: Plugin) =>
    network === 'unix' ? createConnection(address) : createConnection(Number(address.split(':')[1]), '127.0.0.1');

  const pemOf = (plugin: Plugin) => new X509Certificate(Buffer.from(plugin.certificate, 'base64')).toString();

  /** Calls a method with a TLS client of these options; gives the gRPC status. */
  function call(
    plugin: Plugin,
    path: string,
    options: SecureClientSessionOptions,
    body = Buffer.alloc(5),
  ): Promise<string> {
    return new Promise((resolve, reject) => {
      const session = connect('https://localhost', {
        createConnection: () =>
          connectTls({
            socket: dial(plugin),
            servername: 'localhost',
            ALPNProtocols: ['h2'],
            ca: pemOf(plugin),
            ...options,
          }),
      });
      session.on('error', reject);
      session.on('close', () => reject(new Error('the connection was closed')));
      const request = session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      request.on('error', reject);
      let status: unknown;
      request.on('response', (headers) => {
        status = headers['grpc-status'];
      });
      request.on('trailers', (trailers) => {
        status = trailers['grpc-status'];
      });
      request.on('data', () => {});
      request.on('close', () => {
        if (status === undefined) reject(new Error('no answer'));
        else resolve(String(status));
        session.destroy();
      });
      request.end(body);
    });
  }

  const own = { cert: terraform.pem, key: terraform.key };
  const start = () => started(launch({ ...COOKIE, PLUGIN_CLIENT_CERT: terraform.pem }));

  it('says one handshake line, whose certificate has no padding', async () => {
    const plugin = await start();
    expect(plugin.line).toMatch(/^1\|6\|unix\|\/[^|]+\|grpc\|[A-Za-z0-9+/]+$/);
    expect(Buffer.from(plugin.certificate, 'base64').length).toBeGreaterThan(200);
  });

  it('explains itself to people and exits', async () => {
    const child = launch({});
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    expect(await ended(child)).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('terraform init');
  });

  it('serves every method of the protocol, and says UNIMPLEMENTED to others', async () => {
    const plugin = await start();
    for (const method of Object.keys(METHODS)) {
      expect(await call(plugin, `/tfplugin6.Provider/${method}`, own), method).not.toBe('12');
    }
    expect(await call(plugin, '/tfplugin6.Provider/GetMetadata', own)).toBe('12');
    expect(await call(plugin, '/plugin.GRPCStdio/StreamStdio', own)).toBe('0');
  });

  it('answers a malformed message with an error, and goes on', async () => {
    const plugin = await start();
    expect(await call(plugin, '/tfplugin6.Provider/ConfigureProvider', own, Buffer.from('0000000002ffff', 'hex'))).toBe(
      '13',
    );
    expect(await call(plugin, '/tfplugin6.Provider/ConfigureProvider', own, Buffer.from('0000000009ff', 'hex'))).toBe(
      '13',
    );
    expect(await call(plugin, '/tfplugin6.Provider/ConfigureProvider', own, Buffer.from('0100000000', 'hex'))).toBe(
      '13',
    );
    expect(await call(plugin, '/tfplugin6.Provider/GetProviderSchema', own)).toBe('0');
  });

  it.each([
    ['a client without a certificate', {}],
    ['a client with a certificate of the same name', { cert: stranger.pem, key: stranger.key }],
  ])('refuses %s', async (_name, options) => {
    const plugin = await start();
    await expect(call(plugin, '/tfplugin6.Provider/GetProviderSchema', options)).rejects.toThrow();
    expect(await call(plugin, '/tfplugin6.Provider/GetProviderSchema', own)).toBe('0');
  });

  it('refuses plain text', async () => {
    const plugin = await start();
    const session = connect('http://localhost', { createConnection: () => dial(plugin) });
    await new Promise<void>((resolve) => {
      session.on('error', () => {});
      session.on('close', () => resolve());
      session.request({ ':path': '/tfplugin6.Provider/GetProviderSchema' }).on('error', () => {});
    });
  });

  it('refuses to start without encryption unless it is told to', async () => {
    expect(await ended(launch(COOKIE))).toBe(1);
    const plugin = await started(launch({ ...COOKIE, SERVICE_PROVIDER_PLAINTEXT: '1' }));
    expect(plugin.certificate).toBe('');
  });

  it('listens on a port of the given range where no socket can be had', async () => {
    const range = { PLUGIN_MIN_PORT: '41000', PLUGIN_MAX_PORT: '41999' };
    const child = launch({
      ...COOKIE,
      ...range,
      PLUGIN_CLIENT_CERT: terraform.pem,
      NODE_OPTIONS: `--require=${join(import.meta.dirname, 'terraform/no-sockets.cjs')}`,
    });
    const plugin = await started(child);
    expect(plugin.network).toBe('tcp');
    expect(Number(plugin.address.split(':')[1])).toBeGreaterThanOrEqual(41_000);
    expect(await call(plugin, '/tfplugin6.Provider/GetProviderSchema', own)).toBe('0');
  });

  it('answers Shutdown, ends at once, and removes its socket', async () => {
    const plugin = await start();
    const end = ended(plugin.child);
    expect(existsSync(plugin.address)).toBe(true);
    expect(await call(plugin, '/plugin.GRPCController/Shutdown', own)).toBe('0');
    expect(await end).toBe(0);
    expect(existsSync(dirname(plugin.address))).toBe(false);
  });

  it('leaves an interrupt to Terraform, and ends when its parent dies', async () => {
    const parent = launch({ ...COOKIE, PLUGIN_CLIENT_CERT: terraform.pem }, [
      '/bin/sh',
      '-c',
      `"${process.execPath}" "${executable}" & echo $! >&2; wait`,
    ]);
    const pid = new Promise<number>((resolve) => parent.stderr?.once('data', (chunk) => resolve(Number(chunk))));
    const plugin = await started(parent);
    process.kill(await pid, 'SIGINT');
    expect(await call(plugin, '/tfplugin6.Provider/GetProviderSchema', own)).toBe('0');
    parent.kill('SIGKILL');
    await expect.poll(() => existsSync(plugin.address), { timeout: 10_000 }).toBe(false);
  });
});
