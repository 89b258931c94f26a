import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { TestCloud } from '../../../../cloud/testing/test-cloud.js';
import { operatorOf } from '../../conformance/over-http.js';
import { TerraformTenant } from './product.js';

/** Starts one cloud for the tests of a file or block, and makes a tenant for each of them. */
export function eachOnATenant(use: (tenant: TerraformTenant, cloud: TestCloud) => void): void {
  let cloud: TestCloud;
  let tenant: TerraformTenant;
  beforeAll(async () => {
    cloud = await TestCloud.start();
  });
  afterAll(() => cloud.close());
  beforeEach(async () => {
    tenant = await TerraformTenant.make(cloud, operatorOf(cloud));
    use(tenant, cloud);
  });
  afterEach(() => tenant.remove());
}
