import { stat } from 'node:fs/promises';
import type { Plan } from '@authz-service/core/plan/plan';
import { ProblemError } from '@authz-service/core/problem';
import { provenanceOf } from '@authz-service/provider/connection/provenance';
import type { Progress as ApplyProgress } from '@authz-service/provider/reconcile/send-once';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { DeclaredOrigins } from '@authz-service/sdk/wire';
import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import { openCredentialsFile } from '../credentials/credentials-file.js';
import { timeoutMs, withEnforcement } from '../enforcement/await-enforced.js';
import { waitFlags } from '../enforcement/wait-flags.js';
import { Declined, UsageError } from '../errors/usage-error.js';
import { ask, canAsk } from '../output/ask.js';
import { MANY_RECORDS, Progress } from '../output/progress.js';
import { err, out } from '../output/terminal.js';
import { counted } from '../output/text.js';
import { accessOfPlan, gatesIn, gatesOf, NO_GATES } from '../plan/access-of-plan.js';
import { readPlan } from '../plan/plan-file.js';
import { refusalOf } from '../plan/refusal.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { environmentFlag } from '../tree/environment-flag.js';
import { loadTree } from '../tree/load-tree.js';
import { placeRefusals } from '../tree/place-refusals.js';

interface Planned {
  plan: Plan;
  /**
   * For a tree: makes the plan again if the tenant changes meanwhile. A saved plan is applied as it is or not at all.
   */
  replan?: () => Promise<Plan>;
  /** The places of the records that it writes, as far as they are known; or, if asked for, of the whole tree. */
  origins?: DeclaredOrigins;
  /** The reason why the gates of an environment refuse it. */
  refusal?: string;
}

/** With more changes, the places of records are told after them, in requests of their own. */
const CHANGES_WITH_PLACES_MAX = 50_000;

