import { string } from '@oclif/core/flags';
import { out } from '../../output/terminal.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CloudStart extends ServiceCommand {
  static override summary = 'Run the cloud service in the foreground.';
  static override description =
    `Stores its records in SQLite in the data folder, or in PostgreSQL if DATABASE_URL (or DATABASE_URL_FILE) is set: then \
any number of them can run on one database. When it is ready it prints one line of JSON with its address \
to standard output; logs go to standard error. SIGTERM stops it with exit code 0: for SERVICE_DRAIN_TIME (5s) it answers \
requests while /readyz says 503, then it closes the port and running requests finish. Ctrl-C skips that time, and a second signal \
ends it at once. SIGHUP and SIGUSR1 are ignored.

In an empty folder it creates the first tenant and an administrator who is also an operator: from \
SERVICE_BOOTSTRAP_CLIENT_ID and SERVICE_BOOTSTRAP_CLIENT_SECRET (or …_SECRET_FILE; 16 characters or more), or else with a \
secret that is shown once on standard error. SERVICE_BOOTSTRAP_TENANT names the tenant (default: "default").

Flags override SERVICE_DATA_DIR, SERVICE_LISTEN_ADDR, SERVICE_PUBLIC_URL, SERVICE_TRUSTED_PROXIES and
SERVICE_LOG_LEVEL.`;
  static override examples = [
    { description: 'On this machine', command: 'servicectl cloud start' },
    {
      description: 'For a test: on a free port, with its address as JSON',
      command: 'servicectl cloud start --data-dir data --listen-addr 127.0.0.1:0',
    },
  ];
  static override flags = {
    'data-dir': string({
      description: 'The folder of the database; by default ~/.service/cloud.',
      helpValue: 'DIR',
    }),
    'listen-addr': string({
      description: 'The address to listen on; by default 127.0.0.1:8080. Port 0 picks a free port.',
      helpValue: 'HOST:PORT',
    }),
    'public-url': string({ description: 'The address that callers use, if it differs.', helpValue: 'URL' }),
    'trusted-proxies': string({
      description:
        'The proxies whose X-Forwarded-For tells where callers are: addresses and CIDR ranges; none unless given.',
      helpValue: 'RANGES',
    }),
    'log-level': string({
      description: 'trace, debug, info, warn, error, fatal or silent; by default info.',
      helpValue: 'LEVEL',
    }),
  };
  static override handlesSignals = true;

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(CloudStart);
    const [{ readConfig }, { runCloud }] = await Promise.all([
      import('@authz-service/cloud/config/config'),
      import('@authz-service/cloud/run'),
    ]);
    const config = readConfig(process.env, {
      ...(flags['data-dir'] !== undefined && { dataDir: flags['data-dir'] }),
      ...(flags['listen-addr'] !== undefined && { listenAddr: flags['listen-addr'] }),
      ...(flags['public-url'] !== undefined && { publicUrl: flags['public-url'] }),
      ...(flags['trusted-proxies'] !== undefined && { trustedProxies: flags['trusted-proxies'] }),
      ...(flags['log-level'] !== undefined && { logLevel: flags['log-level'] }),
    });
    await runCloud(config, {
      env: process.env,
      version: this.config.version,
      writeHcl: async (changes) => (await import('../../why-not/changes-hcl.js')).changesHcl(changes),
      // One line, even without --json: scripts wait for it.
      onListening: (url) => out.line(JSON.stringify({ url })),
    });
    return { json: undefined };
  }
}
