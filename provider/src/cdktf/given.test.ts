import { TerraformStack, TerraformVariable, Testing } from 'cdktf';
import { describe, expect, it } from 'vitest';
import { Application } from './application.js';
import { everyone } from './everyone.js';
import { DataServiceDecision } from './generated/data-service-decision.js';
import { ServiceProvider } from './generated/provider.js';
import { Group } from './group.js';
import { Policy } from './policy.js';
import { recordsOf } from './records-of.js';
import { ResourceType } from './resource-type.js';
import { Role } from './role.js';
import { Subject } from './subject.js';
import { Tree } from './tree.js';

type Declare = (stack: TerraformStack, later: string) => unknown;

function resources(declare: Declare): Record<string, Record<string, Record<string, unknown>>> {
  const stack = new TerraformStack(Testing.app(), 'stack');
  declare(stack, new TerraformVariable(stack, 'later', { type: 'string' }).stringValue);
  return JSON.parse(Testing.synth(stack)).resource;
}

const only = (declared: Record<string, Record<string, unknown>> | undefined) => Object.values(declared ?? {})[0];
const docs = (stack: TerraformStack, id = 'app') =>
  new Application(stack, id).resourceType('doc', { actions: ['read', 'write'] });

describe('stored attributes', () => {
  it('are JSON, which Terraform writes where a value is known only later', () => {
    const text = (properties: Record<string, unknown>) =>
      only(resources((stack) => new Subject(stack, 's', { properties })).service_subject)?.properties;
    expect(text({ limit: 5, tags: ['"a"'] })).toBe('{"limit":5,"tags":["\\"a\\""]}');
    const open = resources((stack, later) => new Subject(stack, 's', { properties: { deep: [{ dept: later }] } }));
    expect(only(open.service_subject)?.properties).toBe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Terraform's own.
      '${jsonencode({"deep" = [{"dept" = var.later}]})}',
    );
  });
});

describe('a grant', () => {
  const granted = (actions: ('read' | 'write')[]) =>
    resources((stack) => new Role(stack, 'r').grant(docs(stack), actions, { effect: 'DENY' })).service_policy;

  it('stays the same policy whatever it allows', () => {
    const [few, more] = [granted(['read']), granted(['write', 'read'])];
    expect(Object.keys(more ?? {})).toEqual(Object.keys(few ?? {}));
    expect(only(more)).toEqual({ ...only(few), actions: ['write', 'read'] });
  });

  it('compiles only with actions that its target has', () => {
    const declared = resources((stack) => {
      const type = docs(stack);
      const page = type.resource('page');
      const role = new Role(stack, 'r');
      role.grant(type, ['read', 'write']);
      role.grant(page, ['*']);
      // @ts-expect-error: the type has no such action
      role.grant(type, ['raed'], { name: 'a' });
      // @ts-expect-error: nor has its resource
      role.grant(page, ['raed'], { name: 'b' });
      const any: ResourceType = type;
      role.grant(any, ['raed'], { name: 'c' });
    });
    expect(Object.keys(declared.service_policy ?? {})).toHaveLength(5);
  });
});

it('what is declared by a construct has its provider', () => {
  const declared = resources((stack) => {
    new ServiceProvider(stack, 'first');
    const provider = new ServiceProvider(stack, 'second', { alias: 'second' });
    const app = new Application(stack, 'app', { provider });
    const type = app.resourceType('doc', { actions: ['read'] });
    type.resource('handbook');
    const group = new Group(stack, 'g', { provider, members: [new Subject(stack, 's', { provider })] });
    app.role('r').assignTo(group).grant(type, ['read']).assignTo(group);
    const files = [{ path: 'a.yaml', text: 'version: 1\nroles: { auditor: {} }\n' }];
    new Tree(stack, 'tree', { files, provider });
  });
  const all = Object.values(declared).flatMap((ofType) => Object.values(ofType));
  expect(all).toHaveLength(12);
  expect(new Set(all.map(({ provider }) => provider))).toEqual(new Set(['service.second']));
});

it('a decision can wait for all that constructs declare', () => {
  const stack = new TerraformStack(Testing.app(), 'stack');
  const role = new Role(stack, 'r').assignTo(new Subject(stack, 's'));
  role.grant(docs(stack), ['read']);
  const asked = { action: 'read', resource: { type: 'doc' }, subject: { type: 'user', id: 's' } };
  new DataServiceDecision(stack, 'may', { ...asked, dependsOn: recordsOf(role) });
  const { data } = JSON.parse(Testing.synth(stack));
  expect(data.service_decision.may.depends_on).toEqual([
    expect.stringMatching(/^service_role\./),
    expect.stringMatching(/^service_role_assignment\./),
    expect.stringMatching(/^service_policy\./),
    expect.stringMatching(/^service_policy_assignment\./),
  ]);
});

