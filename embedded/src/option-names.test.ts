import { expect, it } from 'vitest';
import { inOptionNames } from './option-names.js';

it.each([
  ['set SERVICE_TENANT_ID, or SERVICE_CLOUD_URL.', 'set tenantId, or cloudUrl.'],
  ['set SERVICE_POLL_INTERVAL to 3s; SERVICE_MAX_AGE allows 1 s', 'set pollIntervalMs to 3s; maxAgeMs allows 1 s'],
  ['The service answered.', 'The service answered.'],
])('says %j as options', (text, wanted) => {
  expect(inOptionNames(text)).toBe(wanted);
});
