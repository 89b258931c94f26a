import { type ErrorItem, ServiceError } from './service-error.js';

/**
 * The JSON text of what a caller sends. Throws `invalid_request` with the pointer of what JSON does not hold, or a number
 * not surely as it was meant: `JSON.stringify` makes null of NaN, and a whole number beyond 2^53 may have been rounded
 * before it came here.
 */
export function jsonText(value: unknown): string {
  if (value instanceof WrittenJson) return value.text;
  let text: string;
  try {
    text = JSON.stringify(value, (_key, member: unknown) => {
      if (faultOf(member) !== undefined) throw new Unsendable();
      return member;
    });
  } catch (error) {
    const found = error instanceof Unsendable ? unsendable(value, '') : undefined;
    const why = found?.detail ?? `The request has no form in JSON: ${(error as Error).message.split('\n')[0]}.`;
    const where = found === undefined || found.pointer === '' ? '' : ` (at ${found.pointer})`;
    throw new ServiceError('invalid_request', `${why}${where}`, found === undefined ? [] : [found]);
  }
  return text;
}

/** A text that is JSON already. */
export class WrittenJson {
  constructor(readonly text: string) {}
}

class Unsendable extends Error {}

function faultOf(value: unknown): string | undefined {
  if (typeof value === 'bigint') return `JSON has no integers like ${value}n: send it as a number or a text.`;
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return undefined;
  if (!Number.isFinite(value)) return `${value} has no form in JSON: leave it out.`;
  if (!Number.isInteger(value)) return undefined;
  return `The number ${value} is beyond 2^53, where not every whole number can be said: send it as a text.`;
}

/** The first member that cannot be sent, and where it stands. */
function unsendable(value: unknown, pointer: string): ErrorItem | undefined {
  const detail = faultOf(value);
  if (detail !== undefined) return { pointer, detail };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = unsendable(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