it('says what the records say: types, exemptions, everyone, and when links count', () => {
  const stack = new TerraformStack(Testing.app(), 'stack');
  const type = docs(stack);
  const policy = new Policy(stack, 'p', {
    application: { path: 'a' },
    effect: 'DENY',
    resourceTypes: [type, { path: 'a/b' }],
    actions: ['read'],
    unless: { mfaRequired: true },
  });
  const viewer = new Role(stack, 'viewer');
  new Role(stack, 'editor', { includes: [viewer, { path: 'a/writer' }] });
  policy.assignTo(everyone()).assignTo(everyone('user'), { startsAt: '2027-01-01T00:00:00Z' });
  new Policy(stack, 'all', { application: { path: 'a' }, resourceTypes: ['*'], actions: ['read'] });
  const { resource } = JSON.parse(Testing.synth(stack));
  expect(Object.values(resource.service_role)).toContainEqual(
    expect.objectContaining({ includes: [expect.stringContaining('service_role.'), 'a/writer'] }),
  );
  const policies = Object.values(resource.service_policy) as { name: string }[];
  expect(Object.fromEntries(policies.map((one) => [one.name, one]))).toMatchObject({
    p: { resource_types: [expect.stringContaining('service_resource_type.'), 'a/b'], unless: { mfa_required: true } },
    all: { resource_types: ['*'] },
  });
  expect(Object.values(resource.service_policy_assignment)).toMatchObject([
    { entity_type: 'everyone', entity: '*' },
    { entity_type: 'everyone', entity: 'user', starts_at: '2027-01-01T00:00:00Z' },
  ]);
});

it('says where things lie, and on which resource a role is held', () => {
  const stack = new TerraformStack(Testing.app(), 'stack');
  const app = new Application(stack, 'a');
  const folder = app.resourceType('folder', {
    actions: ['list'],
    parents: [{ type: { path: 'a/folder' }, property: 'in' }],
  });
  const top = folder.resource('top');
  const inner = folder.resource('inner', { parents: [top, { path: 'a/folder/other' }] });
  const group = new Group(stack, 'g');
  const viewer = app.role('viewer', { fromRequests: false });
  viewer.assignTo(group, { resource: inner }).assignTo(group, { resource: top }).assignTo(group);
  viewer.assignTo(group, { resource: { path: 'a/folder/other' } });
  app.policy('p', { resources: [{ resource: top, actions: ['list'], below: true }] });
  const { resource } = JSON.parse(Testing.synth(stack));
  const types = Object.values(resource.service_resource_type);
  expect(types).toMatchObject([{ parents: [{ type: 'a/folder', property: 'in' }] }]);
  const made = Object.values(resource.service_resource) as { name: string }[];
  expect(made.find(({ name }) => name === 'inner')).toMatchObject({
    parents: [expect.stringContaining('service_resource.'), 'a/folder/other'],
  });
  expect(Object.values(resource.service_role)).toMatchObject([{ from_requests: false }]);
  const held = Object.values(resource.service_role_assignment) as { resource?: string }[];
  expect(held.filter((one) => one.resource !== undefined)).toHaveLength(3);
  expect(held).toHaveLength(4);
  expect(Object.values(resource.service_policy)).toMatchObject([{ resources: [{ below: true }] }]);
  expect(() => viewer.assignTo(group, { resource: top })).toThrow('is assigned to the group');
});

