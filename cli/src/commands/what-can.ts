import { entityText } from '@authz-service/core/records/entity-text';
import type { DecisionRequest } from '@authz-service/core/request';
import type { ActionQuestion, FoundAction, FoundEntity } from '@authz-service/sdk/question';
import { string as stringArgument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { members, properties, resourceOf, subjectOf } from '../authorize/question.js';
import { contextFlag, pairFlag, roleFlag } from '../authorize/question-flags.js';
import { connectionFlags, localFlag } from '../config/connect.js';
import type { ConnectionFlags } from '../config/connection.js';
import { UsageError } from '../errors/usage-error.js';
import { type Asking, asking, atFlag } from '../history/asking.js';
import { table } from '../output/table.js';
import { err, out } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';
import { checkNames, type NamesToCheck } from '../search/check-names.js';
import { LeftOutCount } from '../search/left-out.js';
import { PossibleSearch, possibleFlag, possibleFound, possibleRowsText } from '../search/possible.js';
import { type KnownType, resourceTypes, typesFor } from '../search/resource-types.js';
import { limitFlag, shownEntities, shownEntity, taken } from '../search/search-flags.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

/** The request without the part that is searched for. */
type Question = Omit<ActionQuestion, 'resource'>;

type PossibleFlags = ConnectionFlags & {
  at?: string;
  limit?: number;
  resource?: string;
  'resource-type'?: string[] | undefined;
};

export default class WhatCan extends ServiceCommand {
  static override summary = 'List what a subject may do, and to which resources.';
  static override description =
    `With ACTION: the recorded resources to which the subject may do that. With --resource: what the subject may do to it. \
With neither: every resource to which the subject may do something, and which actions.

The answers are exactly those for which "servicectl authorize" would say yes; those for which the request says too little \
are left out and counted, and --possible lists them, with what it must say. A policy on a type also covers resources without a record; these cannot be listed, but --possible says by their columns which they are, as "servicectl filter" does.

The list of resource types comes from the cloud and needs a credential that may read records. An agent cannot list \
them: pass an ACTION and --resource-type, or a --resource.`;
  static override examples = [
    { description: 'Everything that Alice may do', command: 'servicectl what-can user:alice' },
    { description: 'What may she approve?', command: 'servicectl what-can user:alice approve' },
    {
      description: 'What may she do to this invoice?',
      command: 'servicectl what-can user:alice --resource invoice:INV-1',
    },
    {
      description: 'Ask the agent on this machine',
      command: 'servicectl what-can user:alice read --resource-type invoice --local',
    },
  ];
  static override args = {
    subject: stringArgument({ description: 'The subject, as TYPE:ID or TYPE/ID.', required: true, ignoreStdin: true }),
    action: stringArgument({ description: 'The action.', ignoreStdin: true }),
  };
  static override flags = {
    resource: string({ char: 'r', description: 'Only this resource.', helpValue: 'TYPE:NAME' }),
    'resource-type': string({
      description: 'Only resources of this type; may be repeated.',
      helpValue: 'TYPE',
      multiple: true,
      multipleNonGreedy: true,
      exclusive: ['resource'],
    }),
    role: roleFlag,
    'subject-property': pairFlag('An attribute of the subject, over the stored one.'),
    'resource-property': pairFlag('An attribute, as if each resource had it.'),
    context: contextFlag,
    ...limitFlag,
    ...possibleFlag,
    ...atFlag,
    ...localFlag,
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(WhatCan);
    const { resource, 'resource-type': types } = flags;
    if (resource !== undefined && args.action !== undefined) {
      throw new UsageError(
        `"${args.action}" and --resource leave nothing to search for: use "servicectl authorize", or leave one out.`,
      );
    }
    if (flags.possible) return await this.#possible(args, flags);
    const context = members('context', flags.context);
    const asked: Question = {
      subject: {
        ...subjectOf(args.subject, 'SUBJECT'),
        ...properties('subject-property', flags['subject-property']),
        ...(flags.role && { roles: flags.role }),
      },
      ...(context && { context }),
    };
    const own = properties('resource-property', flags['resource-property']);
    const client = await asking(flags);
    const names = await typesFor([resource], async () => client, this.signal);
    const named =
      resource === undefined ? undefined : { ...resourceOf(resource, undefined, '--resource', names), ...own };
    const leftOut = new LeftOutCount();
    const options = { signal: this.signal, onLeftOut: leftOut.note };
    const note = async (found: number, action: string | undefined, searched: NamesToCheck['resourceTypes']) => {
      const names: NamesToCheck = { subject: asked.subject, action, resourceTypes: searched, resource: named };
      return (await checkNames(client, names, found, this.signal)) + leftOut.text;
    };
    if (named !== undefined) {
      const found = client.searchActions({ ...asked, resource: named }, options);
      const actions = await taken([found], flags.limit);
      const checked = await note(actions.length, undefined, { names: [named.type], where: '--resource' });
      return actionsFound(actions, checked, leftOut);
    }
    const known = async (remedy: string) => resourceTypes(client, types, remedy, this.signal);
    const search = (type: string, action: string) =>
      client.searchResources({ ...asked, action: { name: action }, resource: { type, ...own } }, options);
    const { action } = args;
    if (action === undefined) {
      const all = await known('name an ACTION and the types with --resource-type, or a --resource.');
      const results = await everything(all, search, flags.limit);
      return everythingFound(results, await note(results.length, undefined, undefined), leftOut);
    }
    const wanted = types ?? (await known('name them with --resource-type.')).map(({ name }) => name);
    const results = await taken(
      wanted.map((type) => search(type, action)),
      flags.limit,
    );
    const searched = types && { names: types, where: '--resource-type' };
    await err.line(err.style('dim', countOf(results, await note(results.length, action, searched))));
    return { json: { results, ...leftOut.json }, text: shownEntities('resource', results) };
  }

  async #possible(args: { subject: string; action?: string | undefined }, flags: PossibleFlags): Promise<Outcome> {
    const subject = subjectOf(args.subject, 'SUBJECT');
    const search = await PossibleSearch.of(flags, this.signal);
    const condition = (name: string, resource: DecisionRequest['resource']) =>
      search.condition({ subject, action: { name }, resource });
    const names = await typesFor([flags.resource], () => asking(flags), this.signal);
    const named = flags.resource === undefined ? undefined : resourceOf(flags.resource, undefined, '--resource', names);
    const resources = named === undefined ? search.resources(flags['resource-type']) : [named];
    const all = resources.flatMap((resource) => {
      const actions = args.action === undefined ? search.actions(resource.type) : [args.action];
      return actions.flatMap((action) => {
        const found = condition(action, resource);
        return found === undefined ? [] : [{ ...resource, action, condition: found }];
      });
    });
    const results = all.slice(0, flags.limit);
    const types = named === undefined ? flags['resource-type'] : [named.type];
    const where = named === undefined ? '--resource-type' : '--resource';
    const asked: NamesToCheck = {
      ...{ subject, action: args.action, resource: named },
      resourceTypes: types && { names: types, where },
    };
    const note = await checkNames(await asking(flags), asked, results.length, this.signal);
    const found = await possibleFound(results, ['RESOURCE', 'ACTION'], note, ({ type, action, ...names }) => [
      printable(entityText('resource', { type, name: 'name' in names ? names.name : names.id })),
      printable(action),
    ]);
    if (named !== undefined) return found;
    const rows = search.rows(subject, flags['resource-type'], args.action);
    const texts = [found.text, rows.length > 0 ? possibleRowsText(rows, printable(args.subject)) : undefined];
    const text = texts.filter((one) => one !== undefined).join('\n\n');
    return { json: { results, rows }, text: text === '' ? undefined : text };
  }
}

