import { boolean } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CloudRotateKeys extends ServiceCommand {
  static override summary = 'Sign policy bundles with a new key from now on.';
  static override description =
    `Needs an operator credential. The previous key announces the new one, so running agents follow without any \
action. The previous key is still published, because bundles that it signed are still in use. With --revoke it is \
not: agents that learn of the new key stop trusting the older ones. If you set SERVICE_BUNDLE_JWKS on agents, update \
it there.`;
  static override examples = [
    { description: 'Routine rotation', command: 'service cloud rotate-keys' },
    { description: 'After a copy of the database was lost', command: 'service cloud rotate-keys --revoke' },
  ];
  static override flags = {
    revoke: boolean({ description: 'Make agents stop trusting all earlier keys.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(CloudRotateKeys);
    const client = await connect(flags);
    const made = await client.rotateBundleKeys({ revoke: flags.revoke }, { signal: this.signal });
    return { json: made, text: `Bundles are signed by the key ${made.kid} from now on.` };
  }
}
