import { baseAddress } from '@authz-service/sdk/base-address';
import { string as stringArgument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { authorizationOf, chosenConnection, connectionFlags } from '../config/connect.js';
import { readEnvironment } from '../config/environment.js';
import { LEVELS, type Level } from '../conformance/check.js';
import { DecisionPoint } from '../conformance/decision-point.js';
import { renderReport } from '../conformance/render.js';
import { runConformance } from '../conformance/run.js';
import { out } from '../output/terminal.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

const ALL = Object.keys(LEVELS) as Level[];

export default class Conformance extends ServiceCommand {
  static override summary = 'Check a decision point against AuthZEN 1.0.';
  static override description =
    `Runs the certification scenario of the AuthZEN working group against the decision point at URL: a cloud, an \
agent, or another product. It must hold the scenario's subjects, resources and rules; for a cloud, and through it its \
agents, examples/authzen-fixture declares them. Nothing is changed there.

The credential, if one is needed, comes from the environment, and is sent only if URL has the origin of \
SERVICE_CLOUD_URL: SERVICE_API_KEY is sent as a bearer token, and SERVICE_CLIENT_ID with SERVICE_CLIENT_SECRET is \
exchanged for one at URL/oauth/token. So no other vendor gets the cloud's. To send one to another product, set \
SERVICE_CLOUD_URL to URL and SERVICE_API_KEY to its token.

Endpoints are those in the metadata if it names the decision point by this URL, or else the standard's defaults. \
The exit code is 1 if a check fails.`;
  static override examples = [
    { description: 'An agent on this machine', command: 'servicectl conformance http://127.0.0.1:8181' },
    {
      description: 'Only decisions and batches of a cloud, for a script',
      command:
        'SERVICE_CLOUD_URL=https://authz.example.com SERVICE_API_KEY=svc_… servicectl conformance https://authz.example.com --level batch-core --json',
    },
  ];
  static override args = {
    url: stringArgument({ description: 'The base address of the decision point.', required: true, ignoreStdin: true }),
  };
  static override flags = {
    level: string({
      description: 'Only this level and the level it builds on; may be repeated.',
      options: ALL,
      helpValue: 'LEVEL',
      multiple: true,
      multipleNonGreedy: true,
    }),
    profile: connectionFlags.profile,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Conformance);
    const url = baseAddress(args.url, 'URL');
    const connection = await chosenConnection({ url, profile: flags.profile });
    const { cloudUrl } = readEnvironment(process.env);
    // Whoever else is asked gets no secret of the cloud's, and need not have an endpoint for tokens.
    const known = connection.source !== 'the environment' || new URL(url).origin === new URL(cloudUrl).origin;
    const authorization = known ? await authorizationOf(connection, this.signal) : undefined;
    const point = new DecisionPoint(connection.url, authorization, this.signal);
    const report = await runConformance(point, (flags.level as Level[] | undefined) ?? ALL);
    return { json: report, text: renderReport(report, out.style, out.columns), exitCode: report.failed > 0 ? 1 : 0 };
  }
}
