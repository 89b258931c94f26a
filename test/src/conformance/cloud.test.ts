import { afterAll, beforeAll, describe } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { loadConformance } from './load.js';
import { askCases, type HeldTenant, holdTenant, tally } from './over-http.js';

const tenants = loadConformance();
let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start();
});
afterAll(async () => {
  await cloud.close();
  console.info(tally(tenants, 'cloud'));
});

describe.each(tenants.map((tenant, at) => ({ tenant, at, title: `${tenant.file}: ${tenant.about}` })))(
  '$title',
  ({ tenant, at }) => {
    let held: HeldTenant;
    beforeAll(async () => {
      held = await holdTenant(cloud, `tenant-${at}`, tenant);
    });
    askCases(tenant, () => ({ ...held, asked: held.client }));
  },
);
