import type { Limits } from '../records/limits.js';

/** Limits in words: `the stack "billing", the application "billing", priorities up to 100`. */
export function limitsText(limits: Limits | undefined): string {
  if (limits === undefined) return 'no limits';
  const { stacks, applications, priority_max: most } = limits;
  return [
    ...(stacks === undefined ? [] : [namesText('stack', stacks)]),
    ...(applications === undefined ? [] : [namesText('application', applications)]),
    ...(most === undefined ? [] : [`priorities up to ${most}`]),
  ].join(', ');
}

const NAMED_MAX = 10;

/** `the stack "billing"`, `the stacks "billing", "shipping"`. */
export function namesText(noun: 'stack' | 'application', names: readonly string[]): string {
  const shown = names.slice(0, NAMED_MAX).map((name) => `"${name}"`);
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
  return `the ${noun}${names.length === 1 ? '' : 's'} ${shown.join(', ')}${more}`;
}
