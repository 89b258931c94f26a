export * from './client.js';
export type { ConnectionOptions } from './connection.js';
export type { Candidate, Clause, Decision, Outcome } from './decision.js';
export type { DecisionClientOptions } from './decision-client.js';
export type { DecisionPoint } from './decision-point.js';
export type {
  Filter,
  FilterCondition,
  FilterOptions,
  FilterPartsOptions,
  FilterPolicy,
  FilterQuestion,
  FilterTest,
  FilterValue,
} from './filter.js';
export { type FilterColumns, filterSql, type SqlDialect, type SqlFilter } from './filter-sql.js';
export type { AuthzenConfiguration } from './metadata.js';
export type * from './question.js';
export type { ListOptions, MatchOptions, RecordCollection, RecordFilter, WriteOptions } from './records.js';
export type { LeftOut, SearchOptions } from './search.js';
export { type ErrorCode, type ErrorItem, ServiceError } from './service-error.js';
export type { Tracer } from './spans.js';
export type { CallOptions } from './transport.js';
export type * from './wire.js';
