import { counted } from './counted.js';

/** The texts of what a change does to access. */
export const findings = {
  access: 'Who gains and who loses access',
  none: 'Nobody gains or loses access.',
  counts: (
    { gained, lost, mixed, unknown }: Record<'gained' | 'lost' | 'mixed' | 'unknown', number>,
    exact: boolean,
  ) => {
    const counts = [
      gained > 0 && `${counted(gained, 'permission')} gained`,
      lost > 0 && `${counted(lost, 'permission')} lost`,
      mixed > 0 && `${counted(mixed, 'permission')} changed otherwise`,
      unknown > 0 && `${counted(unknown, 'permission')} unclear`,
    ].filter(Boolean);
    return `${exact || counts.length === 0 ? '' : 'at most '}${counts.join(', ')}`;
  },
  countsHint: 'A permission is one action of one recorded subject on one recorded resource.',
  incomplete: 'There was too much to look at: more may have changed than is listed.',
  more: (shown: number, all: number) => `The worst ${shown} of ${all} findings are listed.`,
  who: 'Who',
  effect: 'Change',
  effects: {
    gained: 'gains',
    lost: 'loses',
    widened: 'more cases',
    narrowed: 'fewer cases',
    changed: 'other cases',
    unknown: 'unclear',
  },
  action: 'Action',
  onWhat: 'On what',
  andMore: (count: number) => `and ${count} more`,
  condition: 'If, or when',
  stillOnly: 'still, but only',
  inAnyCase: 'in any case',
  conditionWas: 'was:',
  from: 'from',
  until: 'until',
  because: 'Because of',
  members: (principal: string, some: number, all: number) =>
    some === all ? `${principal} (all ${all})` : `${principal} (${some} of ${all})`,
  unrecorded: (type: string) => (type === '*' ? 'anybody without a record' : `any ${type} without a record`),
  namedForThem: (role: string) => `where a request names ${role} for them`,
  namedRole: (role: string, types?: readonly string[], except: readonly string[] = []) => {
    const others = except.length === 0 ? '' : `, but nobody of type ${except.join(', ')}`;
    return `${types === undefined ? 'anyone' : `any ${types.join(', ')}`} for whom a request names ${role}${others}`;
  },
  causes: { added: 'added', changed: 'changed', removed: 'removed' } as Readonly<Record<string, string>>,
};
