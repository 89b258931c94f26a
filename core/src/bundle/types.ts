import type { Buffer } from 'node:buffer';
import type { EngineRecord } from '../access/api/engine.js';
import type { BundleFormat } from './record-format.js';

/** The part of a tenant that a bundle or delta holds, where it is not all of it. */
export interface BundleSlice {
  /** The paths of the applications that it is for, sorted. */
  applications: readonly string[];
  /** The revision of the tenant, `NUMBER.DIGEST`, of which it is the part. */
  of: string;
}

/** One tenant in a bundle. */
export interface BundleTenant {
  id: string;
  name: string;
  /** `NUMBER.DIGEST`, the digest cut to 16 hex digits; of a slice, the number is that of some commit at which it had this digest. */
  revision: string;
  /** SHA-256 over the canonical records, in hex. */
  digest: string;
  /** Absent if the tenant is whole. */
  slice?: BundleSlice | undefined;
  /** All records but credentials, or those of the slice. */
  records: EngineRecord[];
}

/** The content of `bundle.json`: valid JSON, one record per line, so that large ones stream. */
export interface Bundle {
  format: BundleFormat;
  /** The revision of a bundle with one readable tenant and no other; else a digest over all. */
  revision: string;
  /** The tenants that belong here and cannot be read at present: who serves one of them keeps what it has. */
  unreadable: TenantName[];
  tenants: BundleTenant[];
}

export type TenantName = Pick<BundleTenant, 'id' | 'name'>;

/** A bundle before it is written, which finds its format and leaves out the records that bundles do not have. */
export type BundleContent = Omit<Bundle, 'format' | 'unreadable'> & Partial<Pick<Bundle, 'unreadable'>>;

/** Bounds on what is unpacked, in bytes. */
export interface BundleLimits {
  compressed: number;
  unpacked: number;
}

/** Bytes in memory, as a `Buffer`, or elsewhere, as in a file: read part by part. */
export interface ByteSource {
  readonly length: number;
  /** Those from `start` to before `end`, or as many of them as there are. */
  subarray(start: number, end: number): Buffer;
}

/** Takes bytes in their order, one piece after the other. */
export interface ByteSink {
  write(piece: Buffer): Promise<void>;
}

/** The contents of a bundle's archive, unchecked. */
export interface BundleArchive {
  /** The bytes of `bundle.json`. */
  json: Buffer;
  /** The signature, where there is one. */
  jws: string | undefined;
}
