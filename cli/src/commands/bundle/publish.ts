import { hostname } from 'node:os';
import { ProblemError } from '@authz-service/core/problem';
import { durationMs } from '@authz-service/core/values/duration';
import { reportText } from '@authz-service/pdp/contract/agent-report';
import { PUBLISHER_PREFIX } from '@authz-service/pdp/contract/publisher-id';
import { string as stringArgument } from '@oclif/core/args';
import { boolean, integer, string } from '@oclif/core/flags';
import { chosenConnection, connectionFlags, senderOf } from '../../config/connect.js';
import { UsageError } from '../../errors/usage-error.js';
import { err } from '../../output/terminal.js';
import { BundleFeed } from '../../publish/bundle-feed.js';
import { PublicationFolder } from '../../publish/publication-folder.js';
import { publishAgain, publishOnce } from '../../publish/publish.js';
import { Publisher } from '../../publish/publisher.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

const INTERVAL = { min: 1000, max: 50_000 };

export default class BundlePublish extends ServiceCommand {
  static override summary =
    'Write the signed bundles of the tenant to a folder, from which any web server distributes them to agents.';
  static override description =
    `Agents read them with SERVICE_BUNDLE_URL, and need no credential and no cloud. The folder gets whole bundles, what each \
commit changes, the keys, and last a pointer, in which the cloud has signed which revision was the newest at what time. \
Agents with a maximum age (SERVICE_MAX_AGE) refuse to decide once that time is too long ago, so the pointer is to be written again and again, \
also without commits: run this with --watch, or as often as agents need it.

The credential needs the scope "bundle". Who can read the folder can read every record of the tenant. The cloud lists the publisher in \
"servicectl agents"; it does not know who reads the folder, and calls no revision enforced as long as a publisher is listed.

Only files that were published are ever removed, and nothing that the pointer needs.`;
  static override examples = [
    { description: 'Once, as in a pipeline', command: 'servicectl bundle publish public/bundles' },
    { description: 'As a service', command: 'servicectl bundle publish /srv/bundles --watch --interval 5s' },
  ];
  static override args = {
    folder: stringArgument({
      description: 'The folder, which is new, empty or was published before.',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    watch: boolean({
      description: 'Go on: publish each revision, and write the pointer anew at least every --interval.',
    }),
    interval: string({
      description: 'With --watch: how long the pointer stays without a commit, 1s to 50s.',
      helpValue: 'DURATION',
      default: '10s',
    }),
    keep: integer({
      description: 'How many changes stay for agents that were away, beside those that the pointer needs.',
      helpValue: 'N',
      default: 256,
      min: 0,
    }),
    name: string({
      description: 'What tells this publisher from others with the same credential.',
      helpValue: 'NAME',
      default: 'default',
    }),
    tenant: string({ description: 'For operators: the tenant, by its name or id.', helpValue: 'NAME' }),
    'allow-rollback': boolean({
      description: 'Publish an older revision than is published, after a restore on purpose.',
    }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(BundlePublish);
    const { keep, name, tenant, watch } = flags;
    const intervalMs = intervalIn(flags.interval);
    if (!/^[\w.-]{1,40}$/.test(name)) {
      throw new UsageError(
        `--name "${name}" is no name: write up to 40 letters, digits, dots, hyphens and underscores.`,
      );
    }
    const connection = await chosenConnection(flags);
    if (connection.credentials === undefined) {
      throw new ProblemError('unauthorized', `There are no credentials for ${connection.url} (${connection.source}).`);
    }
    const folder = new PublicationFolder(args.folder);
    await folder.open();
    const host = hostname();
    const report = (): string =>
      reportText({
        id: `${PUBLISHER_PREFIX}${name}`,
        ...(/^[\x21-\x7e]{1,253}$/.test(host) && { name: host }),
        version: this.config.version,
        ...(publisher.published !== undefined && { revision: publisher.published }),
      });
    const { signal } = this;
    const feed = new BundleFeed({ ...(await senderOf(connection)), tenant, report, signal });
    const publisher = new Publisher({ folder, feed, keep, allowRollback: flags['allow-rollback'] });
    const done = await publishOnce(publisher);
    const text = `Published revision ${done.revision} of tenant ${done.tenant} in "${args.folder}".`;
    if (!watch) return { json: { tenant: done.tenant, revision: done.revision, folder: args.folder }, text };
    await err.line(text);
    await publishAgain(publisher, { intervalMs, signal, say: (line) => err.line(line) });
    return { json: undefined };
  }
}

function intervalIn(text: string): number {
  const ms = durationMs(text);
  if (ms !== undefined && ms >= INTERVAL.min && ms <= INTERVAL.max) return ms;
  throw new UsageError(`--interval "${text}" is not a duration from 1s to 50s: write one like "10s".`);
}
