/** Change-sets that break an access rule of the attacked tenant, and some much like them that break none. */
import { add, assign, type Change, change, drop, EVE, hold, IN_SAFE, LATER, member, policy } from './changes.js';

/** `rule` are the fields of `no-externals`. */
type ChangesMade = (rule: object) => Change[];

export const ATTACKS: [how: string, changes: ChangesMade][] = [
  ['a grant to a subject', () => [assign('payroll/read', EVE)]],
  ['a membership of a group that has the role', () => [member('staff', EVE)]],
  [
    'a group in between',
    () => [add('group', { name: 'mid' }), member('staff', 'group/mid'), member('mid', 'group/externals')],
  ],
  ['a role', () => [hold('payroll/reader', EVE)]],
  [
    'a role that includes it',
    () => [
      add('role', { application: 'payroll', name: 'lead', includes: ['payroll/reader'], from_requests: false }),
      hold('payroll/lead', EVE),
    ],
  ],
  [
    'a wildcard of actions',
    () => [
      add('policy', policy({ name: 'all', resource_type: 'payroll/payslip', actions: ['*'] })),
      assign('payroll/all', EVE),
    ],
  ],
  [
    'a wildcard of types',
    () => [
      add('policy', policy({ name: 'all', resource_types: ['*'], actions: ['read'] })),
      assign('payroll/all', EVE),
    ],
  ],
  ['everyone', () => [assign('payroll/read', 'everyone/*')]],
  ['everyone of a type', () => [assign('payroll/read', 'everyone/user')]],
  ['a role for everyone', () => [hold('payroll/reader', 'everyone/user')]],
  ['a role that requests name', () => [assign('payroll/read', 'role/payroll/guest')]],
  [
    'a role that requests may name from now on',
    () => [change('role/payroll/reader', { application: 'payroll', name: 'reader', from_requests: true })],
  ],
  [
    'a role that requests name, which includes another',
    () => [add('role', { name: 'visitor', includes: ['payroll/guest'] }), assign('payroll/read', 'role/payroll/guest')],
  ],
  [
    'a role that requests name, which brings another for which a condition asks',
    () => [change('role/payroll/guest', { application: 'payroll', name: 'guest', includes: ['payroll/badge'] })],
  ],
  ['a property that requests send', () => [assign('payroll/own', EVE)]],
  [
    'a property that is recorded no longer',
    () => [
      assign('payroll/read', 'subject/user/ann'),
      change('subject/user/ann', { type: 'user', id: 'ann', properties: { level: 1 } }),
    ],
  ],
  [
    'a property that makes an external of somebody',
    () => [
      member('staff', 'subject/user/ann'),
      change('subject/user/ann', { type: 'user', id: 'ann', properties: { contract: 'external' } }),
    ],
  ],
  [
    'a new subject',
    () => [
      add('subject', { type: 'user', id: 'mal', properties: { contract: 'external' } }),
      member('staff', 'subject/user/mal'),
    ],
  ],
  [
    'a new subject of whom nothing is recorded',
    () => [add('subject', { type: 'user', id: 'mal' }), member('staff', 'subject/user/mal')],
  ],
  ['a link that begins later', () => [member('staff', EVE, { starts_at: LATER })]],
  ['a link that ends', () => [member('staff', EVE, { expires_at: LATER })]],
  ['a DENY that ends', () => [assign('payroll/keep-out', 'everyone/*', { expires_at: LATER }), member('staff', EVE)]],
  [
    'a DENY of less priority',
    () => [
      change(
        'policy/payroll/keep-out',
        policy({ name: 'keep-out', effect: 'DENY', priority: -1, resource_type: 'payroll/payslip', actions: ['read'] }),
      ),
      assign('payroll/keep-out', 'everyone/*'),
      member('staff', EVE),
    ],
  ],
  [
    'a DENY with an exemption',
    () => [
      change(
        'policy/payroll/keep-out',
        policy({
          name: 'keep-out',
          effect: 'DENY',
          priority: 9,
          resource_type: 'payroll/payslip',
          actions: ['read'],
          unless: { mfa_required: true },
        }),
      ),
      assign('payroll/keep-out', 'everyone/*'),
      member('staff', EVE),
    ],
  ],
  [
    'a resource that is moved',
    () => [
      change('resource/payroll/folder/open', { type: 'payroll/folder', name: 'open', parents: ['payroll/folder/hr'] }),
    ],
  ],
  [
    'a closed folder that is moved into an open one',
    () => [
      change('resource/payroll/folder/hr', { type: 'payroll/folder', name: 'hr', parents: ['payroll/folder/open'] }),
    ],
  ],
  [
    'a new resource with two parents',
    () => [
      add('resource', { type: 'payroll/folder', name: 'both', parents: ['payroll/folder/hr', 'payroll/folder/open'] }),
    ],
  ],
  [
    'a role on a drive, for what a request says to lie there and in a folder',
    () => [hold('payroll/viewer', EVE, IN_SAFE)],
  ],
  [
    'a role on a folder whose policy covers what lies in a drive',
    () => [
      add('role', { application: 'payroll', name: 'diver', from_requests: false }),
      add(
        'policy',
        policy({ name: 'deep', resources: [{ resource: 'payroll/drive/safe', actions: ['read'], below: true }] }),
      ),
      assign('payroll/deep', 'role/payroll/diver'),
      hold('payroll/diver', EVE, { resource: 'payroll/folder/hr' }),
    ],
  ],
  [
    'a condition that asks for a drive, for what a request says to lie there and in a folder',
    () => [
      add(
        'policy',
        policy({
          name: 'safe',
          resource_type: 'payroll/folder',
          actions: ['read'],
          condition: 'resource.ancestor("payroll/drive").name == "safe"',
        }),
      ),
      assign('payroll/safe', 'group/externals'),
    ],
  ],
  [
    'a role on what lies inside',
    () => [
      add('resource', { type: 'payroll/folder', name: 'pay', parents: ['payroll/folder/hr'] }),
      hold('payroll/viewer', EVE, { resource: 'payroll/folder/pay' }),
    ],
  ],
  [
    'a policy that covers all below',
    () => [
      add(
        'policy',
        policy({ name: 'deep', resources: [{ resource: 'payroll/folder/hr', actions: ['read'], below: true }] }),
      ),
      assign('payroll/deep', 'group/externals'),
    ],
  ],
  [
    'a condition taken away',
    () => [
      assign('payroll/own', 'subject/user/ann'),
      change('subject/user/ann', { type: 'user', id: 'ann', properties: { contract: 'external', level: 1 } }),
    ],
  ],
  [
    'two duties in one group',
    () => [member('inner', 'subject/user/ann'), assign('payroll/approve', 'subject/user/ann')],
  ],
  [
    'two duties at two times',
    () => [
      member('inner', 'subject/user/ann', { expires_at: LATER }),
      assign('payroll/approve', 'subject/user/ann', { starts_at: LATER }),
    ],
  ],
  [
    'two duties for everyone',
    () => [assign('payroll/submit', 'everyone/*'), assign('payroll/approve', 'everyone/user')],
  ],
  [
    'a new resource that brings two duties together',
    () => [
      add('resource', {
        type: 'payroll/payslip',
        name: 'joint',
        parents: ['payroll/folder/left', 'payroll/folder/right'],
      }),
    ],
  ],
  ['a DENY that goes, for a type that only links mention', () => [drop('policy_assignment/payroll/shut//everyone/*')]],
  [
    'a condition that alone mentions a type of subjects',
    () => [
      add(
        'policy',
        policy({
          name: 'carts',
          resource_type: 'payroll/vault',
          actions: ['enter'],
          condition: 'subject.type == "cart"',
          priority: 10,
        }),
      ),
      assign('payroll/carts', 'everyone/*'),
    ],
  ],
  ...[
    ['an action', 'action.name == "purge"'],
    ['the beginning of an action', 'action.name.startsWith("pur")'],
    ['the end of a type of subjects', 'subject.type.endsWith("bot") && subject.type != "bot"'],
  ].map(([what, condition]): [string, ChangesMade] => [
    `a condition that alone mentions ${what}`,
    () => [
      add('policy', policy({ name: 'alone', resource_type: 'payroll/vault', actions: ['*'], condition, priority: 10 })),
      assign('payroll/alone', 'everyone/*'),
    ],
  ]),
  ['the rule removed along with it', () => [drop('access_rule/no-externals'), member('staff', EVE)]],
  [
    'the rule removed and made anew, weaker, along with it',
    (rule) => [change('access_rule/no-externals', { ...rule, when: 'context.mfa == true' }), member('staff', EVE)],
  ],
  [
    'the rule only warning along with it',
    (rule) => [change('access_rule/no-externals', { ...rule, mode: 'warn' }), member('staff', EVE)],
  ],
  [
    'the rule suspended along with it',
    (rule) => [
      change('access_rule/no-externals', {
        ...rule,
        suspended_until: LATER,
        suspension_reason: 'audit',
      }),
      member('staff', EVE),
    ],
  ],
  [
    'a rule that ceases to mean whom it means',
    () => [
      drop('group_membership/externals//subject/user/eve'),
      hold('payroll/viewer', EVE, { resource: 'payroll/folder/hr' }),
      member('externals', EVE, { starts_at: LATER }),
    ],
  ],
];

