import { Application } from '@authz-service/provider/cdktf/application';
import type { Construct } from 'constructs';
import type { People } from './people.js';

export function declareBilling(scope: Construct, people: People) {
  const billing = new Application(scope, 'billing', { description: 'Invoices and who may approve them.' });
  const invoice = billing.resourceType('invoice', {
    actions: ['read', 'pay', 'approve', 'delete'],
    properties: { amount: 'number', status: 'string' },
    maxAge: '10m',
  });
  invoice.resource('INV-1', { properties: { amount: 120, status: 'open' } });
  invoice.resource('INV-2', { properties: { amount: 25000, status: 'open' } });
  invoice.resource('INV-3', { properties: { amount: 80, status: 'closed' } });

  const clerk = billing.role('clerk', { fromRequests: false }).assignTo(people.finance);
  const accountant = billing.role('accountant', { fromRequests: false }).assignTo(people.accounting);

  // A grant is a policy assigned to the role; here it also covers invoices that no record names.
  clerk.grant(invoice, ['read'], { name: 'read-invoices' }).assignTo(people.reporting);
  accountant.grant(invoice, ['approve', 'pay'], {
    name: 'approve-within-limit',
    condition: 'resource.properties.amount <= subject.properties.approval_limit',
  });

  billing
    .policy('closed-is-closed', {
      description: 'Outranks every policy of lower priority; at the same priority DENY wins.',
      effect: 'DENY',
      priority: 100,
      resourceType: invoice,
      actions: ['pay', 'approve', 'delete'],
      condition: 'has(resource.properties.status) && resource.properties.status == "closed"',
    })
    .assignTo(people.finance);

  return { invoice };
}
