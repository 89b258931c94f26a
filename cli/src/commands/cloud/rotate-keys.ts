import { boolean } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CloudRotateKeys extends ServiceCommand {
  static override summary = 'Sign policy bundles with a new key from now on.';
  static override description =
    `Takes the credential of an operator. The key before announces the new one, so that running agents follow by \
themselves; it stays served, since bundles that it signed are still about. With --revoke it does not: agents that hear \
of the new key no longer trust the ones before. Pin the new keys where agents are given them by SERVICE_BUNDLE_JWKS.`;
  static override examples = [
    { description: 'As a matter of routine', command: 'service cloud rotate-keys' },
    { description: 'When a copy of the database was lost', command: 'service cloud rotate-keys --revoke' },
  ];
  static override flags = {
    revoke: boolean({ description: 'Have agents trust none of the keys before.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(CloudRotateKeys);
    const client = await connect(flags);
    const made = await client.rotateBundleKeys({ revoke: flags.revoke }, { signal: this.signal });
    return { json: made, text: `Bundles are signed by the key ${made.kid} from now on.` };
  }
}
