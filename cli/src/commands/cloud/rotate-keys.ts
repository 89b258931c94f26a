import { boolean } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CloudRotateKeys extends ServiceCommand {
  static override summary = 'Sign policy bundles and access tokens with new keys from now on.';
  static override description =
    `Needs an operator credential. The previous bundle key announces the new one, so running agents follow without any \
action, and is still published, because bundles that it signed are still in use; access tokens end when they expire. With \
--revoke neither is so: agents that learn of the new key stop trusting the older ones, and every access token that was signed \
before is refused at once, by all replicas, and everybody is signed out of the console. If you set SERVICE_BUNDLE_JWKS on agents, update it there. Keys of access tokens \
also change by themselves, each day.`;
  static override examples = [
    { description: 'Routine rotation', command: 'servicectl cloud rotate-keys' },
    { description: 'After a copy of the database was lost', command: 'servicectl cloud rotate-keys --revoke' },
  ];
  static override flags = {
    revoke: boolean({
      description: 'Make agents stop trusting all earlier keys, and end all access tokens and console sessions.',
    }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(CloudRotateKeys);
    const client = await connect(flags);
    const made = await client.rotateBundleKeys({ revoke: flags.revoke }, { signal: this.signal });
    return {
      json: made,
      text: `From now on bundles are signed by the key ${made.kid}, and access tokens by ${made.token_kid}.`,
    };
  }
}