export const HARMLESS: [what: string, changes: ChangesMade][] = [
  ['a grant to whom no rule means', () => [member('staff', 'subject/user/ann')]],
  ['a grant to a type that no rule means', () => [assign('payroll/read', 'everyone/service')]],
  [
    'a folder in an open one',
    () => [add('resource', { type: 'payroll/folder', name: 'sub', parents: ['payroll/folder/open'] })],
  ],
  [
    'a grant to an external that a DENY takes back',
    () => [assign('payroll/keep-out', 'everyone/*'), member('staff', EVE)],
  ],
  [
    'a role on a drive beside a DENY on all below the folder',
    () => [
      add(
        'policy',
        policy({
          name: 'fence',
          effect: 'DENY',
          priority: 9,
          resources: [{ resource: 'payroll/folder/hr', actions: ['read'], below: true }],
        }),
      ),
      assign('payroll/fence', 'group/externals'),
      hold('payroll/viewer', EVE, IN_SAFE),
    ],
  ],
  ['a link that has ended', () => [member('staff', EVE, { expires_at: '2020-01-01T00:00:00Z' })]],
  [
    'two duties of two subjects',
    () => [assign('payroll/approve', 'subject/user/ann'), member('inner', 'subject/user/eve')],
  ],
  ['a rule removed by itself', () => [drop('access_rule/no-externals')]],
];
