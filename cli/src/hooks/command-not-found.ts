import { nearest } from '@authz-service/core/text/nearest';
import type { Hook } from '@oclif/core/hooks';
import { UsageError } from '../errors/usage-error.js';

/** Runs if the first words are not a command; `id` holds them, joined by colons. */
const commandNotFound: Hook.CommandNotFound = async ({ id, config }) => {
  if (id.startsWith('-')) throw new UsageError(`The flag ${id} comes before the command: write the command first.`);
  const typed = id.split(':');
  const depth = typed.findIndex((_, index) => {
    const words = typed.slice(0, index + 1).join(':');
    return config.findTopic(words) === undefined && config.findCommand(words) === undefined;
  });
  const topic = typed.slice(0, depth);
  if (config.findCommand(topic.join(':')) !== undefined)
    throw new UsageError(`"${typed[depth]}" is one argument too many.`, topic.join(' '));
  const known = config.commandIDs
    .map((command) => command.split(':'))
    .filter((words) => words.length > depth && topic.every((word, index) => word === words[index]))
    .map((words) => words[depth] ?? '');
  const choices = [...new Set(known)].sort();
  const meant = nearest(typed[depth] ?? '', choices);
  const remedy = meant === undefined ? `Known here: ${choices.join(', ')}.` : `Did you mean "${meant}"?`;
  throw new UsageError(
    `There is no command "${typed.slice(0, depth + 1).join(' ')}". ${remedy}`,
    topic.join(' ') || undefined,
  );
};

export default commandNotFound;
