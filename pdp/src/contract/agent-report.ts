import * as z from 'zod';

/** The header with which an agent says who it is, at each poll for the bundle: the members of a report, as a query string. */
export const AGENT_HEADER = 'Service-Agent';

const seconds = z.coerce.number().int().min(0).max(1e9);
const word = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x21-\x7e]+$/);

const schema = z.object({
  /** Its own, kept beside its cache. */
  id: word(64),
  /** The machine's name. */
  name: word(253).optional(),
  version: word(64).optional(),
  /** The id of the tenant that it serves, or the configured id or name as long as it serves nothing; and the revision. */
  tenant: word(64).optional(),
  revision: word(64).optional(),
  /** The age of what it knows, and the age past which it refuses to decide, in seconds. */
  age: seconds.optional(),
  max_age: seconds.optional(),
  /** The code of the failure since its last successful poll. */
  error: z
    .string()
    .regex(/^[a-z_]{1,40}$/)
    .optional(),
});

/** A report of an agent about itself. */
export type AgentReport = z.output<typeof schema>;

export function reportText(report: AgentReport): string {
  const members = new URLSearchParams();
  for (const [name, value] of Object.entries(report)) if (value !== undefined) members.set(name, String(value));
  return members.toString();
}

/** Undefined if the text is not a report. Members that are not known are ignored: a newer agent may send more. */
export function readReport(text: string): AgentReport | undefined {
  if (text.length > 2048) return undefined;
  return schema.safeParse(Object.fromEntries(new URLSearchParams(text))).data;
}
