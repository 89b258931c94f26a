import type { SideRecord, TenantSide } from '@authz-service/core/access/universe/side';
import type { Address } from '@authz-service/core/records/address';
import type { SoundTree } from '../../tree/load-tree.js';

/** A state of a tenant as a command found it somewhere. */
export interface Source {
  /** As messages name it: what the user wrote. */
  label: string;
  records: readonly SideRecord[];
  placeOf?: TenantSide['placeOf'];
  environmentPlaceOf?: TenantSide['environmentPlaceOf'];
  /** The tenant, where the source names one. */
  tenant?: string;
  /** The stacks whose records these are; undefined where they are the whole tenant. */
  stacks?: ReadonlySet<string>;
  /** The owner of each record of a whole tenant, where that is known. */
  ownerOf?(address: Address): string | undefined;
  /** Notes on what was not verified, for people. */
  notes: readonly string[];
  /** Gaps in the knowledge of the state, in sentences: a gate on it fails. */
  gaps: readonly string[];
}

/** The states that one argument gave: most hold one, a Terraform plan two. */
export interface SourcePair {
  before: Source;
  after: Source;
  /** Whether the two differ, so that the argument stands for a comparison by itself. */
  differ: boolean;
}

export function alone(source: Source): SourcePair {
  return { before: source, after: source, differ: false };
}

/** The label of a tree that is read in an environment. */
export function labelIn(spec: string, environment: string | undefined): string {
  return environment === undefined ? spec : `${spec} in ${environment}`;
}

export function treeSource(label: string, { manifest, placeOf, environmentPlaceOf }: SoundTree): Source {
  const { records, tenant, stack } = manifest;
  return {
    label,
    records: records.map((record) => ({ ...record, managed_by: stack })),
    placeOf,
    environmentPlaceOf,
    ...(tenant !== undefined && { tenant }),
    stacks: new Set([stack]),
    notes: [],
    gaps: [],
  };
}
