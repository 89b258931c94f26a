import * as z from 'zod';
import { PAIR_CHANGES } from '../../../access/delta/pair-change.js';
import { FINDING_RISKS } from '../api/finding.js';

const text = z.string();
const count = z.int().nonnegative();
const texts = z.array(text);

const causeSchema = z.strictObject({
  address: text,
  change: z.enum(['added', 'changed', 'removed']),
  file: text.optional(),
  line: z.int().optional(),
  removed_with: text.optional(),
});

const findingSchema = z.strictObject({
  id: text,
  change: z.enum(['gained', 'lost', 'widened', 'narrowed', 'changed', 'unknown']),
  subjects: z.strictObject({
    principals: z.array(z.strictObject({ principal: text, subjects: count, of: count, directly: count })),
    recorded: count,
    unrecorded: texts,
    named_role: text.optional(),
    named_types: texts.optional(),
    named_types_except: texts.optional(),
  }),
  actions: texts,
  actions_except: texts.optional(),
  resources: z.array(
    z.strictObject({
      type: text,
      which: z.enum(['all', 'recorded', 'named', 'unrecorded', 'nowhere', 'unsaid']),
      below: text.optional(),
      and_below: texts.optional(),
      not_below: texts.optional(),
      among_others: z.literal(true).optional(),
      names: texts.optional(),
      recorded: count,
    }),
  ),
  condition: text.nullable(),
  condition_before: text.optional(),
  from: text.nullable(),
  until: text.nullable(),
  triples: count,
  exact: z.boolean(),
  causes: z.array(z.array(causeSchema)),
  risks: z.array(z.enum(FINDING_RISKS)),
  witness: z.json().optional(),
  members: texts.optional(),
  acknowledged: z.literal(true).optional(),
});

const groupSchema = z.strictObject({
  findings: texts,
  subjects: z.record(text, count),
  resources: count,
  each: z.tuple([count, count]),
  triples: count,
  exact: z.boolean(),
  stack: text.optional(),
  link: z.strictObject({ change: z.enum(['added', 'removed']), grants: text, place_type: text.optional() }).optional(),
  rarest: z.array(
    z.strictObject({ subject: text, resources: count, first: texts, newcomer: z.boolean(), alike: count }),
  ),
});

/** A report as a saved plan holds it. */
export const accessReportSchema = z.strictObject({
  format: z.literal(1),
  now: text,
  counts: z.strictObject(Object.fromEntries(PAIR_CHANGES.map((change) => [change, count]))),
  exact: z.boolean(),
  complete: z.literal(false).optional(),
  findings: z.array(findingSchema),
  groups: z.array(groupSchema).optional(),
  gaps: texts.optional(),
  gates: z.array(z.strictObject({ gate: text, passed: z.boolean(), detail: text, findings: texts })).optional(),
});
