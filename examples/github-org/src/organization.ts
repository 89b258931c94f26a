import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { LineCounter, parseDocument, visit } from 'yaml';
import * as z from 'zod';

/** GitHub's repository permissions, weakest first: each implies those before it. */
export const PERMISSIONS = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

const logins = z.array(z.string().min(1)).nullish();

interface TeamShape {
  description?: string | null | undefined;
  previously?: string[] | null | undefined;
  maintainers?: string[] | null | undefined;
  members?: string[] | null | undefined;
  repos?: Record<string, Permission> | null | undefined;
  teams?: Record<string, TeamShape> | null | undefined;
}

const team: z.ZodType<TeamShape> = z.lazy(() =>
  z.object({
    description: z.string().nullish(),
    previously: z.array(z.string()).nullish(),
    maintainers: logins,
    members: logins,
    repos: z.record(z.string(), z.enum(PERMISSIONS)).nullish(),
    teams: z.record(z.string(), team).nullish(),
  }),
);

const document = z.object({
  name: z.string().nullish(),
  description: z.string().nullish(),
  default_repository_permission: z.enum(['none', 'read', 'write', 'admin']).nullish(),
  admins: logins,
  members: logins,
  repos: z.record(z.string(), z.unknown()).nullish(),
  teams: z.record(z.string(), team).nullish(),
});

/** A team; `parent` is the name of the team it is nested in, whose repositories it inherits. */
export interface Team {
  name: string;
  parent?: string;
  description: string;
  previously: string[];
  members: Set<string>;
  repositories: Map<string, Permission>;
}

/** One GitHub organization. Logins are in lower case, since GitHub does not tell cases apart. */
export interface Organization {
  name: string;
  description: string;
  defaultPermission: Permission | 'none';
  admins: Set<string>;
  members: Set<string>;
  repositories: Set<string>;
  teams: Map<string, Team>;
}

/** A fault in the input: `file: /pointer: what is wrong`. */
export class InputError extends Error {}

/**
 * Reads every organization below a folder: each folder with an `org.yaml` is one, and all `*.yaml` below it are parts
 * of it. Throws `InputError` naming file and place.
 */
export function readOrganizations(root: string): Organization[] {
  if (!existsSync(root))
    throw new InputError(`${root}: there is no such folder: name the one that holds a folder per organization`);
  const organizations: Organization[] = [];
  for (const folder of readdirSync(root, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    const files = yamlFiles(join(root, folder.name));
    if (!files.some((file) => file.endsWith('org.yaml'))) continue;
    organizations.push(readOrganization(root, folder.name, files));
  }
  if (organizations.length === 0) throw new InputError(`${root}: no folder in it holds an org.yaml`);
  return organizations.sort((left, right) => (left.name < right.name ? -1 : 1));
}

function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function readOrganization(root: string, name: string, files: string[]): Organization {
  const part = (file: string) => readPart(readFileSync(file, 'utf8'), relative(root, file));
  return organizationOf(name, files.map(part));
}

/** The part of one file in its organization. @public as the bench reads past states of the files with it */
export interface Part {
  file: string;
  content: z.output<typeof document>;
}

/**
 * The organization that these parts make. Throws `InputError` for a team that is declared twice.
 * @public as the bench reads past states of the files with it
 */
export function organizationOf(name: string, parts: readonly Part[]): Organization {
  const organization: Organization = {
    name,
    description: '',
    defaultPermission: 'none',
    admins: new Set(),
    members: new Set(),
    repositories: new Set(),
    teams: new Map(),
  };
  for (const { file, content } of parts) {
    if (content.description) organization.description = content.description;
    if (content.default_repository_permission) organization.defaultPermission = content.default_repository_permission;
    addLogins(organization.admins, content.admins);
    addLogins(organization.members, content.members);
    for (const repository of Object.keys(content.repos ?? {})) organization.repositories.add(repository);
    addTeams(organization, content.teams, undefined, file);
  }
  return organization;
}

/**
 * Reads the text of a file; `file` names it in errors.
 * @public as the bench reads past states of the files with it
 */
export function readPart(text: string, file: string): Part {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines });
  const [syntax] = parsed.errors;
  if (syntax) {
    const { line, col } = lines.linePos(syntax.pos[0]);
    throw new InputError(`${file}:${line}:${col}: ${syntax.message.split('\n')[0]}`);
  }
  // A login or a name of digits is text, quoted or not.
  visit(parsed, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'number') scalar.value = scalar.source ?? String(scalar.value);
    },
  });
  const checked = document.safeParse(parsed.toJS() ?? {});
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new InputError(`${file}: /${issue?.path.join('/')}: ${issue?.message}`);
  }
  return { file, content: checked.data };
}

function addLogins(set: Set<string>, found: string[] | null | undefined): void {
  for (const login of found ?? []) set.add(login.toLowerCase());
}

function addTeams(
  organization: Organization,
  teams: Record<string, TeamShape> | null | undefined,
  parent: string | undefined,
  file: string,
): void {
  for (const [name, shape] of Object.entries(teams ?? {})) {
    if (organization.teams.has(name)) throw new InputError(`${file}: the team "${name}" is declared twice`);
    const members = new Set<string>();
    addLogins(members, shape.maintainers);
    addLogins(members, shape.members);
    const repositories = new Map(Object.entries(shape.repos ?? {}));
    for (const repository of repositories.keys()) organization.repositories.add(repository);
    organization.teams.set(name, {
      name,
      ...(parent === undefined ? {} : { parent }),
      description: shape.description ?? '',
      previously: shape.previously ?? [],
      members,
      repositories,
    });
    addTeams(organization, shape.teams, name, file);
  }
}
