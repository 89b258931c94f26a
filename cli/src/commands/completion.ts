import { string } from '@oclif/core/args';
import { type Outcome, ServiceCommand } from '../service-command.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export default class Completion extends ServiceCommand {
  static override summary = 'Print a script that lets a shell complete commands, flags and values.';
  static override description =
    `The script works without a network and without starting this program. To load it in every shell:

  bash  in ~/.bashrc: source <(servicectl completion bash)
  zsh   in ~/.zshrc, after compinit: source <(servicectl completion zsh)
  fish  in ~/.config/fish/config.fish: servicectl completion fish | source

The script is made for this version: load it again after an update.`;
  static override examples = [{ description: 'In this shell only', command: 'source <(servicectl completion bash)' }];
  static override args = {
    shell: string({ description: 'The shell.', options: SHELLS, required: true, ignoreStdin: true }),
  };

  override async run(): Promise<Outcome> {
    const { args } = await this.parse(Completion);
    const [{ vocabulary }, script] = await Promise.all([import('../completion/vocabulary.js'), generator(args.shell)]);
    const text = script(vocabulary(this.config));
    return { json: { shell: args.shell, script: text }, text: text.trimEnd() };
  }
}

async function generator(shell: string) {
  switch (shell) {
    case 'zsh':
      return (await import('../completion/zsh.js')).zshScript;
    case 'fish':
      return (await import('../completion/fish.js')).fishScript;
    default:
      return (await import('../completion/bash.js')).bashScript;
  }
}
