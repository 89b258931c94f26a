import { text } from '../text/english.js';

/** The pages in the navigation; `key` goes there after `g`. */
export const PAGES = [
  { to: '/', label: text.navigation.overview, key: 'o' },
  { to: '/people', label: text.navigation.people, key: 'p' },
  { to: '/records', label: text.navigation.records, key: 'r' },
  { to: '/ask', label: text.navigation.ask, key: 'a' },
  { to: '/structure', label: text.navigation.structure, key: 't' },
  { to: '/change', label: text.navigation.change, key: 'c' },
  { to: '/history', label: text.navigation.history, key: 'h' },
  { to: '/review', label: text.navigation.review, key: 'v' },
  { to: '/agents', label: text.navigation.agents, key: 'f' },
  { to: '/settings', label: text.navigation.settings, key: 's' },
] as const;
