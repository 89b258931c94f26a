/** With one colon, as the command line takes them: `user:alice`, `billing/invoice:INV-1`. */
const SUBJECT_OF_COMMANDS = /^([^/:]+):([^/:]+)$/;
const RESOURCE_OF_COMMANDS = /^([^/:]+\/[^/:]+):([^/:]+)$/;

/** The question with a subject and a resource that are written as on the command line as paths. */
export function withPaths<T extends { mode: string; subject: string; resource: string }>(asked: T): T {
  const path = (text: string, ofCommands: RegExp) =>
    text.replace(ofCommands, (_, type: string, name: string) => `${type}/${encodeURIComponent(name)}`);
  const { mode, subject, resource } = asked;
  return {
    ...asked,
    ...(mode !== 'who' && { subject: path(subject, SUBJECT_OF_COMMANDS) }),
    ...(mode !== 'what' && { resource: path(resource, RESOURCE_OF_COMMANDS) }),
  };
}
