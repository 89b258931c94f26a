import { createRequire } from 'node:module';
import { PROBLEMS, type ProblemCode, ProblemError, type ProblemItem } from '@authz-service/core/problem';
import { isInterruption } from '../interruption.js';
import type { Style } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';
import { isParseError, parseDetail } from './parse-error.js';
import { REMEDIES } from './remedies.js';
import { Declined, UsageError } from './usage-error.js';

/** Enough to see the problem without filling the terminal. */
const ITEMS_SHOWN = 50;

/** An item of a problem, with its place in a file if it has one. */
type PlacedItem = ProblemItem & { file?: string; line?: number; column?: number };

/** A failure as scripts read it: `{"error": Failure}` on stdout with `--json`. */
export interface Failure {
  /**
   * The code of a problem, or one of the command line's own: wrong usage, a file error, a refused confirmation, or
   * Ctrl-C.
   */
  code: ProblemCode | 'usage' | 'io' | 'declined' | 'interrupted';
  title: string;
  detail: string;
  errors: readonly PlacedItem[];
  /** The id under which the service logged the error, if it answered. */
  request_id?: string;
  /** For people: what to do next. */
  hint?: string;
}

/** The command that failed, if the command line named one. */
export interface Caller {
  /** The words of the command. */
  id?: string;
  /** The names of its flags. */
  flags: readonly string[];
  /** The names of its arguments, in their order. */
  args?: readonly string[];
}

/** Classifies any thrown value. For an unexpected one the text is fixed, because its own text may contain anything. */
export function failureOf(error: unknown, caller: Caller): Failure {
  if (error instanceof ProblemError) {
    const { code, title, detail, errors, requestId } = error;
    const remedy = REMEDIES[code];
    const hint = typeof remedy === 'function' ? remedy(caller) : remedy;
    return { code, title, detail, errors, ...(requestId && { request_id: requestId }), ...(hint && { hint }) };
  }
  if (isInterruption(error)) {
    const detail = error.name === 'AbortError' ? 'Interrupted.' : error.message;
    return { code: 'interrupted', title: 'Interrupted', detail, errors: [] };
  }
  if (error instanceof Declined) return { code: 'declined', title: 'Not confirmed', detail: error.message, errors: [] };
  if (error instanceof UsageError) return usage(error.message, caller.id ?? error.subject, error.faults);
  if (isParseError(error)) return usage(parseDetail(error, caller), caller.id);
  if (isSystemError(error)) {
    return { code: 'io', title: 'A file could not be used', detail: systemDetail(error), errors: [] };
  }
  const lacking = missingPackage(error);
  if (lacking !== undefined) {
    const detail = `This command needs the package "${lacking}", which is not installed.`;
    const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
    const hint = `Use the CLI from npm, with it beside: npm install ${lacking}@${version} @authz-service/cli@${version}`;
    return { code: 'invalid_config', title: PROBLEMS.invalid_config, detail, errors: [], hint };
  }
  return {
    code: 'internal',
    title: PROBLEMS.internal,
    detail: 'The command failed unexpectedly.',
    errors: [],
    hint: 'Set SERVICE_DEBUG=1 to see the cause.',
  };
}

/** The package of the project that Node could not find: the cloud, with its native module, is installed by who runs it. */
function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  return /Cannot find package '(@authz-service\/[a-z]+)'/.exec(error.message)?.[1];
}

function usage(detail: string, id: string | undefined, faults: readonly string[] = []): Failure {
  const hint = `"servicectl ${id === undefined ? '' : `${id} `}--help" shows how to call it.`;
  const errors = faults.map((fault) => ({ pointer: '', detail: fault }));
  return { code: 'usage', title: 'The command line is wrong', detail, errors, hint };
}

/** A failure for people: what is wrong, where, and what to do. */
export function renderFailure(failure: Failure, style: Style): string {
  const lines = [`${style('red', style('bold', 'error:'))} ${printable(failure.detail)}`];
  const said = (item: PlacedItem) => says(failure, item);
  const items = failure.errors.filter((item) => item.file !== undefined || !said(item));
  lines.push(...items.slice(0, ITEMS_SHOWN).map((item) => itemLine(said(item), item, style)));
  if (items.length > ITEMS_SHOWN)
    lines.push(`  … and ${counted(items.length - ITEMS_SHOWN, 'more', 'more')}; --json shows every one`);
  if (failure.code === 'internal' && failure.request_id !== undefined)
    lines.push(`The service has logged the cause under the request id ${printable(failure.request_id)}.`);
  if (failure.hint !== undefined) lines.push(`${style('cyan', 'hint:')} ${failure.hint}`);
  return lines.join('\n');
}

/** Whether the detail already contains what the item says, or names its record and says of it nothing else that is listed. */
function says({ detail, errors }: Failure, item: PlacedItem): boolean {
  if (detail.includes(item.detail)) return true;
  if (item.address === undefined || !detail.includes(item.address)) return false;
  return !errors.some((other) => other.address === item.address && detail.includes(other.detail));
}

/**
 * `file:line:column` if the item has one, or else the record or the pointer; then the fault, or only the record if the
 * detail already contains the fault.
 */
function itemLine(said: boolean, item: PlacedItem, style: Style): string {
  const subject = item.address === undefined || item.detail.includes(item.address) ? item.pointer : item.address;
  const place = item.file === undefined ? subject : `${item.file}:${item.line}:${item.column}`;
  const text = item.address !== undefined && said ? item.address : item.detail;
  return `  ${place === '' ? '' : `${style('bold', printable(place))}: `}${printable(text)}`;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

const SYSTEM: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'it exists already',
  ENOSPC: 'no space is left on the device',
  EROFS: 'the file system is read-only',
  EADDRINUSE: 'the address is in use by another program',
};

/** Why the system refused a file, in words. */
export function systemReason({ code }: NodeJS.ErrnoException): string {
  return SYSTEM[code ?? ''] ?? code ?? 'unknown reason';
}

export function systemDetail(error: NodeJS.ErrnoException): string {
  const why = systemReason(error);
  return error.path === undefined ? `${error.syscall ?? 'A system call'} failed: ${why}.` : `"${error.path}": ${why}.`;
}
