import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { members, properties, resourceOf } from '../authorize/question.js';
import { contextFlag, pairFlag } from '../authorize/question-flags.js';
import { connect, connectionFlags, localFlag } from '../config/connect.js';
import type { ConnectionFlags } from '../config/connection.js';
import { UsageError } from '../errors/usage-error.js';
import { asking, atFlag } from '../history/asking.js';
import { err } from '../output/terminal.js';
import { counted } from '../output/text.js';
import { checkNames } from '../search/check-names.js';
import { LeftOutCount } from '../search/left-out.js';
import { PossibleSearch, possibleFlag, possibleFound } from '../search/possible.js';
import { typesFor } from '../search/resource-types.js';
import { limitFlag, shownEntities, shownEntity, taken } from '../search/search-flags.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

type PossibleFlags = ConnectionFlags & {
  at?: string;
  limit?: number;
  'resource-id'?: string;
  'subject-type': string[];
};

export default class WhoCan extends ServiceCommand {
  static override summary = 'List the subjects that may do something to a resource.';
  static override description =
    `Lists exactly the recorded subjects for which "servicectl authorize" would say yes, ordered by name: through \
policies of their own, roles and groups, with conditions evaluated on stored properties and the values of the flags. \
Subjects for whom the request says too little are left out and counted; --possible lists them, with what it must say.`;
  static override examples = [
    { description: 'Who may read this invoice?', command: 'servicectl who-can read invoice:INV-1' },
    { description: 'And who gave it to them?', command: 'servicectl who-can read invoice:INV-1 --why' },
    {
      description: 'Who could on 1 March?',
      command: 'servicectl who-can read invoice:INV-1 --at 2027-03-01T12:00:00Z',
    },
    {
      description: 'Which services may at night? Ask the agent',
      command:
        'servicectl who-can read invoice:INV-1 --subject-type service --context time=2027-01-31T23:00:00Z --local',
    },
  ];
  static override args = {
    action: stringArgument({ description: 'The action.', required: true, ignoreStdin: true }),
    resource: stringArgument({
      description: 'The resource, as TYPE:NAME or TYPE/NAME. The type may be qualified: billing/invoice/INV-1.',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    'subject-type': string({
      description: 'The type of subjects to search; may be repeated.',
      helpValue: 'TYPE',
      default: ['user'],
      multiple: true,
      multipleNonGreedy: true,
    }),
    'resource-id': string({
      description: 'The id of the resource; RESOURCE is then only the type.',
      helpValue: 'ID',
    }),
    'resource-property': pairFlag('An attribute of the resource, over the stored one.'),
    'subject-property': pairFlag('An attribute, as if each subject had it.'),
    'action-property': pairFlag('An attribute of the action.'),
    context: contextFlag,
    why: boolean({
      description: 'Say of each by which policy and links, and who gave these: pull request, author and approvers.',
      exclusive: ['at', 'local', 'possible'],
    }),
    ...limitFlag,
    ...possibleFlag,
    ...atFlag,
    ...localFlag,
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(WhoCan);
    if (args.action.trim() === '') throw new UsageError('ACTION is empty: write the name of an action, like "read".');
    if (flags.possible) return await this.#possible(args, flags);
    const context = members('context', flags.context);
    const client = await asking(flags);
    const { signal } = this;
    const types = await typesFor([args.resource], async () => client, signal);
    const question = {
      action: { name: args.action, ...properties('action-property', flags['action-property']) },
      resource: {
        ...resourceOf(args.resource, flags['resource-id'], 'RESOURCE', types),
        ...properties('resource-property', flags['resource-property']),
      },
      ...(context && { context }),
    };
    const own = properties('subject-property', flags['subject-property']);
    const leftOut = new LeftOutCount();
    const searches = flags['subject-type'].map((type) =>
      client.searchSubjects({ ...question, subject: { type, ...own } }, { signal, onLeftOut: leftOut.note }),
    );
    const results = await taken(searches, flags.limit);
    const asked = {
      action: args.action,
      resourceTypes: { names: [question.resource.type], where: 'RESOURCE' },
      resource: question.resource,
      subjectTypes: flags['subject-type'],
    };
    const note = await checkNames(client, asked, results.length, signal);
    await err.line(
      err.style(
        'dim',
        `${counted(results.length, 'subject')} of type ${flags['subject-type'].join(' or ')}${note}${leftOut.text}`,
      ),
    );
    if (!flags.why || results.length === 0)
      return { json: { results, ...leftOut.json }, text: shownEntities('subject', results) };
    const { givenBy, renderGiven } = await import('../search/given-by.js');
    const given = await givenBy(await connect(flags), results, question, { own, signal });
    return { json: { results: given, ...leftOut.json }, text: renderGiven(given) };
  }

  async #possible(args: { action: string; resource: string }, flags: PossibleFlags): Promise<Outcome> {
    const types = await typesFor([args.resource], () => asking(flags), this.signal);
    const resource = resourceOf(args.resource, flags['resource-id'], 'RESOURCE', types);
    const search = await PossibleSearch.of(flags, this.signal);
    const all = search.subjects(flags['subject-type']).flatMap((subject) => {
      const condition = search.condition({ subject, action: { name: args.action }, resource });
      return condition === undefined ? [] : [{ ...subject, condition }];
    });
    const results = all.slice(0, flags.limit);
    const asked = {
      action: args.action,
      resourceTypes: { names: [resource.type], where: 'RESOURCE' },
      resource,
      subjectTypes: flags['subject-type'],
    };
    const note = await checkNames(await asking(flags), asked, results.length, this.signal);
    return await possibleFound(results, ['SUBJECT'], note, (found) => [shownEntity('subject', found)]);
  }
}
