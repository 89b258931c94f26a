import type { CompletedCommand, Expected } from './vocabulary.js';

/** Lines that let fish complete offline. */
export function fishScript(commands: CompletedCommand[]): string {
  const lines = commands.flatMap((command) =>
    ['service', 'servicectl'].flatMap((program) => linesOf(program, command)),
  );
  return `# Completion of service and servicectl for fish; written by "servicectl completion fish".
function __service_id # the words of the command that the line has so far
    set -l known ${commands
      .filter(({ id }) => id !== '')
      .map(({ id }) => quoted(id))
      .join(' ')}
    set -l id ''
    for word in (commandline -opc)[2..-1]
        set -l longer (string trim -- "$id $word")
        contains -- "$longer" $known; or break
        set id "$longer"
    end
    echo "$id"
end

function __service_at # whether the line is at this command
    test (__service_id) = "$argv[1]"
end

complete -c service -f
complete -c servicectl -f
${lines.join('\n')}
`;
}

function linesOf(program: string, command: CompletedCommand): string[] {
  const start = `complete -c ${program} -n ${quoted(`__service_at "${command.id}"`)}`;
  const words = command.next.map(({ word, summary }) => `${start} -a ${quoted(word)} -d ${quoted(summary)}`);
  const flags = command.flags.map(({ names, summary, value }) => {
    const [long = '', short] = names;
    const spelled = `-l ${long.slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}`;
    return `${start} ${spelled}${value === undefined ? '' : ` ${takes(value)}`} -d ${quoted(summary)}`;
  });
  const [first] = command.arguments;
  const values = first === undefined || first === 'anything' ? [] : [`${start} ${stands(first)}`];
  return [...words, ...flags, ...values];
}

/** The value of a flag. */
function takes(value: Expected): string {
  if (value === 'file') return '-r -F';
  return value === 'anything' ? '-x' : `-x ${stands(value)}`;
}

/** The values of an argument. */
function stands(value: Exclude<Expected, 'anything'>): string {
  if (value === 'file') return '-F';
  if (value === 'folder') return "-a '(__fish_complete_directories)'";
  return `-a ${quoted(value.words.join(' '))}`;
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
