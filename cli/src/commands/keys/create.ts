import { ProblemError } from '@authz-service/core/problem';
import { path } from '@authz-service/core/records/address';
import type { CredentialScope } from '@authz-service/core/records/scopes';
import { string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { keyScopeFlag, newCredential, newCredentialFlags } from '../../credentials/new-credential.js';
import { UsageError } from '../../errors/usage-error.js';
import { err } from '../../output/terminal.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class KeysCreate extends ServiceCommand {
  static override summary = 'Create an API key and show its secret once.';
  static override description =
    `The secret goes to standard output and nowhere else; the service keeps only a hash of it. An agent needs the scope \
bundle, a caller of /v1/authorize the scope decisions.`;
  static override examples = [
    { description: 'For an agent', command: 'servicectl keys create agent-eu --scope bundle' },
    {
      description: 'For an agent that decides about two applications, and holds what these need alone',
      command: 'servicectl keys create agent-shop --scope bundle --application shop --application billing',
    },
    {
      description: 'For a caller, until the end of the year',
      command: 'servicectl keys create shop --scope decisions --expires-at 2026-12-31T23:59:59Z',
    },
    {
      description: 'For an agent that serves one of several tenants (SERVICE_TENANT_ID)',
      command: 'servicectl keys create fleet --scope bundle --operator',
    },
    {
      description: 'For an identity provider that sends people by SCIM',
      command: 'servicectl keys create okta --scope directory --directory okta',
    },
    { description: 'In a script', command: 'servicectl keys create ci --scope decisions --scope bundle --json' },
  ];
  static override args = { name: nameArgument('The name of the key, unique in the tenant.') };
  static override flags = {
    ...newCredentialFlags,
    scope: keyScopeFlag,
    application: string({
      description: 'Only what this application needs is in its bundle; may be repeated.',
      helpValue: 'NAME',
      multiple: true,
    }),
    directory: string({ description: 'The directory that it sends people and groups for.', helpValue: 'NAME' }),
    'expires-at': string({ description: 'When it expires (RFC 3339).', helpValue: 'TIME' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(KeysCreate);
    const { 'expires-at': expiresAt } = flags;
    if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()) {
      throw new UsageError(
        `--expires-at ${expiresAt} is past: the key would never be valid. Give a time in the future.`,
      );
    }
    const client = await connect(flags);
    const creation = client.records('api_key').create(
      {
        ...newCredential<CredentialScope>(args.name, flags),
        ...(expiresAt !== undefined && { expires_at: expiresAt }),
        ...(flags.application !== undefined && { applications: flags.application.map((name) => path(name)).sort() }),
        ...(flags.directory !== undefined && { directory: path(flags.directory) }),
      },
      { signal: this.signal, stack: flags.stack },
    );
    const made = await creation.catch((error: unknown) => Promise.reject(byFlag(error)));
    if (!flags.json) {
      await err.line(err.style('dim', `API key "${args.name}" (${made.id}). Its secret is shown only once:`));
    }
    return { json: { id: made.id, secret: made.secret }, text: made.secret };
  }
}

const FLAGS = [
  { field: '/expires_at', name: '--expires-at' },
  { field: '/applications', name: '--application' },
];

/** Names a fault of a field by the flag that gave it. */
function byFlag(error: unknown): unknown {
  if (!(error instanceof ProblemError)) return error;
  const fault = error.errors.find(({ pointer }) => FLAGS.some(({ field }) => pointer.startsWith(field)));
  const flag = FLAGS.find(({ field }) => fault?.pointer.startsWith(field));
  return fault && flag
    ? new ProblemError(error.code, `${flag.name}: ${fault.detail}`, error.errors, {
        cause: error,
        ...(error.requestId !== undefined && { requestId: error.requestId }),
      })
    : error;
}
