import type { CompletedCommand, Expected } from './vocabulary.js';

/** A zsh function that completes offline and shows the summaries beside the words. */
export function zshScript(commands: CompletedCommand[]): string {
  return `#compdef service servicectl
# Completion of service and servicectl for zsh; written by "servicectl completion zsh".
# Save it as "_service" in a folder of $fpath, or run: source <(servicectl completion zsh)

_service() {
  local id= word longer
  local -a known next flags
  known=(${commands
    .filter(({ id }) => id !== '')
    .map(({ id }) => quoted(id))
    .join(' ')})
  # The words of the command come first; everything after them is left to _arguments.
  while (( CURRENT > 2 )); do
    word=$words[2]
    longer="\${id:+$id }$word"
    (( \${known[(Ie)$longer]} )) || break
    id=$longer
    shift words
    (( CURRENT-- ))
  done
  case $id in
${commands.map(branch).join('\n')}
  esac
}

if [ "$funcstack[1]" = "_service" ]; then
  _service "$@"
elif (( $+functions[compdef] )); then
  compdef _service service servicectl
fi
`;
}

function branch(command: CompletedCommand): string {
  const flags = command.flags.map(({ names, summary, value }) => {
    const long = names[0] ?? '';
    const text = escaped(summary);
    const takes = value === undefined ? '' : `:value:${action(value)}`;
    const [, short] = names;
    const spec = `*${long}${value === undefined ? '' : '='}[${text}]${takes}`;
    return short === undefined
      ? [quoted(spec)]
      : [quoted(spec), quoted(`*${short}${value === undefined ? '' : '+'}[${text}]${takes}`)];
  });
  if (command.next.length > 0) {
    const words = command.next.map(({ word, summary }) => quoted(`${word}:${summary}`)).join(' ');
    return `    ${quoted(command.id)})
      next=(${words})
      _arguments ${flags.flat().join(' ')} '1: :->next' && return
      _describe -t commands command next
      ;;`;
  }
  const places = command.arguments.map((value, index) => quoted(`${index + 1}:value:${action(value)}`));
  return `    ${quoted(command.id)})
      _arguments -s ${[...flags.flat(), ...places].join(' ')}
      ;;`;
}

function action(value: Expected): string {
  if (value === 'file') return '_files';
  if (value === 'folder') return '_files -/';
  if (value === 'anything') return ' ';
  return `(${value.words.map(escaped).join(' ')})`;
}

/** Brackets and colons separate parts of what _arguments accepts. */
const escaped = (text: string): string => text.replaceAll(/[[\]:\\]/g, '\\$&');
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
