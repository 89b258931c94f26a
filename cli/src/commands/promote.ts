import type { Plan } from '@authz-service/core/plan/plan';
import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { cloudTime, connect, connectionFlags } from '../config/connect.js';
import { Declined, UsageError } from '../errors/usage-error.js';
import { Progress } from '../output/progress.js';
import { err, out } from '../output/terminal.js';
import { moment } from '../output/text.js';
import { writePlan } from '../plan/plan-file.js';
import { refusalOf } from '../plan/refusal.js';
import { planText } from '../plan/show.js';
import type { Promotion } from '../promotion/promotion.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { directory } from '../tree/directory-argument.js';

const environment = (description: string) => stringArgument({ description, required: true, ignoreStdin: true });

export default class Promote extends ServiceCommand {
  static override summary = 'Give an environment the commit that another one enforces.';
  static override description =
    `Finds the commit in Git that the tenant of FROM has, and plans to give it to the tenant of TO, with all that the file \
of TO says: what changes, and what that does to access. It is read from Git, whatever the working tree holds.

Refused is a commit that nobody knows or that is behind that of TO, a tenant of FROM that is not as the commit says, agents \
that do not enforce it, and a plan that the gates of TO refuse. The gate "soak" says how long FROM must have had it.

--out saves the plan, for "servicectl apply FILE". --branch moves the branch that TO follows forward to the commit, and pushes \
nothing. FROM is asked with the profile of its name unless --from-profile names another one, TO as by every command.`;
  static override examples = [
    { description: 'What would it change?', command: 'servicectl promote staging prod tenant --profile prod' },
    {
      description: 'Do it',
      command: 'servicectl promote staging prod tenant --out prod.plan && servicectl apply prod.plan --yes --prune',
    },
    {
      description: 'Let the pipeline of a branch do it',
      command: 'servicectl promote staging prod tenant --branch prod && git push origin prod',
    },
  ];
  static override args = {
    from: environment('The environment that has the commit.'),
    to: environment('The environment that gets it.'),
    dir: directory,
  };
  static override flags = {
    'from-profile': string({ description: 'The profile to ask FROM with.', helpValue: 'NAME' }),
    out: string({ char: 'o', description: 'Save the plan, for "servicectl apply FILE".', helpValue: 'FILE' }),
    branch: string({ description: 'Move this branch forward to the commit, or make it there.', helpValue: 'NAME' }),
    all: boolean({ description: 'Show every change, however many.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Promote);
    if (args.from === args.to) throw new UsageError(`FROM and TO are both "${args.from}": name two environments.`);
    const { planPromotion } = await import('../promotion/promotion.js');
    const source = await connect({ profile: flags['from-profile'] ?? args.from });
    const target = await connect(flags);
    const { signal } = this;
    const [{ tenant: one }, { tenant: other }] = await Promise.all([
      source.whoami({ signal }),
      target.whoami({ signal }),
    ]);
    if (one.id === other.id && source.url === target.url)
      throw new UsageError(`Both credentials are of the tenant "${one.name}": name two profiles, with --profile too.`);
    const progress = new Progress(err);
    let promotion: Promotion;
    try {
      promotion = await planPromotion(
        { name: args.from, client: source },
        { name: args.to, client: target },
        {
          folder: args.dir,
          now: () => cloudTime(source.url, signal),
          onPhase: (text) => progress.phase(text),
          warn: (text) => progress.warning(text),
          signal: signal,
        },
      );
    } finally {
      progress.done();
    }
    const { from, plan, origins, isGated } = promotion;
    const refusal = isGated ? refusalOf(plan, args.to, 'Not promoted') : undefined;
    if (!flags.json) await err.line(`${sentence(args.from, from)}\n`);
    if (refusal !== undefined) {
      if (!flags.json) await err.line(planText(plan, err, { all: flags.all, cloud: target.url }));
      throw new Declined(refusal);
    }
    if (flags.out !== undefined) await writePlan(flags.out, { plan, origins });
    const moved = flags.branch === undefined ? undefined : await this.#forward(flags.branch, from.commit);
    return {
      json: {
        from: { environment: args.from, ...from },
        to: args.to,
        plan,
        ...(moved !== undefined && { branch: flags.branch, moved }),
      },
      text: [planText(plan, out, { all: flags.all, cloud: target.url }), ...this.#done(plan, flags, moved)].join(
        '\n\n',
      ),
    };
  }

  async #forward(branch: string, commit: string): Promise<boolean> {
    const { forwardBranch } = await import('../promotion/forward-branch.js');
    return await forwardBranch(branch, commit);
  }

  #done(
    { changes }: Plan,
    { out: file, branch }: { out?: string | undefined; branch?: string | undefined },
    moved: boolean | undefined,
  ): string[] {
    const lines: string[] = [];
    if (file !== undefined && changes.length > 0) lines.push(`Next: servicectl apply ${file}`);
    if (moved === true) lines.push(`The branch "${branch}" is there now. Next: git push origin ${branch}`);
    if (moved === false) lines.push(`The branch "${branch}" is there already.`);
    return lines;
  }
}

function sentence(name: string, { commit, revision, at }: Promotion['from']): string {
  return `"${name}" has commit ${commit.slice(0, 10)} since ${moment(at)}, as revision ${revision}.`;
}
