/** Whose use is limited. */
export const SCOPES = ['tenant', 'credential', 'address'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * The units that are limited: requests other than those for bundles, requests for bundles, commits, the records that
 * commits change, and the bytes of requests' bodies.
 */
export const UNITS = ['requests', 'polls', 'commits', 'records', 'bytes'] as const;
export type Unit = (typeof UNITS)[number];

/** An amount that may be used at once, and again in each such time. */
export interface Quota {
  amount: number;
  seconds: number;
}

export type Quotas = Partial<Record<Unit, Quota>>;

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const BYTES = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;
const PART = /^(\w+)=(\d{1,12})(KiB|MiB|GiB)?\/(\d{0,6})([smhd])$/;

/** Reads `requests=600/1m, bytes=64MiB/h`. `fault` learns of each part that is none. */
export function readQuotas(text: string, fault: (detail: string) => void): Quotas {
  const quotas: Quotas = {};
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, name, amount, size, count, time] = PART.exec(part) ?? [];
    const unit = UNITS.find((known) => known === name);
    const total = Number(amount) * (size === undefined ? 1 : BYTES[size as keyof typeof BYTES]);
    const seconds = Number(count || 1) * SECONDS[time as keyof typeof SECONDS];
    if (unit === undefined || (size !== undefined && unit !== 'bytes') || total < 1 || !(seconds >= 1))
      fault(
        `holds "${part}": write limits like "requests=600/1m, commits=60/1m, bytes=64MiB/1h", of ${UNITS.join(', ')}`,
      );
    else if (quotas[unit] !== undefined) fault(`limits ${unit} twice: give one limit for them`);
    else quotas[unit] = { amount: total, seconds };
  }
  return quotas;
}