/** If there are no results, says why that does not mean that nothing is allowed. */
function countOf(results: readonly FoundEntity[], note: string): string {
  if (results.length > 0) return `${counted(results.length, 'resource')}${note}`;
  return `0 resources with a record${note}. "servicectl authorize" tells whether a policy on a type covers a resource without a record.`;
}

async function actionsFound(results: FoundAction[], note: string, leftOut: LeftOutCount): Promise<Outcome> {
  await err.line(err.style('dim', `${counted(results.length, 'action')}${note}`));
  const names = results.map(({ name }) => printable(name));
  return { json: { results, ...leftOut.json }, text: names.length === 0 ? undefined : names.join('\n') };
}

type Search = (type: string, action: string) => ReturnType<Asking['searchResources']>;
type FoundWithActions = FoundEntity & { actions: string[] };

/** By resource, in the order of types and names; at most `limit` resources. */
async function everything(types: KnownType[], search: Search, limit?: number): Promise<FoundWithActions[]> {
  const found: FoundWithActions[] = [];
  for (const { name, actions } of types) {
    const ofType = new Map<string, FoundWithActions>();
    for (const action of actions) {
      for await (const { type, id } of search(name, action)) {
        const known = ofType.get(id);
        if (known === undefined) ofType.set(id, { type, id, actions: [action] });
        else known.actions.push(action);
      }
    }
    found.push(...[...ofType.values()].sort((left, right) => (left.id < right.id ? -1 : 1)));
    if (limit !== undefined && found.length >= limit) return found.slice(0, limit);
  }
  return found;
}

async function everythingFound(results: FoundWithActions[], note: string, leftOut: LeftOutCount): Promise<Outcome> {
  await err.line(err.style('dim', countOf(results, note)));
  const rows = results.map((found) => [shownEntity('resource', found), found.actions.join(', ')]);
  return {
    json: { results, ...leftOut.json },
    text: results.length === 0 ? undefined : table(['RESOURCE', 'ACTIONS'], rows, out.style, out.columns),
  };
}
