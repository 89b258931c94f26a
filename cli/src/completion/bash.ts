import type { CompletedCommand, Expected } from './vocabulary.js';

/**
 * A bash function that completes from what was known when the script was written, without a network and without
 * starting the program. It needs neither the bash-completion package nor a bash newer than 3.2.
 */
export function bashScript(commands: CompletedCommand[]): string {
  return `# Completion of service and servicectl for bash; written by "servicectl completion bash".
_service_known() { # whether these words are a command or topic
  case "$1" in
    ${commands
      .filter(({ id }) => id !== '')
      .map(({ id }) => quoted(id))
      .join(' | ')}) return 0 ;;
  esac
  return 1
}

_service_flags() { # the flags of a command
  case "$1" in
${commands.map((command) => `    ${quoted(command.id)}) echo ${quoted(command.flags.flatMap((flag) => flag.names).join(' '))} ;;`).join('\n')}
  esac
}

_service_value() { # what a flag of a command takes; fails for one that takes nothing
  case "$1 $2" in
${valueCases(commands)}
    *) return 1 ;;
  esac
}

_service_argument() { # the argument at a place (from 0) after the words of a command
  case "$1 $2" in
${argumentCases(commands)}
    *) echo anything ;;
  esac
}

_service() {
  local current="\${COMP_WORDS[COMP_CWORD]}" end="$COMP_CWORD" before= id= place=0 flag= skip= word longer i expected
  COMPREPLY=()
  # bash splits words at "=" and ":"; the parts belong together. "before" is the text before the last colon.
  if [ "$current" = ":" ]; then
    end=$((COMP_CWORD - 1)); before="\${COMP_WORDS[end]}:"; current=
  elif [ "$COMP_CWORD" -gt 2 ] && [ "\${COMP_WORDS[COMP_CWORD - 1]}" = ":" ]; then
    end=$((COMP_CWORD - 2)); before="\${COMP_WORDS[end]}:"
  fi
  for ((i = 1; i < end; i++)); do
    word="\${COMP_WORDS[i]}"
    if [ "$word" = "=" ]; then continue; fi
    if [ "$word" = ":" ]; then skip=1; continue; fi
    if [ -n "$skip" ]; then skip=; continue; fi
    if [ -n "$flag" ]; then flag=; continue; fi
    case "$word" in
      --*=*) ;;
      -*) if _service_value "$id" "$word" >/dev/null; then flag="$word"; fi ;;
      *)
        longer="\${id:+$id }$word"
        if [ "$place" -eq 0 ] && _service_known "$longer"; then id="$longer"; else place=$((place + 1)); fi
        ;;
    esac
  done
  case "$current" in
    "=") current= ;;
    --*=*) flag="\${current%%=*}"; current="\${current#*=}" ;;
  esac
  current="$before$current"
  if [ -n "$flag" ]; then
    expected="$(_service_value "$id" "$flag")"
  elif [ "\${current:0:1}" = "-" ]; then
    expected="words $(_service_flags "$id")"
  else
    expected="$(_service_argument "$id" "$place")"
  fi
  local IFS=$'\\n'
  case "$expected" in
    words\\ *) COMPREPLY=($(compgen -W "$(echo "\${expected#words }" | tr ' ' '\\n')" -- "$current")) ;;
    file) COMPREPLY=($(compgen -f -- "$current")); compopt -o filenames 2>/dev/null ;;
    folder) COMPREPLY=($(compgen -d -- "$current")); compopt -o filenames 2>/dev/null ;;
  esac
  COMPREPLY=("\${COMPREPLY[@]#"$before"}")
  return 0
}

complete -F _service service servicectl
`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function valueCases(commands: CompletedCommand[]): string {
  return commands
    .flatMap(({ id, flags }) =>
      flags.flatMap(({ names, value }) =>
        value === undefined
          ? []
          : [`    ${names.map((name) => quoted(`${id} ${name}`)).join(' | ')}) echo ${quoted(said(value))} ;;`],
      ),
    )
    .join('\n');
}

function argumentCases(commands: CompletedCommand[]): string {
  return commands
    .flatMap((command) => {
      const words = command.next.map(({ word }) => word);
      const expected: Expected[] = words.length > 0 ? [{ words }] : command.arguments;
      return expected.map((value, place) => `    ${quoted(`${command.id} ${place}`)}) echo ${quoted(said(value))} ;;`);
    })
    .join('\n');
}

function said(value: Expected): string {
  return typeof value === 'string' ? value : `words ${value.words.join(' ')}`;
}