export default class Apply extends ServiceCommand {
  static override summary = 'Change the tenant to match the tree, all or nothing.';
  static override description =
    `Takes a folder, or a plan saved with "servicectl plan --out". On a terminal it shows the plan and asks; elsewhere \
it needs --yes. The plan says what it does to access as well; --no-access leaves that out. Either all changes are made, in one revision, or none.

A "yes" on the terminal covers removals, those of --exclusive too; with --yes they also need --prune, and without it nothing at all is \
changed. Secrets of new API keys and OAuth clients are shown once: --credentials-out writes them to a file that only \
you can read.

Where the changed records stand is told, too: repository, commit, file and line, of files that the commit holds as they \
are, and else file and line alone. \
--origins tells it of the others as well, after files were moved say; it makes no revision.

With --wait=enforced it then waits until every agent enforces the revision, for as long as --timeout says. If some do not, the \
exit code is 3, they are listed, and the change stays. A silent agent counts once its own maximum age has run out; one \
without it has to be retired.

If the tenant changes between plan and apply, a folder is planned again and applied if the plan is still the same. \
A saved plan is applied exactly, or refused if the tenant has changed.`;
  static override examples = [
    { description: 'Look at the plan and answer "yes"', command: 'servicectl apply' },
    { description: 'In a pipeline', command: 'servicectl apply tenant --yes --prune --json' },
    {
      description: 'Go on once every agent decides by it',
      command: 'servicectl apply tenant --yes --wait=enforced --timeout 2m',
    },
    { description: 'Apply exactly what was reviewed', command: 'servicectl apply tenant.plan --yes --prune' },
  ];
  static override args = {
    tree: stringArgument({
      description: 'The folder of YAML files, or a saved plan.',
      default: '.',
      ignoreStdin: true,
    }),
  };
  static override flags = {
    yes: boolean({ char: 'y', description: 'Do not ask for confirmation.' }),
    all: boolean({ description: 'Show every change, however many.' }),
    prune: boolean({ description: 'Allow removals.' }),
    exclusive: boolean({
      description: "Remove other stacks' links that grant a role, policy or group of the tree.",
    }),
    'take-ownership': boolean({ description: "Take over other stacks' records that the tree declares." }),
    origins: boolean({ description: 'Also tell where the records stand that do not change; that makes no revision.' }),
    'no-access': boolean({ description: 'Leave out what the plan does to access.' }),
    environment: environmentFlag,
    'credentials-out': string({
      description: 'Write the secrets of new credentials to this new JSON file, mode 0600.',
      helpValue: 'FILE',
    }),
    ...waitFlags,
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Apply);
    timeoutMs(flags.timeout);
    const asks = !flags.yes;
    if (asks && (flags.json || !canAsk())) {
      throw new UsageError('Without a terminal (or with --json), apply needs --yes: nothing was changed.');
    }
    const client = await connect(flags);
    const progress = new Progress(err);
    const [{ applyPlan }, { checkConsent }] = await Promise.all([
      import('@authz-service/provider/reconcile/reconcile'),
      import('@authz-service/provider/reconcile/consent'),
    ]);
    try {
      const { plan, replan, origins, refusal } = await this.#plan(args.tree, client, flags, progress);
      progress.done();
      if (!flags.json) await show(plan, { all: flags.all, cloud: client.url });
      if (refusal !== undefined) throw new Declined(refusal);
      const tellOrigins = async () => {
        const { noteOrigins } = await import('@authz-service/provider/reconcile/note-origins');
        progress.phase('Telling where the records stand');
        await noteOrigins(client, plan.stack, origins ?? {}, this.signal);
        progress.done();
      };
      if (plan.changes.length === 0) {
        if (flags.origins) await tellOrigins();
        return await withEnforcement(nothingToDo(plan, flags.origins), plan.base_revision, {
          client,
          flags,
          signal: this.signal,
        });
      }
      // What a "yes" cannot cover is refused before the question is asked.
      checkConsent(plan, {
        prune: flags.prune || asks,
        exclusive: flags.exclusive || asks,
        takeOwnership: true,
        credentialsSink: flags['credentials-out'],
      });
      if (asks && !(await agrees(plan))) throw new Declined('Not applied: nothing was changed.');

      const apart = flags.origins || plan.changes.length > CHANGES_WITH_PLACES_MAX;
      const { places: _, ...source } = origins ?? {};
      const file = flags['credentials-out'];
      const sink = file === undefined ? undefined : await openCredentialsFile(file, plan);
      try {
        const { created: _created, ...result } = await applyPlan(client, plan, {
          prune: flags.prune || asks,
          exclusive: flags.exclusive || asks,
          takeOwnership: true,
          signal: this.signal,
          onProgress: (event) => report(progress, event),
          // Who stands behind it is known where it is applied, and not where a saved plan was made.
          ...(origins && { origins: { ...(apart ? source : origins), ...provenanceOf(process.env) } }),
          ...(sink && { credentialsSink: sink.write }),
          ...(replan && { replan }),
        });
        progress.done();
        if (apart) await tellOrigins().catch((error: unknown) => originsUntold(error));
        const { revision, added, changed, removed, unchanged, credentials, broken_rules } = result;
        if (!flags.json) for (const { detail } of broken_rules) await err.warning(detail);
        const outcome = {
          json: {
            ...{ revision, added, changed, removed, unchanged },
            ...(credentials.length > 0 && { credentials }),
            ...(broken_rules.length > 0 && { broken_rules }),
          },
          text: done(result, sink?.path),
        };
        return await withEnforcement(outcome, revision, { client, flags, signal: this.signal });
      } finally {
        await sink?.close();
      }
    } finally {
      progress.done();
    }
  }

  async #plan(
    tree: string,
    client: ServiceClient,
    {
      exclusive,
      'take-ownership': takeOwnership,
      'no-access': noAccess,
      origins: all,
      json,
      environment,
    }: {
      exclusive: boolean;
      'take-ownership': boolean;
      'no-access': boolean;
      origins: boolean;
      json: boolean;
      environment?: string | undefined;
    },
    progress: Progress,
  ): Promise<Planned> {
    const isSaved = !/\.ya?ml$/i.test(tree) && (await stat(tree)).isFile();
    if (isSaved) {
      if (environment !== undefined)
        throw new UsageError('-e is for a folder: a saved plan was made in its environment.');
      if (all) throw new UsageError('--origins is for a folder: a saved plan has the places of what it changes.');
      const { plan: saved, origins } = await readPlan(tree);
      const { access, ...rest } = saved;
      const plan: Plan = { ...rest, ...(access && !noAccess && { access }) };
      const { tenant } = await client.whoami({ signal: this.signal });
      if (tenant.name === plan.tenant) return { plan, ...(origins && { origins }) };
      throw new ProblemError(
        'conflict',
        `The plan is for the tenant "${plan.tenant}", but the credential is one of "${tenant.name}": use a credential of the plan's tenant.`,
      );
    }
    const { planStates } = await import('@authz-service/provider/reconcile/reconcile');
    progress.phase('Reading the tree');
    const { manifest, placeOf, environmentPlaceOf } = await loadTree(tree, (text) => progress.warning(text), {
      environment,
      onProgress: (text, long) => progress.step(text, long),
    });
    const comparing = (records: number) =>
      progress.step(
        `Comparing ${counted(manifest.records.length, 'record')} with the ${counted(records, 'record')} of the tenant`,
        manifest.records.length > MANY_RECORDS,
      );
    const options = { takeOwnership, exclusive, signal: this.signal, onState: comparing };
    const places = { placeOf, environmentPlaceOf, folder: tree, environment };
    const states = () => placeRefusals(planStates(client, manifest, options), placeOf);
    progress.phase('Reading the tenant');
    const planned = await states();
    const gates = gatesOf(NO_GATES, manifest);
    const isGated = gatesIn(gates).length > 0;
    if (isGated && noAccess)
      throw new UsageError(
        `The environment "${manifest.environment}" has gates, which need what --no-access leaves out.`,
      );
    // Nobody sees it with --json: what a pipeline decides on is in the plan that it made before.
    const access = noAccess || (json && !isGated) ? undefined : await accessOfPlan(planned, places, gates);
    const refusal = isGated ? refusalOf({ access }, manifest.environment) : undefined;
    // The same changes may do something else to access once the tenant has changed.
    const replan = async () => {
      const again = await states();
      const why = isGated
        ? refusalOf({ access: await accessOfPlan(again, places, gates) }, manifest.environment)
        : undefined;
      if (why !== undefined) throw new Declined(why);
      return again.plan;
    };
    const { originsOf, written } = await import('../tree/tree-origins.js');
    return {
      plan: { ...planned.plan, ...(access && { access }) },
      ...(refusal !== undefined && { refusal }),
      replan,
      origins: await originsOf(tree, all ? manifest.records : written(planned.plan), placeOf, (text) =>
        progress.warning(text),
      ),
    };
  }
}

