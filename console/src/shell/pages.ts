import { text } from '../text/english.js';

/** The pages in the navigation; `key` goes there after `g`. */
export const PAGES = [
  { to: '/records', label: text.navigation.records, key: 'r' },
  { to: '/ask', label: text.navigation.ask, key: 'a' },
] as const;
