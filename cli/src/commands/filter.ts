import type { Filter as FilterAnswer, FilterQuestion } from '@authz-service/sdk/filter';
import { type FilterColumns, filterSql, type SqlDialect } from '@authz-service/sdk/filter-sql';
import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { members, properties, subjectOf } from '../authorize/question.js';
import { contextFlag, pairFlag, roleFlag } from '../authorize/question-flags.js';
import { connectionFlags, localFlag } from '../config/connect.js';
import { UsageError } from '../errors/usage-error.js';
import { readColumns } from '../filter/columns.js';
import { explanationLines, PARTIAL, renderFilter } from '../filter/render-filter.js';
import { asking, atFlag } from '../history/asking.js';
import { printable } from '../output/text.js';
import { checkNames } from '../search/check-names.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

export default class Filter extends ServiceCommand {
  static override summary = "Say which rows of an application's table a subject may do something with.";
  static override description =
    `The answer is a condition on the columns of rows: a row is meant if and only if "servicectl authorize" would allow the \
action on a resource of its name, with its columns as properties and parents. Rows need no record.

--sql says it as an expression for a WHERE, with parameters; --map is a JSON file that says which columns attributes are: \
{"name": "doc.name", "properties": {"amount": "doc.amount"}, "parents": {"folder": "doc.folder"}}.

What columns cannot say exactly is refused, never approximated, and the answer names the policy and the clause.`;
  static override examples = [
    { description: 'Which invoices may Alice read?', command: 'servicectl filter user:alice read billing/invoice' },
    {
      description: 'The same for a query in PostgreSQL',
      command: 'servicectl filter user:alice read billing/invoice --sql postgres --map invoice-columns.json',
    },
    {
      description: 'With a second factor, of one customer',
      command:
        'servicectl filter user:alice approve billing/invoice --context mfa=true --resource-property customer=ACME',
    },
  ];
  static override args = {
    subject: stringArgument({ description: 'The subject, as TYPE:ID or TYPE/ID.', required: true, ignoreStdin: true }),
    action: stringArgument({ description: 'The action.', required: true, ignoreStdin: true }),
    type: stringArgument({
      description: 'The resource type of the rows: APPLICATION/TYPE, or TYPE while the name is unique.',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    sql: string({
      description: 'Say it in SQL.',
      options: ['sqlite', 'postgres', 'mysql'],
      dependsOn: ['map'],
      helpGroup: 'OUTPUT',
    }),
    map: string({
      description: 'The columns of attributes.',
      helpValue: 'FILE',
      dependsOn: ['sql'],
      helpGroup: 'OUTPUT',
    }),
    role: roleFlag,
    'subject-property': pairFlag('An attribute of the subject, over the stored one.'),
    'resource-property': pairFlag('An attribute that is the same for all rows.'),
    'action-property': pairFlag('An attribute of the action.'),
    context: contextFlag,
    partial: boolean({
      description: 'Give an upper bound where columns cannot say the answer: each row of it needs a decision.',
      helpGroup: 'ASKING',
    }),
    parts: boolean({
      description: 'Give the answer in parts, each for other rows: for lists of more than 10,000 names.',
      helpGroup: 'ASKING',
    }),
    explain: boolean({ char: 'e', description: 'Show the policies that take part.', helpGroup: 'ASKING' }),
    ...atFlag,
    ...localFlag,
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Filter);
    if (args.type.includes(':'))
      throw new UsageError(`TYPE "${args.type}" names a resource: give the type alone, like "billing/invoice".`);
    const columns = flags.map === undefined ? undefined : await readColumns(flags.map);
    const context = members('context', flags.context);
    const question: FilterQuestion = {
      subject: {
        ...subjectOf(args.subject, 'SUBJECT'),
        ...properties('subject-property', flags['subject-property']),
        ...(flags.role && { roles: flags.role }),
      },
      action: { name: args.action, ...properties('action-property', flags['action-property']) },
      resource: { type: args.type, ...properties('resource-property', flags['resource-property']) },
      ...(context && { context }),
      options: { ...(flags.explain && { explain: true }), ...(flags.partial && { partial: 'ask' }) },
    };
    const client = await asking(flags);
    if (flags.parts) {
      const parts: Outcome[] = [];
      for await (const part of client.filterParts(question, { signal: this.signal }))
        parts.push(shown(part, columns, flags.sql, args));
      const text = parts.map((part, at) => `Part ${at + 1} of ${parts.length}:\n\n${part.text}`).join('\n\n');
      return { json: { parts: parts.map(({ json }) => json) }, text };
    }
    const filter = await client.filterRows(question, { signal: this.signal });
    // A slip in a name selects nothing, which people take for an answer.
    if (filter.kind === 'none' && !flags.json) {
      const resourceTypes = { names: [args.type], where: 'TYPE' };
      await checkNames(client, { action: args.action, resourceTypes }, 1, this.signal);
    }
    return shown(filter, columns, flags.sql, args);
  }
}

/** A filter, or a part of one, as it is or in SQL. */
function shown(
  { revision: _, ...filter }: FilterAnswer,
  columns: FilterColumns | undefined,
  dialect: string | undefined,
  { subject, type }: { subject: string; type: string },
): Outcome {
  if (columns === undefined) return { json: filter, text: renderFilter(filter, printable(subject), printable(type)) };
  const { kind, sql, params, partial } = filterSql(filter, columns, dialect as SqlDialect);
  const numbered = params.map((param, at) => `  ${at + 1}  ${printable(JSON.stringify(param))}`);
  const bound = partial ? [PARTIAL, ''] : [];
  const { explanation } = filter;
  const explained = explanation === undefined ? [] : ['', ...explanationLines(explanation)];
  const text = [...bound, sql, ...(params.length > 0 ? ['', 'Parameters:', ...numbered] : []), ...explained].join('\n');
  return { json: { kind, sql, params, ...(partial && { partial }), ...(explanation && { explanation }) }, text };
}
