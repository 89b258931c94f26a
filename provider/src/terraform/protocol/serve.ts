/**
 * The life of a plugin process (HashiCorp's go-plugin protocol, version 1): check the cookie, print the handshake line,
 * set up mutual TLS, serve until Terraform ends the session or dies.
 */
import { writeSync } from 'node:fs';
import { listenForTerraform } from './address.js';
import { derOf, makeCertificate } from './certificate.js';
import { grpcServer, type Identity, type UnaryMethod } from './grpc.js';
import type { Log } from './log.js';
import { type Handlers, METHODS, type Method } from './messages.js';
import { decode, encode, type Shape } from './protobuf.js';

const COOKIE_NAME = 'TF_PLUGIN_MAGIC_COOKIE';
const COOKIE = 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2';
const PLUGIN_PROTOCOL = 1;
const TERRAFORM_PROTOCOL = 6;
const PARENT_CHECK_MS = 1000;
const STDOUT = 1;

export interface ServeOptions {
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Loads the provider while Terraform reads the handshake line and connects. */
  load(): Promise<Handlers>;
}

/** Serves Terraform until it ends. It never returns: the process exits. */
export async function serve(options: ServeOptions): Promise<void> {
  const { env, log } = options;
  if (env[COOKIE_NAME] !== COOKIE) {
    process.stderr.write(
      'This program is a Terraform plugin: it works only when Terraform starts it.\n' +
        'Declare the provider in a configuration and run "terraform init" instead.\n',
    );
    process.exit(1);
  }
  reserveStdout();
  const own = identity(env);
  if (own === undefined && env.SERVICE_PROVIDER_PLAINTEXT !== '1') {
    process.stderr.write(
      'Terraform asked for an unencrypted plugin connection (TF_DISABLE_PLUGIN_TLS), over which secrets would travel. ' +
        'Unset that variable, or set SERVICE_PROVIDER_PLAINTEXT=1 to allow it.\n',
    );
    process.exit(1);
  }

  let loading: Promise<Handlers> | undefined;
  const handlers = () => {
    loading ??= options.load();
    return loading;
  };
  const methods = pluginMethods(() => process.exit(0));
  for (const name of Object.keys(METHODS) as Method[]) {
    methods.set(`/tfplugin6.Provider/${name}`, providerMethod(name, handlers, log));
  }

  const server = grpcServer(methods, own?.tls);
  const listening = await listenForTerraform(server, env);
  process.once('exit', () => listening.remove());
  liveWithParent(log);
  writeSync(
    STDOUT,
    `${[PLUGIN_PROTOCOL, TERRAFORM_PROTOCOL, listening.network, listening.address, 'grpc', own?.announced ?? ''].join('|')}\n`,
  );
  await handlers();
}

/**
 * Every method decodes, calls the provider and encodes. If a handler throws, that is a fault of the provider, and it is
 * logged completely.
 */
function providerMethod(name: Method, handlers: () => Promise<Handlers>, log: Log): UnaryMethod {
  const { request, response }: { request: Shape; response: Shape } = METHODS[name];
  return async (bytes) => {
    const started = performance.now();
    try {
      const handler = (await handlers())[name] as (request: unknown) => unknown;
      const answer = encode(response, (await handler(decode(request, bytes))) as object);
      if (log.enabled('trace')) {
        log.log('trace', 'served', { method: name, ms: Number((performance.now() - started).toFixed(1)) });
      }
      return answer;
    } catch (error) {
      log.log('error', 'failed to serve', {
        method: name,
        error: error instanceof Error ? error.stack : String(error),
      });
      throw error;
    }
  };
}

/** The services that go-plugin itself calls. Standard output is not forwarded, since nothing is written to it. */
function pluginMethods(shutdown: () => void): Map<string, UnaryMethod> {
  return new Map<string, UnaryMethod>([
    [
      '/plugin.GRPCController/Shutdown',
      (_request, afterwards) => {
        afterwards(() => setImmediate(shutdown));
        return Buffer.alloc(0);
      },
    ],
    ['/plugin.GRPCStdio/StreamStdio', () => null],
  ]);
}

/**
 * Only the handshake line may ever appear on standard output: one long line there blocks Terraform. Everything else
 * that is written to it goes to standard error.
 */
function reserveStdout(): void {
  Object.defineProperty(process, 'stdout', { get: () => process.stderr });
}

/** Mutual TLS: the only client is the one whose certificate Terraform created for this run. */
function identity(env: NodeJS.ProcessEnv): { tls: Identity; announced: string } | undefined {
  const client = env.PLUGIN_CLIENT_CERT;
  if (client === undefined || client === '') return undefined;
  const { key, pem, der } = makeCertificate(Date.now());
  return {
    tls: { key, cert: pem, client: derOf(client) },
    announced: der.toString('base64').replace(/=+$/, ''),
  };
}

/**
 * A signal from a terminal or a job runner reaches the whole process group, including this process; Terraform then ends
 * the plugin itself with StopProvider and Shutdown. If Terraform dies without doing so, the parent's process id
 * changes.
 */
function liveWithParent(log: Log): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => log.log('debug', 'signal left to Terraform', { signal }));
  }
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, PARENT_CHECK_MS).unref();
}
