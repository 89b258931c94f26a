import type { StoredRecord } from '@authz-service/core/records/registry';
import { describe, expect, it } from 'vitest';
import { chooseStacks } from './choose-stacks.js';

const record = (address: string, managed_by: string): StoredRecord =>
  ({ kind: address.split('/')[0], address, managed_by, fields: {} }) as unknown as StoredRecord;

const ADMINISTRATOR = record('oauth_client/administrator', 'api');
const BY_HAND = record('role/hand', 'api');
const ACME = record('role/acme', 'acme');
const OTHER = record('role/other', 'other');
const KEY = record('api_key/ci', 'acme');

describe('chooseStacks', () => {
  it.each<[string, StoredRecord[], string | undefined, Record<string, StoredRecord[]>, number]>([
    [
      'one stack with its credentials, and nothing made by hand',
      [ADMINISTRATOR, BY_HAND, ACME, KEY],
      undefined,
      { acme: [ACME, KEY] },
      2,
    ],
    ['each of several stacks', [OTHER, ACME], undefined, { acme: [ACME], other: [OTHER] }, 0],
    ['the stack that is asked for', [OTHER, ACME, BY_HAND], 'other', { other: [OTHER] }, 0],
    [
      'what was made by hand, on request with its credentials',
      [ADMINISTRATOR, BY_HAND, ACME],
      'api',
      { api: [ADMINISTRATOR, BY_HAND] },
      0,
    ],
    [
      'what was made by hand where there is nothing else, but no credentials',
      [ADMINISTRATOR, BY_HAND],
      undefined,
      { api: [BY_HAND] },
      1,
    ],
    ['nothing of an empty tenant', [ADMINISTRATOR], undefined, {}, 1],
    ['nothing of a stack that is not there', [ACME], 'x', {}, 0],
  ])('takes %s', (_, records, only, expected, leftOut) => {
    const chosen = chooseStacks(records, only);
    expect(Object.fromEntries(chosen.trees.map((tree) => [tree.owner, tree.records]))).toEqual(expected);
    expect(chosen.leftOut).toBe(leftOut);
  });

  it('names folders by their owners, apart on any file system and never outside', () => {
    const owners = ['acme', 'Acme', '../x', '..', 'a b', 'a/b', 'Zoë'];
    const { trees } = chooseStacks(
      owners.map((owner) => record('role/r', owner)),
      undefined,
    );
    expect(Object.fromEntries(trees.map(({ owner, folder }) => [owner, folder]))).toEqual({
      '..': 'unnamed',
      '../x': 'x',
      Acme: 'Acme',
      Zoë: 'Zoë',
      'a b': 'a-b',
      'a/b': 'a-b-2',
      acme: 'acme-2',
    });
  });
});
