import { ProblemError } from '@authz-service/core/problem';
import { nounOf } from '@authz-service/core/state/kind-words';
import type { ServiceClient } from '@authz-service/sdk/client';
import { string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { overlapSeconds } from '../../credentials/overlap-seconds.js';
import { stackFlag } from '../../credentials/stack-flag.js';
import { UsageError } from '../../errors/usage-error.js';
import { err } from '../../output/terminal.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

const KINDS = ['api_key', 'oauth_client'] as const;

export default class CredentialsRotate extends ServiceCommand {
  static override summary = 'Give an API key or OAuth client another secret and show it once.';
  static override description =
    `Name, scopes and limits stay. The secret before ends at once, and with it the access tokens and console sessions that \
it began; with --overlap it stays good for that long, so that programs can take the new one without a gap. After a theft, leave \
--overlap out: a second rotation also ends a secret that still overlaps.`;
  static override examples = [
    { description: 'An API key', command: 'servicectl credentials rotate api_key/agent' },
    {
      description: 'A client whose programs are updated within the hour',
      command: 'servicectl credentials rotate oauth_client/ci --overlap 1h > ci.env',
    },
  ];
  static override args = {
    name: nameArgument('api_key/NAME or oauth_client/NAME; the name or id alone where only one of both has it.'),
  };
  static override flags = {
    overlap: string({
      description: 'For how long the secret before stays good: 30m, 12h; at most 720h.',
      helpValue: 'TIME',
    }),
    stack: stackFlag,
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(CredentialsRotate);
    const overlap = flags.overlap === undefined ? 0 : overlapSeconds(flags.overlap);
    const client = await connect(flags);
    const { kind, name } = await credentialOf(client, args.name, this.signal);
    const { signal } = this;
    const made = await client.records(kind).rotateSecret(name, { signal, stack: flags.stack, overlapSeconds: overlap });
    if (!flags.json) {
      const before = made.former_until === undefined ? 'has ended' : `is good until ${made.former_until}`;
      await err.line(
        err.style('dim', `The new secret of the ${nounOf(kind)} "${name}", shown only once; the one before ${before}:`),
      );
    }
    const text = made.secret ?? `SERVICE_CLIENT_ID=${made.client_id}\nSERVICE_CLIENT_SECRET=${made.client_secret}`;
    return { json: made, text };
  }
}

/** The credential that somebody means. Throws `UsageError` where a name alone means two. */
async function credentialOf(
  client: ServiceClient,
  given: string,
  signal: AbortSignal,
): Promise<{ kind: (typeof KINDS)[number]; name: string }> {
  const slash = given.indexOf('/');
  const named = KINDS.find((kind) => kind === given.slice(0, slash));
  if (named !== undefined) return { kind: named, name: given.slice(slash + 1) };
  const found = await Promise.all(
    KINDS.map((kind) =>
      client
        .records(kind)
        .get(given, { signal })
        .then(() => [kind])
        .catch((error: unknown) => {
          if (error instanceof ProblemError && error.code === 'not_found') return [];
          throw error;
        }),
    ),
  );
  const [kind, other] = found.flat();
  if (kind !== undefined && other === undefined) return { kind, name: given };
  throw kind === undefined
    ? new UsageError(
        `There is no API key and no OAuth client "${given}": "servicectl keys list" and "servicectl clients list" name them.`,
      )
    : new UsageError(
        `"${given}" is an API key and an OAuth client: write ${KINDS.map((one) => `${one}/${given}`).join(' or ')}.`,
      );
}
