/** What a command line asks for, before any command is loaded. */
export type Route =
  | { to: 'version' }
  /** Help on a command, a topic, or (empty) the program. */
  | { to: 'help'; subject: string }
  | { to: 'command'; id: string; argv: string[] }
  /** Nothing goes by these words; `known` are the words that could stand there. */
  | { to: 'unknown'; words: string; known: string[] }
  | { to: 'misplaced-flag'; flag: string };

const HELP = new Set(['--help', '-h']);

/** Splits a command line into the command's id and its arguments. `ids` are the commands' words, joined by a space. */
export function route(argv: readonly string[], ids: readonly string[]): Route {
  const [first] = argv;
  if (first === '--version' || first === '-V') return { to: 'version' };
  const asksHelp = first === undefined || first === 'help' || leadingFlags(argv).some((word) => HELP.has(word));
  const words = first === 'help' ? argv.slice(1) : argv;

  let id = '';
  let used = 0;
  for (const word of words) {
    const longer = id === '' ? word : `${id} ${word}`;
    if (!ids.some((known) => known === longer || known.startsWith(`${longer} `))) break;
    id = longer;
    used++;
  }
  if (asksHelp) {
    const next = words[used];
    const stray = next !== undefined && !next.startsWith('-') && !ids.includes(id);
    return stray ? unknown(id, next, ids) : { to: 'help', subject: id };
  }
  if (ids.includes(id)) return { to: 'command', id, argv: words.slice(used) };
  const next = words[used];
  if (next === undefined) return { to: 'help', subject: id };
  return next.startsWith('-') ? { to: 'misplaced-flag', flag: next } : unknown(id, next, ids);
}

function leadingFlags(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

function unknown(topic: string, word: string, ids: readonly string[]): Route {
  const depth = topic === '' ? 0 : topic.split(' ').length;
  const prefix = topic === '' ? '' : `${topic} `;
  const known = ids.filter((id) => id.startsWith(prefix)).map((id) => id.split(' ')[depth] ?? id);
  return { to: 'unknown', words: `${prefix}${word}`, known: [...new Set(known)] };
}