/** The plan goes to stderr: stdout is for the outcome. */
async function show(plan: Plan, options: { all: boolean; cloud: string }): Promise<void> {
  const { planText } = await import('../plan/show.js');
  await err.line(planText(plan, err, options));
}

async function originsUntold(error: unknown): Promise<void> {
  if (!(error instanceof ProblemError)) throw error;
  const what = `The changes were made, but where all the records stand was not taken: ${error.detail}`;
  await err.warning(what);
}

function nothingToDo({ base_revision: revision, counts }: Plan, toldOrigins: boolean): { json: object; text: string } {
  const told = toldOrigins ? ' Where the records stand has been told.' : '';
  return { json: { revision, ...counts }, text: `Nothing to do: the tenant is at revision ${revision}.${told}` };
}

async function agrees({ tenant, counts }: Plan): Promise<boolean> {
  const removals = counts.removed === 0 ? '' : err.style('red', `, and remove ${counted(counts.removed, 'record')}`);
  const question = `${err.style('bold', `Apply this to the tenant "${tenant}"`)}${removals}${err.style('bold', '?')} Only "yes" is accepted: `;
  return (await ask(`\n${question}`)).trim().toLowerCase() === 'yes';
}

function report(progress: Progress, event: ApplyProgress): void {
  if (event.phase === 'sending') progress.phase(`Applying ${counted(event.changes, 'change')}`);
  else if (event.phase === 'replanning') progress.phase('The tenant has changed: planning again');
  else if (event.phase === 'interrupted')
    progress.phase('Interrupted after the changes were sent: waiting for the answer');
  else progress.done();
}

function done(
  result: { revision: string; added: number; changed: number; removed: number; unchanged: number },
  credentialsFile: string | undefined,
): string {
  const counts = `${result.added} added, ${result.changed} changed, ${result.removed} removed, ${result.unchanged} unchanged`;
  const kept = credentialsFile === undefined ? '' : `\nThe secrets of the new credentials are in ${credentialsFile}.`;
  return `${out.style('green', 'Applied')}: revision ${result.revision}; ${counts}.${kept}`;
}
