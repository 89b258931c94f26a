import type { TenantSide } from '@authz-service/core/access/universe/side';
import { plural } from '@authz-service/core/questions/impact/report/phrase';
import type { Address } from '@authz-service/core/records/address';
import type { DeclaredRecord } from '@authz-service/core/records/registry';
import { placeholdersFor } from './placeholders.js';
import type { Source } from './sources/source.js';

/** Two states that can be compared, and what is to be said of them. */
export interface Compared {
  before: TenantSide;
  after: TenantSide;
  notes: string[];
  gaps: string[];
}

const NAMED_MAX = 5;

/**
 * Makes two valid states of what was read. A tree or a Terraform plan declares one stack: the records of the others come
 * from a tenant that is compared with it, or from `context`, and stand on both sides. What is mentioned and nowhere
 * declared gets a placeholder where its name says all that matters; that is a gap, and so is what has to be left out.
 */
export function compared(before: Source, after: Source, context: readonly Source[]): Compared {
  const notes = [...before.notes, ...after.notes, ...context.flatMap((source) => source.notes)];
  const gaps = new Set([...before.gaps, ...after.gaps, ...context.flatMap((source) => source.gaps)]);
  if (before.tenant !== undefined && after.tenant !== undefined && before.tenant !== after.tenant) {
    notes.push(`${before.label} is of the tenant "${before.tenant}", ${after.label} of "${after.tenant}".`);
  }
  const stacks = new Set([...(before.stacks ?? []), ...(after.stacks ?? [])]);
  const sides = [before, after].map((source) => ({ source, records: byAddress(source.records) }));
  const [one, other] = sides as [Side, Side];
  for (const [side, opposite] of [
    [one, other],
    [other, one],
  ] as const) {
    // Of a whole tenant, what belongs to stacks that the other side does not declare stays as it is.
    const { ownerOf } = side.source;
    if (ownerOf === undefined || opposite.source.stacks === undefined) continue;
    for (const [address, record] of side.records) {
      const owner = ownerOf(address);
      if (owner !== undefined && !stacks.has(owner) && !opposite.records.has(address))
        opposite.records.set(address, record);
    }
  }
  for (const source of context) {
    for (const record of source.records) {
      const owner = source.ownerOf?.(record.address);
      const ours = owner !== undefined && stacks.has(owner);
      if (ours || one.records.has(record.address) || other.records.has(record.address)) continue;
      for (const { records } of sides) records.set(record.address, record);
    }
  }
  if (before.stacks !== undefined || after.stacks !== undefined) {
    const all = new Set([...one.records.keys(), ...other.records.keys()]);
    const found = sides.map(({ records }) => placeholdersFor(records, (address) => all.has(address)));
    const assumed = new Set(found.flatMap(({ placeholders }) => placeholders));
    const left = new Set(found.flatMap(({ leftOut }) => leftOut));
    if (assumed.size > 0)
      gaps.add(
        `${listed(assumed)} ${assumed.size === 1 ? 'is' : 'are'} declared elsewhere, so that who holds or belongs to that is not known: name where with --with.`,
      );
    if (left.size > 0)
      gaps.add(
        `${listed(left)} ${left.size === 1 ? 'mentions' : 'mention'} what is declared elsewhere, and ${left.size === 1 ? 'is' : 'are'} left out: name where with --with.`,
      );
  }
  return {
    before: sideOf(one),
    after: sideOf(other),
    notes,
    gaps: [...gaps],
  };
}

interface Side {
  source: Source;
  records: Map<Address, DeclaredRecord>;
}

function sideOf({ source: { placeOf, environmentPlaceOf }, records }: Side): TenantSide {
  return {
    records: [...records.values()],
    ...(placeOf && { placeOf }),
    ...(environmentPlaceOf && { environmentPlaceOf }),
  };
}

function byAddress(records: readonly DeclaredRecord[]): Map<Address, DeclaredRecord> {
  return new Map(records.map((record) => [record.address, record]));
}

function listed(addresses: ReadonlySet<Address>): string {
  const all = [...addresses].sort();
  const shown = all.slice(0, NAMED_MAX).map((address) => `"${address}"`);
  const more = all.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${plural(more, 'more record')}` : ''}`;
}
