import type { Plan as PlanData } from '@authz-service/core/plan/plan';
import type { Checks } from '@authz-service/core/questions/impact/report/verdict';
import { boolean, string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import { UsageError } from '../errors/usage-error.js';
import { type GateFlags, gateFlags } from '../impact/gates/gate-flags.js';
import { reportFlags, writeReports } from '../impact/write-reports.js';
import { commandLine } from '../output/command-line.js';
import { MANY_RECORDS, Progress } from '../output/progress.js';
import { err, out } from '../output/terminal.js';
import { counted } from '../output/text.js';
import { accessOfPlan, gatesIn, gatesOf } from '../plan/access-of-plan.js';
import { writePlan } from '../plan/plan-file.js';
import { runTestsBeside } from '../policy-tests/run-beside.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { directory } from '../tree/directory-argument.js';
import { environmentArguments, environmentFlag } from '../tree/environment-flag.js';
import { loadTree } from '../tree/load-tree.js';
import { placeRefusals } from '../tree/place-refusals.js';
import { originsOf, written } from '../tree/tree-origins.js';

const CHANGES_EXIT_CODE = 2;

export default class Plan extends ServiceCommand {
  static override summary = 'Show what apply would change, and change nothing.';
  static override description =
    `Compares the tree with the tenant: + added, ~ changed (old → new), - removed, > renamed. Only records \
of the tree's own stack are changed or removed; another stack's need --take-ownership. Whom other stacks give a role, \
policy or group of the tree is shown; --exclusive plans to remove it.

Below the records stands what the plan does to access: who may do what afterwards that they may not now, and the reverse, \
over the whole tenant, by the change that brings it (docs/impact.md). The gates make the exit code 1 if what they demand \
does not hold. --no-access leaves this out.

A plan that access rules or the gates of an environment refuse is shown with the reason, and is not saved.

--markdown prints a comment for a pull request: first the verdict, for which it also runs the tests beside the records, then \
access, then the records. It is complete whatever the exit code, which is 1 if an access rule, a gate or a test refuses the plan.

--out saves the plan: "servicectl apply FILE" then does exactly that, or refuses if the tenant has changed since. \
--detailed-exitcode exits with 0 if there is nothing to do, 2 if there are changes, 1 on failure or if a gate \
does not hold.`;
  static override examples = [
    { description: 'What would change?', command: 'servicectl plan' },
    {
      description: 'In a pipeline: fail the step where Git and tenant differ',
      command: 'servicectl plan tenant --detailed-exitcode',
    },
    { description: 'As a comment on a pull request', command: 'servicectl plan tenant --markdown > plan.md' },
    {
      description: 'Review the plan now, apply exactly that later',
      command: 'servicectl plan tenant --out tenant.plan',
    },
  ];
  static override args = { dir: directory };
  static override flags = {
    out: string({ char: 'o', description: 'Save the plan, for "servicectl apply FILE".', helpValue: 'FILE' }),
    all: boolean({ description: 'Show every change, however many.' }),
    markdown: boolean({ description: 'Print Markdown, for a pull request.', exclusive: ['json'] }),
    'detailed-exitcode': boolean({ description: 'Exit with 2 if there are changes.' }),
    exclusive: boolean({
      description: "Remove other stacks' links that grant a role, policy or group of the tree.",
    }),
    'take-ownership': boolean({ description: "Take over other stacks' records that the tree declares." }),
    'no-access': boolean({ description: 'Leave out what the plan does to access.' }),
    environment: environmentFlag,
    ...gateFlags,
    ...reportFlags,
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags: given } = await this.parse(Plan);
    assertNoAccess(given);
    const progress = new Progress(err);
    const warn = (text: string) => progress.warning(text);
    const [client, { planStates, readTenant }] = await Promise.all([
      connect(given),
      import('@authz-service/provider/reconcile/reconcile'),
    ]);
    const reading = new AbortController();
    const held = readTenant(client, AbortSignal.any([this.signal, reading.signal]));
    try {
      progress.phase('Reading the tree');
      const { manifest, placeOf, environmentPlaceOf } = await loadTree(args.dir, warn, {
        environment: given.environment,
        onProgress: (text, long) => progress.step(text, long),
      });
      const flags = gatesOf(given, manifest);
      assertNoAccess(flags);
      progress.phase('Reading the tenant');
      const comparing = (records: number) =>
        progress.step(
          `Comparing ${counted(manifest.records.length, 'record')} with the ${counted(records, 'record')} of the tenant`,
          manifest.records.length > MANY_RECORDS,
        );
      const { exclusive, 'take-ownership': takeOwnership } = flags;
      const options = { takeOwnership, exclusive, held, onState: comparing, showRefused: !flags.json };
      const states = await placeRefusals(planStates(client, manifest, options), placeOf);
      if (!flags['no-access']) progress.phase('Comparing access');
      const access = flags['no-access']
        ? undefined
        : await accessOfPlan(
            states,
            { placeOf, environmentPlaceOf, folder: args.dir, environment: given.environment },
            flags,
          );
      const plan: PlanData = { ...states.plan, ...(access && { access }) };
      if (access !== undefined) await writeReports(access, flags, this.config.version);
      if (flags.markdown) progress.phase('Running the tests');
      const tests = flags.markdown ? await runTestsBeside(args.dir, Date.now(), flags.environment) : undefined;
      const rules = states.refused?.errors.map(({ detail }) => detail) ?? [];
      const checks: Checks = { rules, ...(tests && { tests }) };
      const text = await render(plan, args.dir, checks, { ...flags, cloud: client.url });
      if (states.refused !== undefined) {
        progress.done();
        await out.line(flags.markdown ? (text ?? '') : `${text}\n`);
        this.hasCommented = true;
        await placeRefusals(Promise.reject(states.refused), placeOf);
      }
      const isRefused = manifest.gates !== undefined && !holds(access, flags);
      if (flags.out !== undefined && isRefused)
        await warn(`Not saved: the gates of the environment "${manifest.environment}" do not hold.`);
      else if (flags.out !== undefined)
        await writePlan(flags.out, {
          plan,
          origins: await originsOf(args.dir, written(plan), placeOf, warn),
        });
      return {
        json: plan,
        text,
        exitCode:
          holds(access, flags) && (tests?.failed ?? []).length === 0
            ? flags['detailed-exitcode'] && plan.changes.length > 0
              ? CHANGES_EXIT_CODE
              : 0
            : 1,
      };
    } finally {
      // A faulty tree needs no tenant.
      reading.abort();
      progress.done();
    }
  }
}

