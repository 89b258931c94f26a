import type { Plan } from '@authz-service/core/plan/plan';

/** The reason why the gates of an environment refuse a plan; undefined where all of them hold. */
export function refusalOf(
  { access }: Pick<Plan, 'access'>,
  environment = '',
  label = 'Not applied',
): string | undefined {
  if (access === undefined || 'unavailable' in access)
    return `${label}: whether the gates of "${environment}" hold is not known. ${access?.unavailable ?? ''}`.trim();
  const failed = (access.gates ?? []).filter(({ passed }) => !passed);
  if (failed.length === 0) return undefined;
  return `${label}: a gate of "${environment}" does not hold. ${failed.map(({ gate, detail }) => `${gate}: ${detail}`).join(' ')}`;
}
