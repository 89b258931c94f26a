import { string } from '@oclif/core/flags';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class AgentStart extends ServiceCommand {
  static override summary = 'Run the agent in the foreground.';
  static override description =
    `The same as the program service-agent: pulls the tenant's policy bundle from the cloud and answers POST \
/v1/authorize from memory, even while the cloud is unreachable. It reads --config, else ./service-agent.yaml, else ~/.service/agent.yaml; \
environment variables override it: SERVICE_API_KEY (required), SERVICE_CLOUD_URL, SERVICE_BUNDLE_URL and SERVICE_BUNDLE_HEADER (bundles as files, instead of key and cloud), SERVICE_TENANT_ID, SERVICE_LISTEN_ADDR, \
SERVICE_PUBLIC_URL, SERVICE_POLL_INTERVAL, SERVICE_MAX_AGE, SERVICE_CACHE_DIR, SERVICE_LOG_LEVEL, SERVICE_DECISION_LOG, SERVICE_DECISION_LOG_SINKS, SERVICE_BUNDLE_JWKS, SERVICE_ALLOW_ROLLBACK, SERVICE_DRAIN_TIME.

Logs go to standard error, decision lines to standard output unless sinks are named. SIGTERM stops it with exit code 0: for SERVICE_DRAIN_TIME (5s) it answers \
requests while /readyz says 503, then it closes the port. Ctrl-C skips that time, and a second signal ends it at once.`;
  static override examples = [
    { description: 'By environment alone', command: 'SERVICE_API_KEY=svc_… servicectl agent start' },
    { description: 'With a file', command: 'servicectl agent start --config service-agent.yaml' },
  ];
  static override flags = {
    config: string({ description: 'The YAML file to read.', helpValue: 'PATH' }),
  };
  static override handlesSignals = true;

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(AgentStart);
    const { runAgent } = await import('@authz-service/agent/run');
    return { json: undefined, exitCode: await runAgent({ configPath: flags.config, env: process.env }) };
  }
}
