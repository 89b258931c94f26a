import * as z from 'zod';
import { parseIpRange } from '../values/ip-range.js';
import { address, path } from './address.js';
import { CONDITION_LENGTH_MAX } from './condition-length.js';
import { namesInCondition } from './condition-names.js';
import { define, type Reference } from './definition.js';
import { actionName, description, nameText, reference, stringSet } from './fields.js';
import { PRIORITY_BOUND } from './limits.js';
import { referencesOfSharing, sharedWith } from './shared-with.js';

/** All of them may be looked at in one decision, in every caller's process: some tens of microseconds. */
const MAX_IP_RANGES = 1000;
const MAX_TIME_WINDOWS = 100;

const NO_RANGE = 'must be an IP address or CIDR range like "10.0.0.0/8"';

const time = () => z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day like "09:30"');
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const timeWindow = () =>
  z.strictObject({
    days: z
      .array(z.enum(WEEKDAYS))
      .min(1)
      .overwrite((days) => WEEKDAYS.filter((day) => days.includes(day)))
      .optional()
      .meta({ set: true, description: 'The days on which the window opens; absent means every day.' }),
    start: time().meta({ description: 'The time at which the window opens, inclusive: "09:00".' }),
    end: time().meta({
      description: 'The time at which it closes, exclusive; on the next day if it is not after `start`.',
    }),
    zone: z
      .string()
      .refine(isTimeZone, 'must be an IANA time zone like "Europe/Berlin" or "UTC"')
      .default('UTC')
      .meta({ description: 'The IANA time zone of the days and times.' }),
  });

/** An offset is none, although newer versions of `Intl` take it: what one machine takes another must not refuse. */
function isTimeZone(zone: string): boolean {
  if (/^[+-]/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

const modifiers = (text: string) =>
  z
    .strictObject({
      ip_ranges: stringSet(
        z
          .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], NO_RANGE)
          .refine((text) => parseIpRange(text) !== undefined, NO_RANGE),
      )
        .min(1)
        .max(MAX_IP_RANGES)
        .optional()
        .meta({ description: '`context.ip` must lie in one of these addresses or CIDR ranges, at most 1,000.' }),
      time_windows: z
        .array(timeWindow())
        .min(1)
        .max(MAX_TIME_WINDOWS)
        .optional()
        .meta({ description: '`context.time`, or else now, must lie in one of these windows, at most 100.' }),
      mfa_required: z.literal(true).optional().meta({ description: '`context.mfa` must be true.' }),
    })
    .optional()
    .meta({ description: text });

export type TimeWindow = z.output<ReturnType<typeof timeWindow>>;
export type Modifiers = NonNullable<z.output<ReturnType<typeof modifiers>>>;

const covered = () =>
  z.strictObject({
    resource: reference('resource', 'The path of the resource: `billing/invoice/INV-1`.'),
    actions: stringSet(actionName)
      .min(1, 'must name at least one action, or "*"')
      .meta({ description: 'The actions covered; `*` covers all.' }),
    below: z.boolean().optional().meta({ description: 'Whether all that lies below the resource is covered, too.' }),
  });

/** Nobody means the first, and `modifiers` say what the second could (docs/semantics.md 4.10). */
export const DENIES_SECOND_FACTORS =
  'in a DENY denies those with a second factor and lets those without one pass: take it out, and write `unless: { mfa_required: true }`, which denies unless there is one';
const NO_UNLESS = 'is for a DENY: of an ALLOW, `modifiers` say what it requires';

/** The coverage of an entry of `resources`: the resource alone, or also all below it. */
const coverage = ({ resource, below = false }: { resource: string; below?: boolean | undefined }) =>
  `${resource}${below ? '/' : ''}`;

/** Sorted, and one entry for each resource, or for it and all below it, since order means nothing. */
const resources = () =>
  z
    .array(covered())
    .min(1)
    .overwrite((list) =>
      [...list].sort((left, right) =>
        coverage(left) < coverage(right) ? -1 : coverage(left) > coverage(right) ? 1 : 0,
      ),
    )
    .refine(
      (list) => new Set(list.map(coverage)).size === list.length,
      'names a resource twice: join its actions in one entry',
    )
    .optional()
    .meta({
      set: true,
      description:
        'The individual resources covered, each with its actions; used in place of `resource_type` and `actions`.',
    });

/** Stands for every type of the policy's application. */
export const ALL_TYPES = '*';

