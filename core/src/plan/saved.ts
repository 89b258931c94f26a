import * as z from 'zod';
import { declaredOriginsSchema } from '../origin/record-origin.js';
import { ProblemError } from '../problem.js';
import { accessReportSchema } from '../questions/impact/report/access-report-schema.js';
import { issueFaults } from '../records/issue-faults.js';
import { KINDS } from '../records/kinds.js';
import { revisionNumber } from '../state/revision.js';
import type { Plan } from './plan.js';

const text = z.string().min(1);
const fields = z.record(z.string(), z.json());
const count = z.int().nonnegative();
const target = { kind: z.enum(KINDS), address: text };
const common = {
  ...target,
  sensitive: z.array(z.string()).optional(),
  differences: z.array(
    z.strictObject({ pointer: z.string(), before: z.json().optional(), after: z.json().optional() }),
  ),
};

const savedSchema = z.strictObject({
  format: z.literal(1),
  tenant: text,
  stack: text,
  base_revision: text,
  changes: z.array(
    z.discriminatedUnion('action', [
      z.strictObject({ ...common, action: z.literal('create'), fields }),
      z.strictObject({ ...common, action: z.literal('update'), fields, taken_from: text.optional() }),
      z.strictObject({ ...common, action: z.literal('move'), from: text, fields, taken_from: text.optional() }),
      z.strictObject({ ...common, action: z.literal('adopt'), taken_from: text }),
      z.strictObject({ ...common, action: z.literal('delete'), removed_from: text.optional() }),
    ]),
  ),
  followers: z.array(z.strictObject({ ...target, from: text, managed_by: text })).optional(),
  foreign_links: z.array(z.strictObject({ ...target, managed_by: text, grants: text })).optional(),
  refused_forms: z.array(z.strictObject({ address: text, managed_by: text, detail: text })).optional(),
  kept_suspensions: z
    .array(
      z.strictObject({
        address: text,
        suspended: z.boolean().optional(),
        suspended_until: text.optional(),
        suspension_reason: text.optional(),
      }),
    )
    .optional(),
  broken_rules: z.array(z.strictObject({ rule: text, mode: z.enum(['enforce', 'warn']), detail: text })).optional(),
  counts: z.strictObject({ added: count, changed: count, removed: count, unchanged: count }),
  access: z.union([z.strictObject({ unavailable: text }), accessReportSchema]).optional(),
  origins: declaredOriginsSchema.optional(),
});

/** A plan as it is saved, with where its records stand. That is no part of the plan. */
export interface SavedPlan {
  plan: Plan;
  origins?: z.infer<typeof declaredOriginsSchema>;
}

/**
 * A plan from the JSON text that it was saved as. Its shape and the consistency of its parts are checked; what it means
 * is checked by the code that applies it. Throws `invalid_request` naming the place of the damage.
 */
export function parsePlan(saved: string): SavedPlan {
  let value: unknown;
  try {
    value = JSON.parse(saved);
  } catch (error) {
    throw new ProblemError('invalid_request', 'This is not a saved plan: it is not valid JSON.', [], { cause: error });
  }
  const result = savedSchema.safeParse(value);
  if (!result.success) {
    const errors = issueFaults(savedSchema, result.error.issues, value);
    const [first] = errors;
    const wrong = `${first?.pointer ? `${first.pointer}: ` : 'it '}${first?.detail.replace(/\.$/, '')}`;
    throw new ProblemError('invalid_request', `This is not a saved plan (${wrong}): plan again.`, errors);
  }
  const { origins, ...rest } = result.data;
  const plan = rest as Plan;
  revisionNumber(plan.base_revision);
  checkAgreement(plan);
  return { plan, ...(origins && { origins }) };
}

function checkAgreement({ changes, followers = [], foreign_links: links = [], counts }: Plan): void {
  const wrong = [...changes, ...followers, ...links].find(({ kind, address }) => !address.startsWith(`${kind}/`));
  const added = changes.filter(({ action }) => action === 'create').length;
  const removed = changes.filter(({ action }) => action === 'delete').length;
  const changed = changes.length - added - removed + followers.length;
  if (wrong || counts.added !== added || counts.removed !== removed || counts.changed !== changed) {
    const what = wrong ? `"${wrong.address}" is no ${wrong.kind}` : 'its counts are not those of its changes';
    throw new ProblemError('invalid_request', `The saved plan was changed by hand or damaged (${what}): plan again.`);
  }
}
