import type { Address, Kind, Page } from '@authz-service/sdk/wire';

export interface SearchQuery {
  q: string;
  kind?: Kind | undefined;
  application?: string | undefined;
  managed_by?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** A record as lists of several kinds show it. */
export interface FoundRecord {
  address: Address;
  kind: Kind;
  id: string;
  name?: string;
  managed_by: string;
  [field: string]: unknown;
}

export interface LinksQuery {
  address: Address;
  /** Only records of this kind that mention it. */
  kind?: Kind | undefined;
  limit: number;
  cursor?: string | undefined;
}

export type SearchPage = Page<FoundRecord>;

export interface RecordLinks extends Page<FoundRecord> {
  references: { pointer: string; address: Address }[];
}