/** Throws `UsageError` where a flag, or a gate of the environment, needs what `--no-access` leaves out. */
function assertNoAccess(flags: GateFlags & { 'no-access': boolean }): void {
  const asked = [
    ...gatesIn(flags),
    ...['baseline', 'write-baseline', 'sarif', 'junit'].filter((name) => name in flags),
  ];
  if (flags['no-access'] && asked.length > 0)
    throw new UsageError(`--${asked[0]} needs what --no-access leaves out: keep one of them.`);
}

/** Whether every gate does; where access is not known, none of them. */
function holds(access: PlanData['access'], flags: GateFlags): boolean {
  if (access === undefined || 'unavailable' in access) return gatesIn(flags).length === 0;
  return access.gates?.every(({ passed }) => passed) ?? true;
}

async function render(
  plan: PlanData,
  dir: string,
  checks: Checks,
  flags: { json: boolean; markdown: boolean; all: boolean; cloud: string; environment?: string | undefined },
): Promise<string | undefined> {
  if (flags.json) return undefined;
  if (!flags.markdown) return (await import('../plan/show.js')).planText(plan, out, flags);
  const { renderMarkdown } = await import('@authz-service/core/plan/render-markdown');
  return renderMarkdown(plan, {
    checks,
    cloud: flags.cloud,
    allCommand: commandLine('plan', [dir, ...environmentArguments(flags)], '--all'),
  }).trimEnd();
}
