/** The tenant of ../tenant in TypeScript. SERVICE_CLOUD_URL, SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET reach Terraform. */
import { Role } from '@authz-service/provider/cdktf/role';
import { ServiceProvider } from '@authz-service/provider/constructs/provider';
import { App, TerraformStack } from 'cdktf';
import { declareBilling } from './billing.js';
import { declareDocs } from './docs.js';
import { declarePeople } from './people.js';

const app = new App();
const acme = new TerraformStack(app, 'acme');
new ServiceProvider(acme, 'service', { stack: 'acme' });

const people = declarePeople(acme);
const { invoice } = declareBilling(acme, people);
declareDocs(acme, people);

// Roles and policies without an application belong to the tenant and may span applications.
const auditor = new Role(acme, 'auditor', {
  description: 'Reads everything that has to do with money.',
  fromRequests: false,
});
auditor.grant(invoice, ['read'], {
  name: 'audit-invoices',
  description: 'Auditors see invoices with a second factor at hand.',
  modifiers: { mfaRequired: true },
});
auditor.assignTo(people.dave, { startsAt: '2026-01-01T08:00:00Z', expiresAt: '2099-01-31T18:00:00Z' });

app.synth();