const resourceTypes = () =>
  stringSet(reference('resource_type', 'The path of a type: `billing/invoice`.').meta({ all: ALL_TYPES }))
    .min(1, 'must name at least one type, or "*"')
    .refine(
      (list) => list.length === 1 || !list.includes(ALL_TYPES),
      '"*" stands for all types: name no other beside it',
    )
    .optional()
    .meta({
      description:
        'The paths of the types covered, in place of `resource_type`; `*` alone covers every type of the application.',
    });

export const policy = define({
  kind: 'policy',
  yaml: 'policies',
  docs: 'Allows or denies its assignees actions on resources, by name or by type.',
  schema: () =>
    z
      .strictObject({
        application: reference('application', 'The application it belongs to; none makes it a policy of the tenant.')
          .optional()
          .meta({ key: true }),
        name: nameText.meta({
          key: true,
          description: 'The name, unique in the application or among the policies of the tenant.',
        }),
        effect: z.enum(['ALLOW', 'DENY']).meta({ description: '`ALLOW` or `DENY`.' }),
        priority: z.int().min(-PRIORITY_BOUND).max(PRIORITY_BOUND).default(0).meta({
          description: 'The highest priority among applicable policies decides; at equal priority `DENY` wins.',
        }),
        resources: resources(),
        resource_type: reference(
          'resource_type',
          'The path of the type covered: `billing/invoice`; also covers resources that no record names.',
        ).optional(),
        resource_types: resourceTypes(),
        actions: stringSet(actionName).min(1, 'must name at least one action, or "*"').optional().meta({
          description: 'The actions covered on the type, or on those of the types that have them; `*` covers all.',
        }),
        condition: z.string().min(1).max(CONDITION_LENGTH_MAX).optional().meta({
          condition: true,
          description: 'A CEL expression over `subject`, `resource`, `action` and `context` that must be true.',
        }),
        modifiers: modifiers('Structured conditions on the context of a request; all of them must hold.'),
        unless: modifiers('Exceptions from a `DENY`: it does not apply where all of these hold.'),
        shared_with: sharedWith,
        description,
      })
      .superRefine((fields, context) => {
        const { application, resource_type, resource_types, resources, actions } = fields;
        const byType = resource_type !== undefined || resource_types !== undefined;
        const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
        if (resource_type !== undefined && resource_types !== undefined)
          refuse(['resource_types'], 'stands beside `resource_type`: name all types here');
        if (resources !== undefined && (byType || actions !== undefined)) {
          const message =
            'stands beside `resource_type`, `resource_types` or `actions`: a policy covers either a list of resources or types';
          refuse(['resources'], message);
        } else if (resources === undefined && (!byType || actions === undefined)) {
          refuse([], 'covers nothing: give `resource_type` or `resource_types` with `actions`, or `resources`');
        }
        if (application === undefined && resource_types?.includes(ALL_TYPES) === true)
          refuse(
            ['resource_types'],
            'of a policy of the tenant names its types: "*" stands for those of a policy\'s application',
          );
        if (fields.effect === 'DENY' && fields.modifiers?.mfa_required === true)
          context.addIssue({ code: 'custom', path: ['modifiers', 'mfa_required'], message: DENIES_SECOND_FACTORS });
        if (fields.effect === 'ALLOW' && fields.unless !== undefined)
          context.addIssue({ code: 'custom', path: ['unless'], message: NO_UNLESS });
      }),
  path: (fields) =>
    fields.application === undefined ? path(fields.name) : `${fields.application}/${path(fields.name)}`,
  home: ({ application }) => (application === undefined ? 'tenant' : { application }),
  references: (fields) => {
    const found: Reference[] = [];
    if (fields.application !== undefined)
      found.push({ pointer: '/application', target: address('application', fields.application) });
    if (fields.resource_type !== undefined)
      found.push({ pointer: '/resource_type', target: address('resource_type', fields.resource_type) });
    fields.resource_types?.forEach((type, index) => {
      if (type !== ALL_TYPES)
        found.push({ pointer: `/resource_types/${index}`, target: address('resource_type', type) });
    });
    fields.resources?.forEach((item, index) => {
      found.push({ pointer: `/resources/${index}/resource`, target: address('resource', item.resource) });
    });
    // Who may be given the policy may be asked about in it: groups and roles of anybody.
    for (const { kind, target, start } of namesInCondition(fields.condition ?? ''))
      found.push({ pointer: '/condition', target, offset: start, ...(kind !== 'resource_type' && { free: true }) });
    found.push(...referencesOfSharing(fields.shared_with));
    return found;
  },
});
