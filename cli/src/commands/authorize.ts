import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import type { DecisionQuestion } from '@authz-service/sdk/question';
import { boolean, integer, string } from '@oclif/core/flags';
import { type BatchQuestion, parseBatch } from '../authorize/batch.js';
import { questionOf } from '../authorize/question.js';
import { contextFlag, pairFlag, roleFlag } from '../authorize/question-flags.js';
import { answerOf, renderAnswer } from '../authorize/render.js';
import { runBatch } from '../authorize/run-batch.js';
import { connectionFlags, localFlag } from '../config/connect.js';
import { UsageError } from '../errors/usage-error.js';
import { asking, atFlag } from '../history/asking.js';
import { err, out } from '../output/terminal.js';
import { counted } from '../output/text.js';
import { typesFor } from '../search/resource-types.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

const DENIED_EXIT_CODE = 2;

export default class Authorize extends ServiceCommand {
  static override summary = 'Ask whether a subject may do something to a resource.';
  static override description =
    `Asks the cloud or, with --local, the agent on this machine; both give the same answers. A denial is an answer, \
so the exit code is 0, or 2 with --exit-code.

Values of properties and context are parsed as JSON if possible (120, true, ["a"], "007" with its quotes), and \
otherwise taken as text (10.0.0.1, open).

--batch reads requests from a file: JSON lines, a JSON array, or YAML. Each is a full request body, or a short form like \
{"subject": "user:alice", "action": "read", "resource": "invoice:INV-1"}. A request may also say what is expected, "expect": "allow" or "deny": the exit code is 1 \
if an answer is not the expected one. With --json it prints one answer per \
line, in the order of the requests; for a request that cannot be answered the line is {"error": …} and the exit code \
is 1.`;

  static override examples = [
    {
      description: 'May Alice read this invoice?',
      command: 'servicectl authorize --subject user:alice --action read --resource invoice:INV-1',
    },
    {
      description: 'Ask the agent, and exit with 2 if the answer is no',
      command:
        'servicectl authorize --local --exit-code --subject user:alice --action read --resource billing/invoice/INV-1',
    },
    {
      description: 'Add properties and context, and explain the answer',
      command:
        'servicectl authorize --subject user:bob --action approve --resource invoice:INV-2 --resource-property amount=900 --context ip=10.0.0.1 --context mfa=true --explain',
    },
    {
      description: 'Could Alice read it on 1 March, and why?',
      command: 'servicectl authorize -s user:alice -a read -r invoice:INV-1 --at 2027-03-01 --explain',
    },
    { description: 'Ask many questions at once', command: 'servicectl authorize --batch questions.jsonl --json' },
  ];

  static override flags = {
    subject: string({ char: 's', description: 'The subject.', helpValue: 'TYPE:ID' }),
    action: string({ char: 'a', description: 'The action.', helpValue: 'NAME' }),
    resource: string({
      char: 'r',
      description: 'The resource. The type may be qualified: billing/invoice/INV-1.',
      helpValue: 'TYPE:NAME',
    }),
    'resource-id': string({
      description: 'The id of the resource; --resource then gives only the type.',
      helpValue: 'ID',
    }),
    role: roleFlag,
    'subject-property': pairFlag('An attribute of the subject, over the stored one.'),
    'resource-property': pairFlag('An attribute of the resource, over the stored one.'),
    'action-property': pairFlag('An attribute of the action.'),
    context: contextFlag,
    batch: string({
      helpGroup: 'ASKING',
      char: 'b',
      description: 'Read the questions from a file; - is standard input.',
      helpValue: 'FILE',
    }),
    concurrency: integer({
      helpGroup: 'ASKING',
      description: 'How many questions of a batch to ask at once.',
      default: 16,
      min: 1,
      max: 256,
      helpValue: 'N',
    }),
    explain: boolean({
      helpGroup: 'ASKING',
      char: 'e',
      description: 'Show every candidate policy, and why it did or did not apply.',
    }),
    'exit-code': boolean({
      helpGroup: 'ASKING',
      description: 'Exit with 2 if the answer, or any answer of a batch, is a denial.',
    }),
    ...atFlag,
    ...localFlag,
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(Authorize);
    const batch = flags.batch === undefined ? undefined : await readBatch(flags.batch, flags);
    const types = await typesFor([flags.resource], () => asking(flags), this.signal);
    const question = batch === undefined ? questionOf(flags, types) : undefined;
    const client = await asking(flags);
    const denied = flags['exit-code'] ? DENIED_EXIT_CODE : 0;
    const prepare = (question: DecisionQuestion): DecisionQuestion =>
      flags.explain ? { ...question, options: { ...question.options, explain: true } } : question;
    if (question === undefined) {
      const options = { json: flags.json, concurrency: flags.concurrency, signal: this.signal };
      const questions = (batch ?? []).map(({ question, ...rest }) => ({ ...rest, question: prepare(question) }));
      const counts = await runBatch(client, questions, options, out);
      const { expected, unexpected } = counts;
      if (unexpected > 0 && !flags.json) {
        const answers = `${unexpected.toLocaleString('en')} of ${counted(expected, 'expected answer')}`;
        await err.line(`${err.style('red', '✗')} ${answers}: not as expected`);
      }
      const failed = counts.failed > 0 || unexpected > 0;
      return { json: undefined, exitCode: failed ? 1 : counts.denied > 0 ? denied : 0 };
    }
    const answer = answerOf(await client.decide(prepare(question), { signal: this.signal }));
    return { json: answer, text: renderAnswer(question, answer, out.style), exitCode: answer.decision ? 0 : denied };
  }
}

const OF_ONE_QUESTION = [
  'subject',
  'action',
  'resource',
  'resource-id',
  'role',
  'subject-property',
  'resource-property',
  'action-property',
  'context',
];

async function readBatch(file: string, flags: Record<string, unknown>): Promise<BatchQuestion[]> {
  const beside = OF_ONE_QUESTION.find((name) => flags[name] !== undefined);
  if (beside !== undefined) {
    throw new UsageError(`--${beside} cannot be used with --batch: all requests of a batch come from the file.`);
  }
  const text = file === '-' ? await readAll(process.stdin) : await readFile(file, 'utf8');
  return parseBatch(text, file === '-' ? 'standard input' : file);
}
