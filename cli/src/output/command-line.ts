/** A command of this program as somebody types it into a shell. */
export function commandLine(command: string, args: readonly string[], ...flags: readonly string[]): string {
  return ['servicectl', command, ...args.map(quoted), ...flags].join(' ');
}

function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
