import { connect, connectionFlags } from '../config/connect.js';
import { err } from '../output/terminal.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

export default class Console extends ServiceCommand {
  static override summary = 'Print a link that signs you in to the web console.';
  static override description =
    `The link holds once, for 60 seconds, and gives at most what the credential may do. Unless the cloud is set up \
otherwise, it opens on the machine of the cloud alone.`;
  static override examples = [
    { description: 'Open the console', command: 'servicectl console' },
    { description: 'Only to look', command: 'servicectl console --profile reader' },
  ];
  static override flags = { ...connectionFlags };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(Console);
    const client = await connect(flags);
    const link = await client.consoleLink({ signal: this.signal });
    if (!flags.json) await err.line(err.style('dim', 'Open this in a browser within 60 seconds; it works once:'));
    return { json: link, text: link.url };
  }
}
