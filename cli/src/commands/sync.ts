import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import { string as stringArgument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { chosenConnection, connectionFlags } from '../config/connect.js';
import { UsageError } from '../errors/usage-error.js';
import { out } from '../output/terminal.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

export default class Sync extends ServiceCommand {
  static override summary = 'Follow Git repositories, and apply what they say as it changes.';
  static override description =
    `Runs until it is stopped. The file names stacks, each with a repository and a branch (docs/sync.md). Of each new commit it checks out the \
tree, runs the tests beside it, plans, applies the plan, and waits until every live agent enforces it. What a test, an access rule, a gate or the \
budget of removals refuses is held, with its reason, and the commit before stays.

Any number of controllers can follow the same stacks: the service gives each stack to one of them at a time. The credential needs \
the scopes "records:read" and "records:write". "servicectl sync status" shows how the stacks are.

With --listen-addr it takes webhooks at /hooks/STACK, and serves /livez, /readyz, /metrics and /v1/sync; its address is printed as one line of JSON. \
Logs go to standard error. SIGTERM and Ctrl-C stop it with exit code 0, once a change that was sent is made; a second signal ends it at once.`;
  static override examples = [
    { description: 'By the file sync.yaml', command: 'servicectl sync' },
    {
      description: 'As a service that takes webhooks',
      command: 'servicectl sync /etc/authz/sync.yaml --data-dir /var/lib/authz-sync --listen-addr 0.0.0.0:8183',
    },
  ];
  static override args = {
    file: stringArgument({ description: 'The file that names the stacks.', default: 'sync.yaml', ignoreStdin: true }),
  };
  static override flags = {
    'data-dir': string({
      description: 'The folder of the clones, which may be lost; by default ~/.service/sync.',
      helpValue: 'DIR',
    }),
    'listen-addr': string({ description: 'The address to listen on; none by default.', helpValue: 'HOST:PORT' }),
    ...connectionFlags,
  };
  static override handlesSignals = true;

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Sync);
    const connection = await chosenConnection(flags);
    if (connection.credentials === undefined)
      throw new ProblemError('unauthorized', `There are no credentials for ${connection.url} (${connection.source}).`);
    const [{ runSync }, { commandRunner }] = await Promise.all([
      import('../sync/run-sync.js'),
      import('../sync/run-command.js'),
    ]);
    const given = (['url', 'profile'] as const).flatMap((name) => {
      const value = flags[name];
      return value === undefined ? [] : [`--${name}`, value];
    });
    await runSync(
      {
        file: args.file,
        dataDir: resolve(flags['data-dir'] ?? join(homedir(), '.service', 'sync')),
        connection,
        run: commandRunner(given),
        listen: flags['listen-addr'] === undefined ? undefined : addressIn(flags['listen-addr']),
        onListening: (url) => out.line(JSON.stringify({ url })),
      },
      stopSignal(),
    );
    return { json: undefined };
  }
}

/** Aborts at the first SIGTERM or SIGINT. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort(new Error('Stopped.'));
    });
  return stop.signal;
}

function addressIn(text: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535)
    throw new UsageError(`--listen-addr "${text}" is no address: write one like "127.0.0.1:8183".`);
  return { host: host === '' ? '0.0.0.0' : host, port: Number(port) };
}
