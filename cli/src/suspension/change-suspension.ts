import { ProblemError } from '@authz-service/core/problem';
import { path } from '@authz-service/core/records/address';
import { entityText } from '@authz-service/core/records/entity-text';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { RecordPatch, WireRecord } from '@authz-service/sdk/wire';
import { subjectOf } from '../authorize/question.js';
import { timeoutMs, withEnforcement } from '../enforcement/await-enforced.js';
import { UsageError } from '../errors/usage-error.js';
import { out } from '../output/terminal.js';
import { subjectMeant } from '../search/check-names.js';
import type { Outcome } from '../service-command.js';

type Suspension = Pick<RecordPatch<'subject'>, 'suspended' | 'suspended_until' | 'suspension_reason'>;

interface Order {
  /** As it is written: `user:alice`. */
  subject: string;
  suspension: { [Field in keyof Required<Suspension>]: Suspension[Field] };
  /** In one word, and with the rest of the sentence. */
  done: [string, string];
  flags: { wait?: 'enforced' | undefined; timeout: string; json: boolean };
  client: ServiceClient;
  signal: AbortSignal;
}

/** Suspends a subject, or reinstates it, whoever owns its record, and waits until that is enforced, if that is asked for. */
export async function changeSuspension({
  subject,
  suspension,
  done: [word, rest],
  flags,
  client,
  signal,
}: Order): Promise<Outcome> {
  timeoutMs(flags.timeout);
  const named = subjectOf(subject, 'SUBJECT');
  const text = entityText('subject', { type: named.type, name: named.id });
  let record: Awaited<ReturnType<typeof update>>;
  try {
    record = await update(client, path(named.type, named.id), suspension, signal);
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'not_found')) throw error;
    throw new UsageError(`SUBJECT "${text}" has no record: ${await subjectMeant(client, named, signal)}`);
  }
  const { revision, suspended, suspended_until, suspension_reason } = record;
  const json = {
    ...{ subject: record.address, revision },
    ...(suspended && { suspended }),
    ...(suspended_until !== undefined && { suspended_until }),
    ...(suspension_reason !== undefined && { suspension_reason }),
  };
  const isHeld = suspended === true && suspension.suspended !== true;
  const said = isHeld
    ? `${out.style('yellow', 'Still suspended')} ${text} ("${suspension_reason}"): revision ${revision}. Run it again to lift that, too.`
    : `${out.style('green', word)} ${text}${rest}: revision ${revision}.`;
  const outcome = { json, text: said };
  return await withEnforcement(outcome, String(revision), { client, flags, signal });
}

/** Writes for the owner of the record, which keeps it: a limited credential has to name the stack. */
async function update(client: ServiceClient, name: string, suspension: Suspension, signal: AbortSignal) {
  const subjects = client.records('subject');
  const present = await subjects.get(name, { signal });
  assertNoSooner(present, suspension);
  const { managed_by: owner, revision: ifMatch } = present;
  const isStack = owner !== 'api' && !owner.startsWith('directory/');
  return await subjects.update(name, suspension, { signal, ifMatch, ...(isStack && { stack: owner }) });
}

/** Throws `UsageError` where a suspension would end one that lasts longer. */
function assertNoSooner(present: WireRecord<'subject'>, { suspended_until: until }: Suspension): void {
  if (typeof until !== 'string') return;
  const { type, id, suspended, suspended_until: end, suspension_reason: reason } = present;
  if (!suspended && (end === undefined || Date.parse(end) <= Date.parse(until))) return;
  const why = reason === undefined ? '' : ` ("${reason}")`;
  throw new UsageError(
    `"${entityText('subject', { type, name: id })}" is suspended ${suspended ? 'without an end' : `until ${end}`}${why}, which --until ${until} would shorten: leave that, or run "servicectl reinstate" first.`,
  );
}
