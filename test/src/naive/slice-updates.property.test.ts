import type { BundleKeys } from '@authz-service/cloud/bundles/bundle-keys';
import { type SliceSource, TenantSlice } from '@authz-service/cloud/bundles/tenant-slice';
import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { ApplicationSlice } from '@authz-service/core/access/slice/application-slice';
import { moveDigests } from '@authz-service/core/bundle/delta-digest';
import { decodeDeltaInSteps, unpackDelta } from '@authz-service/core/bundle/delta-read';
import { digestRecords } from '@authz-service/core/bundle/digest';
import { DELTA_LIMITS } from '@authz-service/core/bundle/limits';
import { recordText } from '@authz-service/core/bundle/record-text';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import { addressOf, type StoredRecord } from '@authz-service/core/records/registry';
import { DigestSet } from '@authz-service/core/state/digest-set';
import { revisionText } from '@authz-service/core/state/revision';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tenant } from './generate.js';
import { history } from './history.js';

const FACTOR = Number(process.env.SERVICE_PROPERTY_FACTOR ?? 1);
const KEYS = { mark: 'key', signDelta: async () => 'signature' } as unknown as BundleKeys;
const stored = (record: EngineRecord) =>
  ({ ...record, address: addressOf(record.kind, record.fields) }) as unknown as StoredRecord;

/** A tenant that goes from state to state. */
class Moving implements SliceSource {
  readonly id = 't';
  readonly name = 'tenant';
  #states: Map<string, StoredRecord>[] = [];

  become(records: readonly EngineRecord[]): void {
    this.#states.push(new Map(records.map(stored).map((record) => [record.address, record])));
  }

  get revisionRef() {
    const digest = digestRecords(this.records());
    return { revision: revisionText(this.#states.length, digest), digest };
  }

  records(): StoredRecord[] {
    return [...(this.#states.at(-1)?.values() ?? [])];
  }

  changesSince(revision: string) {
    const [before, after] = [this.#states[Number.parseInt(revision, 10) - 1], this.#states.at(-1)];
    if (before === undefined || after === undefined) return undefined;
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((address) => {
      const [from, to] = [before.get(address), after.get(address)].map((record) => record && recordText(record));
      return from === to ? [] : [{ before: from, after: to }];
    });
  }

  run<T>(steps: Generator<undefined, T>): Promise<T> {
    return Promise.resolve(finished(steps));
  }
}

const slicedOf = (application: string, records: readonly EngineRecord[]) => {
  const slice = finished(ApplicationSlice.of([application], records));
  return records.flatMap((record) => slice.recordOf(record) ?? []);
};

it('a slice that follows its tenant is the one of each state, and its deltas lead from one to the next', async () => {
  const seen = { deltas: 0, same: 0 };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('a', 'b'), history(tenant, 5), async (application, states) => {
      const source = new Moving();
      const slice = new TenantSlice(source, [application]);
      let before: EngineRecord[] | undefined;
      let held: string | undefined;
      for (const state of states) {
        // Without the members that are undefined, as the store has them.
        const records = JSON.parse(JSON.stringify([...state.values()])) as EngineRecord[];
        source.become(records);
        await slice.follow();
        const wanted = slicedOf(application, records);
        expect(slice.isCurrent).toBe(true);
        expect(slice.isAt(revisionText(0, digestRecords(wanted)))).toBe(true);
        if (before !== undefined && held !== undefined) {
          const archive = slice.isAt(held) ? undefined : await slice.delta(held, KEYS)?.archive;
          if (archive === undefined) seen.same++;
          else {
            const digests = new DigestSet();
            for (const { kind, fields } of before) digests.add(addressOf(kind, fields), fields);
            const delta = finished(decodeDeltaInSteps((await unpackDelta(archive, DELTA_LIMITS)).json));
            finished(moveDigests(digests, delta));
            expect(digests.hex()).toBe(digestRecords(wanted));
            expect(delta.slice).toEqual({ applications: [application], of: source.revisionRef.revision });
            seen.deltas++;
          }
        }
        before = wanted;
        held = slice.revision;
      }
    }),
    { numRuns: 300 * FACTOR },
  );
  expect(seen.deltas).toBeGreaterThan(100);
});
