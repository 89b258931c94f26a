import { counted } from './counted.js';

/** The texts about directories. */
export const directories = {
  title: 'What it holds',
  from: 'From the directory',
  counts: (subjects: number, groups: number, memberships: number) =>
    [counted(subjects, 'subject'), counted(groups, 'group'), counted(memberships, 'membership')].join(', '),
  lastSync: 'Last sync',
  never: 'never',
  takenAway: 'Taken away in the last hour',
  lost: (people: number, memberships: number, groups: number, renamed: number, suspended: number) =>
    `${counted(people, 'subject')}, ${counted(memberships, 'membership')}, ${counted(groups, 'group')}; ${renamed} renamed, ${suspended} suspended`,
  held: 'Held by the brake',
  heldNone: 'nothing',
  heldCount: (count: number) => counted(count, 'change'),
  change: 'Change',
  records: 'Records',
  state: 'State',
  states: { held: 'held', released: 'let through', discarded: 'discarded' },
  lastAsked: 'Last asked',
  access: 'Finding what they would do to access …',
  release: 'Let through …',
  discard: 'Discard …',
  decide: {
    release: {
      title: 'Let through what is held?',
      hint: 'Exactly what is held now goes through as soon as the directory repeats it, for 24 hours.',
      done: 'Let through',
    },
    discard: {
      title: 'Discard what is held?',
      hint: 'Exactly what is held now is refused when the directory repeats it, for 24 hours.',
      done: 'Discard',
    },
  },
};
