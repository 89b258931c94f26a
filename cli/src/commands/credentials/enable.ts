import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { tenantNames } from '../../credentials/tenant-names.js';
import { UsageError } from '../../errors/usage-error.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CredentialsEnable extends ServiceCommand {
  static override summary = 'Turn on credentials that are off since a restore.';
  static override description =
    `Needs an operator credential. Turn on only what you know was not revoked after the backup was made: delete the others first, with "servicectl credentials delete", or \
give them new secrets, which also turns them on. "servicectl audit --tenants" shows who turned on what.

"sign-in" in place of a credential lets people sign in again by the identity provider; their rights are those of the records.`;
  static override examples = [
    { description: 'One credential', command: 'servicectl credentials enable api_key/agent --tenant acme' },
    { description: 'People of the identity provider', command: 'servicectl credentials enable sign-in --tenant acme' },
    { description: 'All of a tenant', command: 'servicectl credentials enable --all --tenant acme' },
    { description: 'All of all tenants', command: 'servicectl credentials enable --all' },
  ];
  static override strict = false;
  static override args = {
    credential: stringArgument({
      description: 'A credential, as "servicectl credentials disabled" names it; may be repeated.',
      ignoreStdin: true,
    }),
  };
  static override flags = {
    all: boolean({ description: 'All that are off, but not "sign-in".' }),
    tenant: string({ description: 'The tenant; with --all, all tenants unless given.', helpValue: 'NAME' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { argv, flags } = await this.parse(CredentialsEnable);
    const credentials = argv.map(String);
    if (flags.all === credentials.length > 0)
      throw new UsageError('Name credentials, like api_key/agent, or give --all.');
    const client = await connect(flags);
    const { signal } = this;
    const own = flags.all ? flags.tenant : (flags.tenant ?? (await client.whoami({ signal })).tenant.name);
    const enabled: { tenant: string; credential: string }[] = [];
    for (const tenant of await tenantNames(client, own, signal)) {
      const chosen = flags.all ? {} : { credentials };
      for (const credential of await client.tenants.enableCredentials(tenant, chosen, { signal }))
        enabled.push({ tenant, credential });
    }
    const list = enabled.map(({ tenant, credential }) => `\n  ${tenant}: ${credential}`).join('');
    const text =
      enabled.length === 0 ? 'No credential was off.' : `${counted(enabled.length, 'credential')} turned on:${list}`;
    return { json: { enabled }, text };
  }
}
