import { TerraformStack, TerraformVariable, Testing } from 'cdktf';
import { describe, expect, it } from 'vitest';
import { DataServiceDecision } from '../generated/data-service-decision.js';
import { DataServicePolicies } from '../generated/data-service-policies.js';
import { Policy, type PolicyModifiers } from '../generated/policy.js';
import { ServiceProvider } from '../generated/provider.js';
import { ResourceType } from '../generated/resource-type.js';
import { RoleAssignment } from '../generated/role-assignment.js';

const app = () => new TerraformStack(Testing.app(), 'stack');
const base = { name: 'p', effect: 'DENY' as const, resourceType: 'a/t', actions: ['read'] };
const window = { start: '09:00', end: '17:00' };

describe('what a generated construct does not know is refused where it is written', () => {
  it.each<[what: string, declare: (stack: TerraformStack) => unknown, expected: string]>([
    [
      'by the provider',
      (stack) => new ServiceProvider(stack, 'service', { stak: 'shop' } as never),
      'stack/service: there is no option "stak": did you mean "stack"?',
    ],
    [
      'by a resource',
      (stack) => new Policy(stack, 'p', { ...base, conditions: 'false' } as never),
      'stack/p: there is no option "conditions": did you mean "condition"?',
    ],
    [
      'by a data source',
      (stack) => new DataServicePolicies(stack, 'all', { efect: 'DENY' } as never),
      'stack/all: there is no option "efect": did you mean "effect"?',
    ],
    [
      'in an object',
      (stack) => new Policy(stack, 'p', { ...base, modifiers: { mfa: true } } as never),
      'stack/p: modifiers: there is no option "mfa"',
    ],
    [
      'in a list within an object',
      (stack) => new Policy(stack, 'p', { ...base, modifiers: { timeWindows: [{ ...window, day: [] }] } } as never),
      'stack/p: modifiers: timeWindows: there is no option "day": did you mean "days"?',
    ],
    [
      'in an object that is put later',
      (stack) => new Policy(stack, 'p', base).putModifiers({ ipRange: [] } as never),
      'stack/p: modifiers: there is no option "ipRange": did you mean "ipRanges"?',
    ],
    [
      'in a part of one',
      (stack) => new Policy(stack, 'p', base).modifiers.putTimeWindows([{ ...window, tz: 'UTC' }] as never),
      'stack/p: timeWindows: there is no option "tz"',
    ],
    [
      'options that are none',
      (stack) => new ServiceProvider(stack, 'service', 'shop' as never),
      'stack/service: the options are "shop": give an object with "clientId"',
    ],
  ])('%s', (_what, declare, expected) => {
    expect(() => declare(app())).toThrow(expected);
  });
});

it('takes all that there is, values that are known only later among them', () => {
  const stack = app();
  const later = new TerraformVariable(stack, 'later', { type: 'any' }).value;
  const provider = new ServiceProvider(stack, 'service', { stack: 'shop', alias: 'a' });
  const modifiers: PolicyModifiers = { timeWindows: [{ ...window, days: ['mon', 'tue'], zone: 'UTC' }] };
  const policy = new Policy(stack, 'p', { ...base, modifiers, provider });
  new Policy(stack, 'q', {
    ...base,
    dependsOn: [policy],
    lifecycle: { createBeforeDestroy: true },
    resources: later,
  }).putModifiers({ timeWindows: later });
  new DataServiceDecision(stack, 'd', { action: 'x', resource: { type: 't' }, subject: later as never });
  expect(JSON.parse(Testing.synth(stack)).resource.service_policy).toMatchObject({
    p: { modifiers: { time_windows: [{ days: ['mon', 'tue'] }] } },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Terraform's own.
    q: { modifiers: { time_windows: '${var.later}' }, resources: '${var.later}' },
  });
});

it('types the values that the schema lists', () => {
  const stack = app();
  // @ts-expect-error there is no such day
  new Policy(stack, 'p', { ...base, modifiers: { timeWindows: [{ ...window, days: ['monday'] }] } });
  // @ts-expect-error nor such an effect
  new Policy(stack, 'q', { ...base, effect: 'PERMIT' });
  // @ts-expect-error nor such a type of a property
  new ResourceType(stack, 't', { application: 'a', name: 't', actions: [], properties: { total: 'decimal' } });
  // @ts-expect-error nor such a kind of entity
  new RoleAssignment(stack, 'r', { role: 'r', entityType: 'team', entity: 'e' });
  expect(stack.node.children).toHaveLength(4);
});
