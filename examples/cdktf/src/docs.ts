import { Application } from '@authz-service/provider/cdktf/application';
import type { Construct } from 'constructs';
import type { People } from './people.js';

export function declareDocs(scope: Construct, people: People) {
  const docs = new Application(scope, 'docs', { description: 'The handbook.' });
  const page = docs.resourceType('page', { actions: ['read', 'edit'], fromRequests: [] });
  const handbook = page.resource('handbook');
  const salaries = page.resource('salaries');

  const writer = docs.role('writer', { fromRequests: false }).assignTo(people.engineering);
  writer.grant(handbook, ['read', 'edit'], { name: 'edit-handbook' });

  docs
    .policy('edit-from-office', {
      resources: [{ resource: salaries, actions: ['*'] }],
      modifiers: {
        ipRanges: ['10.0.0.0/8'],
        timeWindows: [
          { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '08:00', end: '18:00', zone: 'Europe/Berlin' },
        ],
      },
    })
    .assignTo(people.carol);
}
