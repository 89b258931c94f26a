import { beforeEach, describe, expect, it } from 'vitest';
import type { Cloud } from '../cloud.js';
import { bundledTenants } from '../commands/bundle-for.js';
import type { SecuredCall } from '../http/route.js';
import { bundleRoutes } from './bundle.js';

let here: Set<string>;
let isRevoked: boolean;
let whileReading: () => void;

const get = async (id: string) => {
  whileReading();
  return { id };
};
const cloud = {
  tenants: {
    list: () => ['a', 'b'].map((id) => ({ id, name: id })),
    rows: (id: string) => (here.has(id) ? [{ id, name: id }] : []),
    get,
    getAtOnce: get,
  },
  credentials: {
    assertStillValid: () => {
      if (isRevoked) throw new Error('revoked');
    },
  },
  fleet: {
    asked: async () => {
      throw new Error('answered');
    },
  },
  now: () => 0,
} as unknown as Cloud;

beforeEach(() => {
  [here, isRevoked] = [new Set(['a', 'b']), false];
  whileReading = () => {};
});

describe('while the tenants of a bundle are read', () => {
  it('a key that is revoked loses the bundle', async () => {
    const call = { headers: {}, query: {}, credential: { tenant: 'a', grants: new Set(['bundle']) } };
    const ask = async () => await bundleRoutes(cloud)[0]?.handle(call as unknown as SecuredCall);
    await expect(ask()).rejects.toThrow('answered');
    whileReading = () => {
      isRevoked = true;
    };
    await expect(ask()).rejects.toThrow('revoked');
  });

  it('a tenant that is removed is left out', async () => {
    whileReading = () => here.delete('b');
    const { tenants } = await bundledTenants(cloud, { tenant: 'a', operator: true });
    expect(tenants.map(({ id }) => id)).toEqual(['a']);
  });
});
