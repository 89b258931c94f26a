import { connect, connectionFlags } from '../../config/connect.js';
import { out } from '../../output/terminal.js';
import { counted, printable } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class RulesCheck extends ServiceCommand {
  static override summary = 'List what breaks access rules as the records of the tenant are now.';
  static override description =
    `Such violations stood when their rule was made, or came while it was suspended or only warned. They block no change; \
what would add to them is refused. The exit code is 1 where an enforced rule is broken.`;
  static override examples = [{ description: 'Every rule of the tenant', command: 'servicectl rules check' }];
  static override flags = { ...connectionFlags };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(RulesCheck);
    const client = await connect(flags);
    const found = await client.accessRuleViolations({ signal: this.signal });
    const { violations, more } = found;
    const lines = violations.map(({ mode, detail }) => {
      const label = mode === 'warn' ? out.style('yellow', 'warning') : out.style('red', 'broken');
      return `${label}: ${printable(detail)}`;
    });
    const summary =
      violations.length === 0
        ? `${out.style('green', '✓')} No access rule is broken`
        : `${counted(violations.length, 'violation')}${more ? ', and more of the same rules' : ''}`;
    return {
      json: found,
      text: [...lines, summary].join('\n'),
      exitCode: violations.some(({ mode }) => mode === 'enforce') ? 1 : 0,
    };
  }
}
