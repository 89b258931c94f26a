import * as z from 'zod';
import { address, path } from './address.js';
import { CONDITION_LENGTH_MAX } from './condition-length.js';
import { namesInCondition } from './condition-names.js';
import { define, type Reference } from './definition.js';
import {
  actionName,
  description,
  freeText,
  moment,
  nameText,
  reference,
  stringSet,
  subjectTypeText,
} from './fields.js';

/** The forms of a rule: what may not be, who alone may, what must stay possible, what nobody may do both of. */
export const RULE_FORMS = ['never', 'only', 'always', 'separate'] as const;
export type RuleForm = (typeof RULE_FORMS)[number];

/** Stands for every declared type. */
export const EVERY_RESOURCE_TYPE = '*';

/** Names in one list. */
const NAMED_MAX = 1000;

const names = <T extends z.ZodType<string>>(item: T) => stringSet(item).min(1).max(NAMED_MAX).optional();

const expression = (text: string) =>
  z.string().min(1).max(CONDITION_LENGTH_MAX).optional().meta({ condition: true, description: text });

const subjects = () =>
  z
    .strictObject({
      type: subjectTypeText.optional().meta({ description: 'The type of the subjects: `user`.' }),
      named: names(reference('subject', 'The path of a subject: `user/alice`.')).meta({
        description: 'The paths of subjects that are meant: `user/alice`.',
      }),
      groups: names(reference('group', 'The path of a group: `finance`.')).meta({
        description: 'The paths of groups whose members are meant, direct or not.',
      }),
      roles: names(reference('role', 'The path of a role: `billing/accountant`.')).meta({
        description: 'The paths of roles whose holders are meant, where the resource is.',
      }),
      where: expression('A CEL expression over `subject` that must be true, too.'),
    })
    .optional()
    .meta({
      description:
        'Whom the rule means: subjects of the type that are named, in a group or hold a role; absent means all.',
    });

const resources = () =>
  z
    .strictObject({
      types: names(
        reference('resource_type', 'The path of a type: `payroll/payslip`; `*` stands for every type.').meta({
          all: EVERY_RESOURCE_TYPE,
        }),
      ).meta({
        description:
          'The paths of types whose resources are meant, also those that no record names; `*` for every type.',
      }),
      named: names(reference('resource', 'The path of a resource: `payroll/payslip/2026-01`.')).meta({
        description: 'The paths of resources that are meant.',
      }),
      below: z.literal(true).optional().meta({ description: 'All that lies below the named resources is meant, too.' }),
      where: expression('A CEL expression over `resource` that must be true, too.'),
    })
    .superRefine(({ types, named, below }, context) => {
      const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
      if (types === undefined && named === undefined)
        refuse([], 'means nothing: give `types` or `named`, or `types: ["*"]` for every resource');
      if (below && named === undefined) refuse(['below'], 'is for resources in `named`, of which there are none');
    })
    .meta({ description: 'Which resources the rule means: those of the types, and those that are named.' });

const claim = <T extends z.ZodRawShape>(text: string, least: 1 | 2, more: T) =>
  z
    .strictObject({
      subjects: subjects(),
      actions: stringSet(actionName)
        .min(least, least === 1 ? 'must name at least one action, or "*"' : 'must name at least two actions')
        .max(NAMED_MAX)
        .meta({ description: least === 1 ? 'The actions meant; `*` means all.' : 'The actions kept apart.' }),
      resources: resources(),
      ...more,
    })
    .optional()
    .meta({ description: text });

export const accessRule = define({
  kind: 'access_rule',
  yaml: 'access_rules',
  docs: 'A statement about access that must hold whatever is changed: no commit makes it untrue.',
  schema: () =>
    z
      .strictObject({
        name: nameText.meta({ key: true, description: 'The name, unique in the tenant.' }),
        never: claim('None of these subjects may do any of these actions on any of these resources.', 1, {}),
        only: claim('Nobody but these subjects may do any of these actions on any of these resources.', 1, {}),
        always: claim('Each of these subjects stays allowed each of these actions on each of these resources.', 1, {
          even_suspended: z.literal(true).optional().meta({
            description: 'Suspended subjects are meant, too, so that none of these can be suspended.',
          }),
        }),
        separate: claim('None of these subjects may do two of these actions on the same of these resources.', 2, {}),
        when: expression(
          'A CEL expression over `context`, `subject`, `resource` and `action`: the rule speaks of these requests only.',
        ),
        mode: z.enum(['enforce', 'warn']).default('enforce').meta({
          description: '`enforce` refuses changes that break the rule; `warn` only tells of them.',
        }),
        suspended_until: moment('Until when (RFC 3339) the rule refuses nothing; it then counts again by itself.'),
        suspension_reason: freeText(1024, 'Why it is suspended; the audit trail keeps it.'),
        description,
      })
      .superRefine((fields, context) => {
        const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
        const said = RULE_FORMS.filter((form) => fields[form] !== undefined);
        const [first, second] = said;
        if (first === undefined) refuse([], 'says nothing: give one of `never`, `only`, `always` and `separate`');
        if (second !== undefined) refuse([second], `stands beside \`${first}\`: make two rules`);
        if (fields.separate?.actions.includes('*') === true)
          refuse(['separate', 'actions'], 'of `separate` are named one by one: "*" stands for all of them');
        if (fields.only !== undefined && fields.only.subjects === undefined)
          refuse(['only'], 'allows nobody but everybody: give `subjects`, or write `never` if nobody may');
        if (fields.suspended_until !== undefined && fields.suspension_reason === undefined)
          refuse(['suspension_reason'], 'is missing: say why the rule is suspended');
        if (fields.suspended_until === undefined && fields.suspension_reason !== undefined)
          refuse(['suspended_until'], 'is missing: say until when the rule is suspended');
      }),
  path: (fields) => path(fields.name),
  home: () => 'rules',
  references: (fields) => {
    const found: Reference[] = [];
    const add = (pointer: string, kind: 'subject' | 'group' | 'role' | 'resource_type' | 'resource', list?: string[]) =>
      list?.forEach((one, index) => {
        if (one !== EVERY_RESOURCE_TYPE || kind !== 'resource_type')
          found.push({ pointer: `${pointer}/${index}`, target: address(kind, one) });
      });
    const inText = (pointer: string, text: string | undefined) => {
      for (const { target, start } of namesInCondition(text ?? '')) found.push({ pointer, target, offset: start });
    };
    for (const form of RULE_FORMS) {
      const said = fields[form];
      if (said === undefined) continue;
      add(`/${form}/subjects/named`, 'subject', said.subjects?.named);
      add(`/${form}/subjects/groups`, 'group', said.subjects?.groups);
      add(`/${form}/subjects/roles`, 'role', said.subjects?.roles);
      inText(`/${form}/subjects/where`, said.subjects?.where);
      add(`/${form}/resources/types`, 'resource_type', said.resources.types);
      add(`/${form}/resources/named`, 'resource', said.resources.named);
      inText(`/${form}/resources/where`, said.resources.where);
    }
    inText('/when', fields.when);
    return found;
  },
});