describe('what is refused where it is written', () => {
  it.each<[string, Declare, string]>([
    [
      'a policy over a type and single resources',
      (stack) => {
        const type = docs(stack);
        const covered = { resourceType: type, actions: ['read'], resources: [] };
        new Policy(stack, 'p', covered as never);
      },
      'declare two policies for both',
    ],
    [
      'a policy over one type and several',
      (stack) => {
        const type = docs(stack);
        new Policy(stack, 'p', { resourceType: type, resourceTypes: [type], actions: ['read'] } as never);
      },
      'stack/p: a policy has either a "resourceType" or "resourceTypes"',
    ],
    [
      'a grant with resources of its own',
      (stack) => new Role(stack, 'r').grant(docs(stack), ['read'], { resources: [] } as never),
      'stack/r: there is no option "resources": there are "name", "description"',
    ],
    [
      'two grants of one name',
      (stack) => new Role(stack, 'r').grant(docs(stack), ['read']) && docsTwice(stack),
      'has a grant with the name "r-doc" already: give this one another',
    ],
    ['an id that is known only later', (stack, later) => new Subject(stack, later), 'give it a fixed id'],
    [
      'a grant whose name is known only later',
      (stack, later) => new Role(stack, 'r', { name: later }).grant(docs(stack), ['read']),
      "give it a fixed one, as { name: '…' } after the actions",
    ],
    [
      'an application by its name',
      (stack) => new Role(stack, 'r', { application: 'billing' as never }),
      'stack/r: "application" is "billing": give the construct',
    ],
    [
      'a type without an application',
      (stack) => new ResourceType(stack, 't', { actions: ['read'] } as never),
      'stack/t: "application" is undefined',
    ],
    [
      'an entity by its path',
      (stack) => new Role(stack, 'r').assignTo('user/alice' as never),
      'stack/r: it is given to "user/alice": give a Subject, Group or Role of this layer, what entity("group/finance")',
    ],
    [
      'an entity that is a generated construct',
      (stack) => new Role(stack, 'r').assignTo(new Group(stack, 'g').record as never),
      'stack/r: it is given to a Group: give a Subject',
    ],
    [
      'a condition that is misspelled, in a grant',
      (stack) => new Role(stack, 'r').grant(docs(stack), ['read'], { conditions: 'false' } as never),
      'stack/r: there is no option "conditions": did you mean "condition"?',
    ],
    [
      'in a policy',
      (stack) =>
        new Policy(stack, 'p', { resourceType: docs(stack), actions: ['read'], modifiers: { ip_ranges: [] } } as never),
      'stack/p: modifiers: there is no option "ip_ranges": did you mean "ipRanges"?',
    ],
    [
      'in a time window',
      (stack) => {
        const timeWindows = [{ start: '09:00', end: '17:00', tz: 'UTC' }];
        new Policy(stack, 'p', { resourceType: docs(stack), actions: ['read'], modifiers: { timeWindows } as never });
      },
      'stack/p: timeWindows: there is no option "tz"',
    ],
    [
      'an end that is a text',
      (stack) => new Role(stack, 'r').assignTo(new Group(stack, 'g'), '2099-01-01T00:00:00Z' as never),
      'stack/r: the options are "2099-01-01T00:00:00Z": give an object with "startsAt", "expiresAt", "resource".',
    ],
    [
      'an end that is misspelled',
      (stack) => new Group(stack, 'g').add(new Subject(stack, 's'), { expires_at: '2099-01-01T00:00:00Z' } as never),
      'stack/g: there is no option "expires_at": did you mean "expiresAt"?',
    ],
    [
      'a priority that is no number',
      (stack) => new Policy(stack, 'p', { resourceType: docs(stack), actions: ['read'], priority: Number('x') }),
      'stack/p: "priority" is NaN: give a whole number.',
    ],
    [
      'actions as a text',
      (stack) => new Application(stack, 'a').resourceType('t', { actions: 'read' as never }),
      'stack/a/types/t: "actions" is "read": give an array.',
    ],
    ['no actions', (stack) => new Role(stack, 'r').grant(docs(stack), undefined as never), '"actions" is undefined'],
    [
      'a grant on what is no construct of the layer',
      (stack) => new Role(stack, 'r').grant(docs(stack).record as never, ['read'] as never),
      'stack/r: the target of the grant is not a ResourceType or Resource of this layer',
    ],
    [
      'no files',
      (stack) => new Tree(stack, 't', { files: 'tenant' as never }),
      'give what "await readTree(\'folder\')" gives',
    ],
    [
      'a member twice',
      (stack) => {
        const alice = new Subject(stack, 'alice');
        new Group(stack, 'g', { members: [alice, alice] });
      },
      'stack/g: the subject stack/alice is in it already',
    ],
    [
      'a holder twice',
      (stack) => {
        const alice = new Subject(stack, 'alice');
        new Role(stack, 'r').assignTo(alice).assignTo(alice);
      },
      'stack/r: it is assigned to the subject stack/alice already',
    ],
  ])('%s', (_, declare, expected) => {
    expect(() => resources(declare)).toThrow(expected);
  });

  function docsTwice(stack: TerraformStack): Policy {
    const role = stack.node.findChild('r') as Role;
    return role.grant(docs(stack, 'other'), ['read']);
  }
});

it('a tree that names its tenant needs a provider that does', () => {
  const faults = (tenant: string | undefined) => {
    const stack = new TerraformStack(Testing.app(), 'stack');
    new ServiceProvider(stack, 'service', { ...(tenant !== undefined && { tenant }) });
    const tree = new Tree(stack, 'tree', { files: [{ path: 'a.yaml', text: 'version: 1\ntenant: acme\n' }] });
    return tree.node.validate();
  };
  expect(faults('acme')).toEqual([]);
  for (const tenant of [undefined, 'other'])
    expect(faults(tenant)).toEqual([expect.stringContaining('give the provider stack/service tenant: "acme"')]);
});
